//! What the numbers of a column stand for, where a file or the folder that it is in says so, as the Python package
//! `datasets` does with its `ClassLabel`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::{Column, Source, Table, Text, Values};
use crate::error::{Error, Result};

/// The names of the classes that a column's numbers stand for, from 0, by the column's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassNames(Option<Arc<BTreeMap<String, Vec<String>>>>);

/// What `datasets` says of a dataset, as far as it matters here.
#[derive(Deserialize)]
pub struct Info {
    #[serde(default)]
    features: Option<BTreeMap<String, Value>>,
}

/// The key of the schema's notes in Parquet and Arrow files that `datasets` wrote.
#[derive(Deserialize)]
#[cfg(feature = "parquet")]
struct Note {
    info: Info,
}

impl ClassNames {
    /// Those of the columns of a dataset that have them.
    pub fn of(info: &Info) -> Self {
        let names = |feature: &Value| {
            let class = feature.get("_type").and_then(Value::as_str) == Some("ClassLabel");
            let names = feature.get("names").filter(|_| class)?.as_array()?;
            names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        };
        let features = info.features.iter().flatten();
        let named: BTreeMap<String, Vec<String>> =
            features.filter_map(|(column, of)| Some((column.clone(), names(of)?))).collect();
        Self((!named.is_empty()).then(|| Arc::new(named)))
    }

    /// Those of a file whose schema has a note of `datasets`; what is no such note says nothing.
    #[cfg(feature = "parquet")]
    pub fn of_note(note: Option<&String>) -> Self {
        let note = note.and_then(|note| serde_json::from_str::<Note>(note).ok());
        note.map(|note| Self::of(&note.info)).unwrap_or_default()
    }

    /// The names of a column's classes.
    pub fn get(&self, column: &str) -> Option<&[String]> {
        self.0.as_ref()?.get(column).map(Vec::as_slice)
    }

    /// Whether no column has any.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

impl Table {
    /// Puts the names of classes in the place of the numbers that stand for them: those that the folder of the
    /// file gives, or else the file's own. −1 is a missing one.
    ///
    /// # Errors
    /// A number that stands for none.
    pub(crate) fn name_classes(&mut self, folder: &ClassNames) -> Result<()> {
        if !folder.is_empty() {
            self.source.name_classes(folder.clone());
        }
        let names = self.source.class_names().clone();
        for column in &mut self.columns {
            if let Some(names) = names.get(&column.name) {
                name_cells(column, names, &self.source)?;
            }
        }
        Ok(())
    }
}

fn name_cells(column: &mut Column, names: &[String], source: &Source) -> Result<()> {
    let Values::Numbers(numbers) = &column.values else { return Ok(()) };
    let mut words = Text::default();
    for (row, &number) in numbers.iter().enumerate() {
        let whole = number >= 0.0 && number.fract().abs() <= 0.0;
        match names.get(number as usize).filter(|_| whole) {
            Some(name) => words.push(name),
            None if number.is_nan() || (number + 1.0).abs() <= 0.0 => words.push(""),
            None => {
                return Err(Error::input(format!(
                    "{}: label {number} is none of the {} classes that the dataset names",
                    source.cell(row, &column.name),
                    names.len()
                )));
            }
        }
    }
    column.values = Values::Text(words);
    Ok(())
}
