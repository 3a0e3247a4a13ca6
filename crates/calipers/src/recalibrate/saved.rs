//! Fitted models as text: one format for Rust, Python and the command line.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Fitted;
use super::registry::{load, unusable};
use crate::error::Result;

/// The number of the file format; it changes when an older reader could misread a file.
const FORMAT: u64 = 1;

/// A fitted recalibrator with what is known about the predictions that it was fitted to.
pub struct SavedModel {
    /// The map.
    pub fitted: Box<dyn Fitted>,
    /// What it maps.
    pub about: ModelNotes,
}

/// What is known about the predictions that a model was fitted to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelNotes {
    /// The recalibrator's name with its parameters, if it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalibrator: Option<String>,
    /// The classes' names, in the order of the model's columns, if they have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<String>>,
    /// What the classes' names stand for in a program, if it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelKind>,
    /// The names of the columns that it was fitted to, if they had names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// How many columns that were, if it was said: 1 where class 1 alone has a column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<usize>,
    /// Whether those held logits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub logits: bool,
}

/// What the names of classes stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelKind {
    /// Text.
    Text,
    /// Whole numbers.
    Integer,
    /// True and false.
    Boolean,
}

/// The parameters of a fitted model of this crate, on their way to text.
///
/// Only this crate makes them: a recalibrator from outside could not be loaded.
pub struct ModelState {
    pub(super) model: &'static str,
    pub(super) parameters: Value,
}

/// What a file of a model holds.
#[derive(Serialize, Deserialize)]
struct File {
    calipers: Value,
    model: String,
    parameters: Value,
    #[serde(flatten)]
    about: ModelNotes,
}

/// A fitted model as JSON text, with what is known about it.
///
/// # Errors
/// A model from outside this crate.
///
/// ```
/// use calipers::{ModelNotes, Sample, load_model, recalibrator, save_model, simulate};
///
/// let predictions = simulate("multiclass-overconfident-3", 300, 0)?;
/// let fitted = recalibrator("sms")?.fit(&Sample::from(&predictions), 0)?;
/// let classes = ["cat", "dog", "fox"].map(str::to_owned).to_vec();
/// let about = ModelNotes { classes: Some(classes), ..ModelNotes::default() };
/// let again = load_model(&save_model(fitted.as_ref(), &about)?)?;
/// assert_eq!(again.about, about);
/// let f = predictions.probs();
/// assert_eq!(fitted.predict(f.view())?, again.fitted.predict(f.view())?);
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn save_model(fitted: &dyn Fitted, about: &ModelNotes) -> Result<String> {
    let state = fitted.state();
    let ModelState { model, parameters } =
        state.ok_or_else(|| unusable("this recalibrator cannot be saved".to_owned()))?;
    let (calipers, model, about) = (FORMAT.into(), model.to_owned(), about.clone());
    serde_json::to_string(&File { calipers, model, parameters, about })
        .map_err(|error| unusable(error.to_string()))
}

/// The model that a text is of; it predicts the same bits as the one that was saved.
///
/// # Errors
/// Text that is no saved model, or one of a format that this version does not know.
pub fn load_model(text: &str) -> Result<SavedModel> {
    let value: Value = serde_json::from_str(text).map_err(|error| unusable(error.to_string()))?;
    // Before anything else: another format may have other fields.
    if value["calipers"] != FORMAT {
        let found = &value["calipers"];
        return Err(unusable(format!("expected \"calipers\": {FORMAT}, found {found}")));
    }
    let file: File = serde_json::from_value(value).map_err(|error| unusable(error.to_string()))?;
    Ok(SavedModel { fitted: load(&file.model, file.parameters)?, about: file.about })
}
