//! The extension module behind the Python package `calipers`.
//!
//! It converts: arrays to views (`arrays`), labels to classes (`labels`), options to an estimator
//! (`options`), what else is known of rows to features (`features`), batches of a stream to rows (`stream`), errors to exceptions (`error`), text to files (`files`). The mathematics is the `calipers` crate's, tables
//! and sentences are `calipers-draw`'s, the face that people see is the Python package's. Long
//! computations run on a thread of their own (`background`), while the calling thread waits without
//! the interpreter's lock, listens for Ctrl-C, and runs the Python code that the computation asks for:
//! classifiers (`classifier`), distances (`distance`), progress.

mod arrays;
mod background;
mod classifier;
mod distance;
mod error;
mod evaluate;
mod features;
mod figures;
mod files;
mod labels;
mod lists;
mod model;
mod monitor;
mod neighbours;
mod options;
mod paths;
mod stream;
mod tables;

/// Private: what the package `calipers` is made of.
#[pyo3::pymodule]
mod _calipers {
    #[pymodule_export]
    use crate::arrays::{check_probabilities, check_weights};
    #[pymodule_export]
    use crate::evaluate::{Texts, compare, evaluate};
    #[pymodule_export]
    use crate::figures::{figure, page};
    #[pymodule_export]
    use crate::files::write_file;
    #[pymodule_export]
    use crate::labels::read_labels;
    #[pymodule_export]
    use crate::lists::{class_names, measures, metrics, recalibrators, simulate};
    #[pymodule_export]
    use crate::model::{Model, fit_model};
    #[pymodule_export]
    use crate::monitor::Monitor;
    #[pymodule_export]
    use crate::neighbours::neighbours;
    #[pymodule_export]
    use crate::options::check_settings;
    #[pymodule_export]
    use crate::paths::evaluate_files;
    #[pymodule_export]
    use crate::stream::{Plan, Sampler, Tally, candidates, identities, usual_sample};
    #[pymodule_export]
    use crate::tables::table;
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
