//! Text as an element of NumPy's arrays.

use std::io::Write;

use ndarray_npy::{WritableElement, WriteDataError};
use py_literal::Value;

/// A string of at most so many letters, each of four bytes: NumPy's `U`.
pub struct Letters<const LONGEST: usize>([u32; LONGEST]);

impl<const LONGEST: usize> Letters<LONGEST> {
    /// The letters of a text; what is shorter is padded with zeros, and what is longer is cut.
    pub fn of(text: &str) -> Self {
        let mut letters = [0; LONGEST];
        letters.iter_mut().zip(text.chars()).for_each(|(place, letter)| *place = letter.into());
        Self(letters)
    }
}

impl<const LONGEST: usize> WritableElement for Letters<LONGEST> {
    fn type_descriptor() -> Value {
        Value::String(format!("<U{LONGEST}"))
    }

    fn write<W: Write>(&self, mut writer: W) -> Result<(), WriteDataError> {
        for letter in self.0 {
            writer.write_all(&letter.to_le_bytes())?;
        }
        Ok(())
    }

    fn write_slice<W: Write>(slice: &[Self], mut writer: W) -> Result<(), WriteDataError> {
        slice.iter().try_for_each(|word| word.write(&mut writer))
    }
}
