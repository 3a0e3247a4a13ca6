//! Parameters behind a recalibrator's name: `kernel:bandwidth=0.05,other=3`.

use crate::error::{Error, Result};

/// The parameters given in a text, taken one by one.
pub(crate) struct Params<'a> {
    text: &'a str,
    given: Vec<(&'a str, &'a str)>,
    known: Vec<&'static str>,
}

impl<'a> Params<'a> {
    /// Splits `name:key=value,key=value` into the name and its parameters.
    pub fn parse(text: &'a str) -> Result<(&'a str, Self)> {
        let (name, list) = text.split_once(':').unwrap_or((text, ""));
        let mut given: Vec<(&str, &str)> = Vec::new();
        for item in list.split(',').filter(|item| !item.is_empty()) {
            let (key, value) = item.split_once('=').ok_or_else(|| Error::Recalibrator {
                text: text.to_owned(),
                reason: format!("{item:?} is not key=value"),
            })?;
            if given.iter().any(|(already, _)| *already == key) {
                return Err(Error::Recalibrator {
                    text: text.to_owned(),
                    reason: format!("parameter {key:?} is given twice"),
                });
            }
            given.push((key, value));
        }
        Ok((name, Self { text, given, known: Vec::new() }))
    }

    /// A number with a default, which must satisfy a condition.
    pub fn number(
        &mut self,
        key: &'static str,
        default: f64,
        condition: &str,
        holds: impl Fn(f64) -> bool,
    ) -> Result<f64> {
        self.known.push(key);
        let Some(position) = self.given.iter().position(|(name, _)| *name == key) else {
            return Ok(default);
        };
        let (_, value) = self.given.remove(position);
        value.parse().ok().filter(|number: &f64| number.is_finite() && holds(*number)).ok_or_else(
            || Error::Recalibrator {
                text: self.text.to_owned(),
                reason: format!("{key}={value}: expected {condition}"),
            },
        )
    }

    /// A whole number of at least `least`, with a default; 0 stands for "not given".
    pub fn count(&mut self, key: &'static str, least: usize) -> Result<Option<usize>> {
        let most = 1_000_000;
        let condition = format!("a whole number from {least} to {most}");
        let number = self.number(key, 0.0, &condition, |number| {
            number.fract().abs() <= 0.0 && (least as f64..=most as f64).contains(&number)
        })?;
        Ok((number > 0.0).then_some(number as usize))
    }

    /// Refuses what was given and not taken.
    pub fn finish(self) -> Result<()> {
        let Some((key, _)) = self.given.first() else { return Ok(()) };
        let reason = if self.known.is_empty() {
            format!("it takes no parameters, {key:?} was given")
        } else {
            format!("it has no parameter {key:?}; it has {}", self.known.join(", "))
        };
        Err(Error::Recalibrator { text: self.text.to_owned(), reason })
    }
}
