//! Parameters behind a name: `kernel:bandwidth=0.05,other=3`.

use crate::error::{Error, Result};

/// A parameter of a recalibrator or of another measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The key before the `=`.
    pub name: &'static str,
    /// The value when it is not given.
    pub default: &'static str,
    /// What it sets.
    pub about: &'static str,
}

/// Makes the error that a text is refused with, from the text and the reason.
pub(crate) type Refusal = fn(String, String) -> Error;

/// The parameters given in a text, taken one by one.
pub(crate) struct Params<'a> {
    text: &'a str,
    refusal: Refusal,
    given: Vec<(&'a str, &'a str)>,
    known: Vec<&'static str>,
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
        Ok((name, Self { text, refusal, given, known: Vec::new() }))
    }

    /// What is given for a key.
    fn given(&mut self, key: &'static str) -> Option<&'a str> {
        self.known.push(key);
        let position = self.given.iter().position(|(name, _)| *name == key)?;
        Some(self.given.remove(position).1)
    }

    fn refuse<T>(&self, reason: String) -> Result<T> {
        Err((self.refusal)(self.text.to_owned(), reason))
    }

    /// A number with a default, which must satisfy a condition.
    pub fn number(
        &mut self,
        key: &'static str,
        default: f64,
        condition: &str,
        holds: impl Fn(f64) -> bool,
    ) -> Result<f64> {
        let Some(value) = self.given(key) else { return Ok(default) };
        match value.parse() {
            Ok(number) if f64::is_finite(number) && holds(number) => Ok(number),
            _ => self.refuse(format!("{key}={value}: expected {condition}")),
        }
    }

    /// One of several words, the first unless another is given; its place among them.
    pub fn choice(&mut self, key: &'static str, words: &[&str]) -> Result<usize> {
        let Some(value) = self.given(key) else { return Ok(0) };
        match words.iter().position(|word| *word == value) {
            Some(place) => Ok(place),
            None => self.refuse(format!("{key}={value}: expected {}", words.join(" or "))),
        }
    }

    /// The p of a norm: a number of at least 1, or `inf`; 1 unless given.
    pub fn power(&mut self, key: &'static str) -> Result<f64> {
        let Some(value) = self.given(key) else { return Ok(1.0) };
        match value.parse() {
            Ok(power) if power >= 1.0 => Ok(power),
            _ => self.refuse(format!("{key}={value}: expected a number of at least 1, or inf")),
        }
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
        self.refuse(reason)
    }
}

/// A parameter of a recalibrator that has several: its name, its range, and where it is kept.
pub(crate) struct Field<P: 'static> {
    name: &'static str,
    whole: bool,
    least: f64,
    most: f64,
    /// `None` stands for "found out from the data".
    get: fn(&P) -> Option<f64>,
    set: fn(&mut P, f64),
}

impl<P> Field<P> {
    /// A whole number.
    pub const fn whole(
        name: &'static str,
        least: usize,
        most: usize,
        get: fn(&P) -> Option<f64>,
        set: fn(&mut P, f64),
    ) -> Self {
        Self { name, whole: true, least: least as f64, most: most as f64, get, set }
    }

    /// Any number of a range.
    pub const fn number(
        name: &'static str,
        least: f64,
        most: f64,
        get: fn(&P) -> Option<f64>,
        set: fn(&mut P, f64),
    ) -> Self {
        Self { name, whole: false, least, most, get, set }
    }

    /// The parameters that differ from their defaults, as they would be given.
    pub fn settings(fields: &[Self], parameters: &P, defaults: &P) -> String {
        let differing = fields.iter().filter_map(|field| {
            let value = (field.get)(parameters)
                .filter(|_| (field.get)(parameters) != (field.get)(defaults));
            value.map(|value| format!("{}={value}", field.name))
        });
        differing.collect::<Vec<_>>().join(",")
    }
}

impl Params<'_> {
    /// Sets a parameter if it was given.
    pub fn take<P>(&mut self, field: &Field<P>, parameters: &mut P) -> Result<()> {
        let kind = if field.whole { "a whole number" } else { "a number" };
        let condition = format!("{kind} from {} to {}", field.least, field.most);
        let fits = |number: f64| {
            (field.least..=field.most).contains(&number)
                && (!field.whole || number.fract().abs() <= 0.0)
        };
        // Not a number stands for "not given": no text that is accepted reads as one.
        let number = self.number(field.name, f64::NAN, &condition, fits)?;
        if !number.is_nan() {
            (field.set)(parameters, number);
        }
        Ok(())
    }
}
