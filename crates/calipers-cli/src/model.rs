//! A fitted recalibrator as a file: the core's model, and the columns that it was fitted to.

use std::fs;
use std::path::Path;

use calipers::{Fitted, load_model, save_model};
use calipers_files::words::plain;
use serde_json::{Value, json};

use crate::error::{Failure, Result};

/// A fitted recalibrator with what is known about its predictions.
pub struct SavedModel {
    /// The map.
    pub fitted: Box<dyn Fitted>,
    /// The classes' names, in the order of the model's columns.
    pub classes: Vec<String>,
    /// The columns of the file that it was fitted to.
    pub columns: Vec<String>,
    /// Whether those held logits.
    pub logits: bool,
}

impl SavedModel {
    /// The model as JSON text, which [`load_model`] reads too.
    pub fn to_json(&self) -> Result<String> {
        let unexpected = |error: String| Failure::unexpected(error);
        let text =
            save_model(self.fitted.as_ref()).map_err(|error| unexpected(error.to_string()))?;
        let mut saved: Value =
            serde_json::from_str(&text).map_err(|error| unexpected(error.to_string()))?;
        saved["classes"] = json!(self.classes);
        saved["columns"] = json!(self.columns);
        saved["logits"] = json!(self.logits);
        Ok(format!("{saved}\n"))
    }

    /// Reads a file that `calipers recalibrate fit` wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        let unusable = |reason: &str| Failure::input(format!("{name}: {reason}"));
        let text = fs::read_to_string(path)
            .map_err(|error| unusable(&format!("cannot be read: {}", plain(&error))))?;
        let fitted = load_model(&text).map_err(|error| unusable(&error.to_string()))?;
        let saved: Value =
            serde_json::from_str(&text).map_err(|error| unusable(&error.to_string()))?;
        let words = |key: &str| -> Option<Vec<String>> {
            let list = saved[key].as_array()?;
            list.iter().map(|word| word.as_str().map(str::to_owned)).collect()
        };
        match (words("classes"), words("columns"), saved["logits"].as_bool()) {
            (Some(classes), Some(columns), Some(logits)) if classes.len() > 1 => {
                Ok(Self { fitted, classes, columns, logits })
            }
            _ => Err(unusable("the model does not say what its classes and columns are called")
                .hint("write it with calipers recalibrate fit")),
        }
    }
}
