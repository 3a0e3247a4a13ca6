//! What evaluation harnesses of language models write: questions with the log-likelihoods of their options, or
//! answers with how sure the model was of them.

mod answers;
mod helm;
mod inspect;
mod json;
mod lm_eval;
mod runs;
mod walk;

pub use answers::{Answer, Answers, ModelAnswers};
pub use helm::HelmRuns;
pub use inspect::InspectLogs;
pub use lm_eval::{LmEval, ModelRuns, Question, Questions};
pub use runs::LeftOut;
