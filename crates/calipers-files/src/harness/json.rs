//! JSON as Python writes it, where what is no number is written as one.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::allowance::{Allowance, LEAST};
use crate::error::{Error, Result, unreadable};
use crate::words::file_name;

/// Constants of Python's that are no JSON; a minus before one is a part of it.
const CONSTANTS: [&[u8]; 3] = [b"NaN", b"-Infinity", b"Infinity"];

/// Reads a whole file.
///
/// # Errors
/// It cannot be read, or is no JSON of this kind.
pub fn of_file<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let name = file_name(path);
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
    BufReader::new(file).read_to_end(&mut bytes).map_err(|error| unreadable(&name, &error))?;
    parsed(&bytes, &name)
}

/// Reads a text that is at `place`; Python's constants are missing values.
///
/// # Errors
/// It is no JSON of this kind.
pub fn parsed<T: DeserializeOwned>(bytes: &[u8], place: &str) -> Result<T> {
    value(bytes)
        .map_err(|error| Error::input(format!("{place}: it is not what is expected: {error}")))
}

/// Reads a text, of which the caller says where it is; Python's constants are missing values.
///
/// # Errors
/// It is no JSON of this kind.
pub fn value<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(&without_constants(bytes))
}

/// What a file may unfold to, if it is compressed.
pub fn allowance(path: &Path) -> Result<Allowance> {
    let name = file_name(path);
    let about = std::fs::metadata(path).map_err(|error| unreadable(&name, &error))?;
    Ok(Allowance::of(&name, about.len(), LEAST))
}

fn without_constants(bytes: &[u8]) -> Cow<'_, [u8]> {
    let (mut made, mut copied) = (Vec::new(), 0);
    let (mut at, mut in_text) = (0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => in_text = !in_text,
            // What follows is a part of the text, whatever it is.
            b'\\' if in_text => at += 1,
            b'N' | b'-' | b'I' if !in_text => {
                if let Some(word) = CONSTANTS.iter().find(|word| bytes[at..].starts_with(word)) {
                    made.extend_from_slice(&bytes[copied..at]);
                    made.extend_from_slice(b"null");
                    at += word.len();
                    copied = at;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if copied == 0 {
        return Cow::Borrowed(bytes);
    }
    made.extend_from_slice(&bytes[copied..]);
    Cow::Owned(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn constants_of_python_are_missing_and_texts_stay() {
        let text = r#"{"a": NaN, "b": [-Infinity, Infinity, -1], "NaN": "Infinity \" NaN \\"}"#;
        let found: Value = parsed(text.as_bytes(), "here").unwrap();
        let wanted = json!({"a": null, "b": [null, null, -1], "NaN": "Infinity \" NaN \\"});
        assert_eq!(found, wanted);
        for plain in ["", "\"\\", "{\"a\": \"\\", "-", "N", "[1, 2]"] {
            assert!(matches!(without_constants(plain.as_bytes()), Cow::Borrowed(_)), "{plain}");
        }
        let error = parsed::<Value>(b"[NaN", "here").unwrap_err();
        assert!(error.message().starts_with("here: it is not what is expected: "), "{error}");
    }
}
