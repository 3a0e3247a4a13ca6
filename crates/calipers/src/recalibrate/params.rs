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
