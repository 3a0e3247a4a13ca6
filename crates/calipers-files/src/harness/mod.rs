//! What evaluation harnesses of language models write: questions with the log-likelihoods of their options.

mod files;
mod line;
mod lm_eval;
mod questions;
mod targets;

pub use lm_eval::{LeftOut, LmEval, ModelRuns};
pub use questions::{Question, Questions};
