//! Parameters behind a name: `kernel:bandwidth=0.05,other=3`.
//!
//! A parameter is written once, in the table of whatever takes it: its name, its default and what it
//! sets. The number that stands for the default is read from that table as a given one is, and what
//! differs from it becomes part of the name.

use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::error::{Error, Result};

/// A parameter of a recalibrator or of another measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The key before the `=`.
    pub name: &'static str,
    /// The value when it is not given; a word where it is found out from the data.
    pub default: &'static str,
    /// What it sets.
    pub about: &'static str,
}

impl Parameter {
    pub(crate) const fn new(
        name: &'static str,
        default: &'static str,
        about: &'static str,
    ) -> Self {
        Self { name, default, about }
    }
}

/// Makes the error that a text is refused with, from the text and the reason.
pub(crate) type Refusal = fn(String, String) -> Error;

/// The parameters given in a text, taken one by one.
pub(crate) struct Params<'a> {
    text: &'a str,
    refusal: Refusal,
    given: Vec<(&'a str, &'a str)>,
    listed: &'static [Parameter],
    /// Those that were taken and differ from their defaults, as they would be given.
    settings: Vec<String>,
}

impl<'a> Params<'a> {
    /// Splits `name:key=value,key=value` into the name and its parameters.
    pub fn parse(text: &'a str, refusal: Refusal) -> Result<(&'a str, Self)> {
        let (name, list) = text.split_once(':').unwrap_or((text, ""));
        let mut given: Vec<(&str, &str)> = Vec::new();
        for item in list.split(',').filter(|item| !item.is_empty()) {
            let (key, value) = item
                .split_once('=')
                .ok_or_else(|| refusal(text.to_owned(), format!("{item:?} is not key=value")))?;
            if given.iter().any(|(already, _)| *already == key) {
                let reason = format!("parameter {key:?} is given twice");
                return Err(refusal(text.to_owned(), reason));
            }
            given.push((key, value));
        }
        Ok((name, Self { text, refusal, given, listed: &[], settings: Vec::new() }))
    }

    /// Makes something of the parameters that it lists, and its name with those that differ from
    /// their defaults.
    ///
    /// # Errors
    /// A parameter that is out of its range, or that is not listed.
    pub fn make<T>(
        mut self,
        name: &str,
        listed: &'static [Parameter],
        make: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(T, String)> {
        self.listed = listed;
        let made = make(&mut self)?;
        self.finish()?;
        let name = match self.settings.join(",") {
            settings if settings.is_empty() => name.to_owned(),
            settings => format!("{name}:{settings}"),
        };
        Ok((made, name))
    }

    fn refuse<T>(&self, reason: String) -> Result<T> {
        Err((self.refusal)(self.text.to_owned(), reason))
    }

    /// What is given for a key, or else its default; none if that is a word for "found out from the
    /// data".
    fn read<T: Display + PartialEq>(
        &mut self,
        key: &str,
        expected: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>> {
        let default = self.listed.iter().find(|parameter| parameter.name == key);
        let default = default.and_then(|parameter| read(parameter.default));
        let Some(place) = self.given.iter().position(|(name, _)| *name == key) else {
            return Ok(default);
        };
        let (_, text) = self.given.remove(place);
        let Some(value) = read(text) else {
            return self.refuse(format!("{key}={text}: expected {expected}"));
        };
        if default.as_ref() != Some(&value) {
            self.settings.push(format!("{key}={value}"));
        }
        Ok(Some(value))
    }

    /// As [`read`](Self::read), of a parameter whose default is a value.
    fn certain<T>(&self, key: &str, value: Option<T>) -> Result<T> {
        // No entry of a table lacks it: a test makes everything that is listed from its defaults.
        value.map_or_else(|| self.refuse(format!("parameter {key:?} is missing")), Ok)
    }

    /// A number of a range; none where the default is found out from the data.
    pub fn maybe_number(&mut self, key: &str, range: RangeInclusive<f64>) -> Result<Option<f64>> {
        let expected =
            format!("a number from {} to {}", readable(*range.start()), readable(*range.end()));
        self.read(key, &expected, |text| text.parse().ok().filter(|number| range.contains(number)))
    }

    /// A number of a range.
    pub fn number(&mut self, key: &str, range: RangeInclusive<f64>) -> Result<f64> {
        let number = self.maybe_number(key, range)?;
        self.certain(key, number)
    }

    /// A whole number of a range; none where the default is found out from the data.
    pub fn maybe_whole(
        &mut self,
        key: &str,
        range: RangeInclusive<usize>,
    ) -> Result<Option<usize>> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        // `30.0` and `1e3` are whole numbers as well.
        let whole = |text: &str| {
            let number: f64 = text.parse().ok()?;
            let inside = (*range.start() as f64..=*range.end() as f64).contains(&number);
            (inside && number.fract().abs() <= 0.0).then_some(number as usize)
        };
        self.read(key, &expected, whole)
    }

    /// A whole number of a range.
    pub fn whole(&mut self, key: &str, range: RangeInclusive<usize>) -> Result<usize> {
        let number = self.maybe_whole(key, range)?;
        self.certain(key, number)
    }

    /// One of several words; its meaning.
    pub fn choice<T: Copy>(&mut self, key: &str, words: &[(&'static str, T)]) -> Result<T> {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let known = |text: &str| names.iter().copied().find(|word| *word == text);
        let word = self.read(key, &names.join(" or "), known)?;
        let meaning = words.iter().find(|(known, _)| Some(*known) == word);
        self.certain(key, meaning.map(|(_, meaning)| *meaning))
    }

    /// The p of a norm: a number of at least 1, or `inf`.
    pub fn power(&mut self, key: &str) -> Result<f64> {
        let expected = "a number of at least 1, or inf";
        let power = self.read(key, expected, |text| text.parse().ok().filter(|p| *p >= 1.0))?;
        self.certain(key, power)
    }

    /// Refuses what was given and not taken.
    fn finish(&self) -> Result<()> {
        let Some((key, _)) = self.given.first() else { return Ok(()) };
        if self.listed.is_empty() {
            return self.refuse(format!("it takes no parameters, {key:?} was given"));
        }
        let names: Vec<&str> = self.listed.iter().map(|parameter| parameter.name).collect();
        self.refuse(format!("it has no parameter {key:?}; it has {}", names.join(", ")))
    }
}

/// The end of a range, without a row of zeros.
fn readable(number: f64) -> String {
    let size = number.abs();
    if size > 0.0 && !(1e-3..1e6).contains(&size) {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &[Parameter] = &[
        Parameter::new("width", "0.5", "a number"),
        Parameter::new("cells", "15 or 30", "a whole number, found out"),
        Parameter::new("by", "mass", "a word"),
    ];

    type Made = (f64, Option<usize>, char);

    fn made(text: &str) -> Result<(Made, String)> {
        let refuse = |text, reason| Error::Recalibrator { text, reason };
        let (name, params) = Params::parse(text, refuse)?;
        params.make(name, LISTED, |params| {
            let width = params.number("width", 1e-6..=1.0)?;
            let cells = params.maybe_whole("cells", 1..=99)?;
            Ok((width, cells, params.choice("by", &[("width", 'w'), ("mass", 'm')])?))
        })
    }

    #[test]
    fn defaults_are_those_of_the_table_and_only_what_differs_is_named() {
        assert_eq!(made("a").unwrap(), ((0.5, None, 'm'), "a".to_owned()));
        assert_eq!(made("a:width=0.50,by=mass").unwrap().1, "a");
        let (found, name) = made("a:by=width,cells=3.0,width=0.25").unwrap();
        assert_eq!((found, name.as_str()), ((0.25, Some(3), 'w'), "a:width=0.25,cells=3,by=width"));
    }

    #[test]
    fn what_is_out_of_range_or_unknown_is_refused() {
        let reason = |text| made(text).unwrap_err().to_string();
        assert!(reason("a:width=2").ends_with("width=2: expected a number from 1e-6 to 1"));
        assert!(reason("a:cells=0").ends_with("cells=0: expected a whole number from 1 to 99"));
        assert!(reason("a:cells=15 or 30").contains("expected a whole number"));
        assert!(reason("a:by=chance").ends_with("by=chance: expected width or mass"));
        assert!(reason("a:wide=1").ends_with("no parameter \"wide\"; it has width, cells, by"));
        assert!(reason("a:width=1,width=1").ends_with("parameter \"width\" is given twice"));
        assert!(reason("a:width").ends_with("\"width\" is not key=value"));
        assert!(reason("a:width=nan").contains("expected a number"));
    }
}
