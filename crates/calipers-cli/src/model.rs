//! A fitted recalibrator as a file.

use std::fs;
use std::path::Path;

use calipers::{Fitted, ModelNotes, load_model, save_model};
use calipers_files::words::{file_name, plain};

use crate::error::{Failure, Result};

/// A fitted recalibrator of which the classes are known.
pub struct KnownModel {
    /// The map.
    pub fitted: Box<dyn Fitted>,
    /// The classes' names, in the order of the model's columns.
    pub classes: Vec<String>,
    /// The columns that it was fitted to, if they had names.
    pub columns: Option<Vec<String>>,
    /// Whether those held logits.
    pub logits: bool,
}

/// A model as the text of a file.
pub fn text(fitted: &dyn Fitted, about: &ModelNotes) -> Result<String> {
    let text = save_model(fitted, about);
    text.map(|text| text + "\n").map_err(|error| Failure::unexpected(error.to_string()))
}

impl KnownModel {
    /// Reads a file that `calipers recalibrate fit` or Python's `Recalibrator.save` wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let name = file_name(path);
        let unusable = |reason: &str| Failure::input(format!("{name}: {reason}"));
        let text = fs::read_to_string(path)
            .map_err(|error| unusable(&format!("cannot be read: {}", plain(&error))))?;
        let model = load_model(&text).map_err(|error| unusable(&error.to_string()))?;
        let ModelNotes { classes, columns, logits, .. } = model.about;
        match classes {
            Some(classes) if classes.len() > 1 => {
                Ok(Self { fitted: model.fitted, classes, columns, logits })
            }
            _ => Err(unusable("the model does not say what its classes are called")
                .hint("write it with calipers recalibrate fit")),
        }
    }
}
