//! Who it is that f is wrong about, in words.

use serde_json::{Value, json};

use super::number;
use crate::data::{Features, MISSING, Values};

/// Segments that are shown to be off.
///
/// They were looked for in the rows of some folds, and measured in the rows of the others. Their bounds hold
/// together with the report's confidence, for all that were tried.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Segments {
    /// Those whose bound shows that they are off, the clearest first.
    pub shown: Vec<Segment>,
    /// How many were found and measured.
    pub tried: usize,
    /// How many rows they were looked for in.
    pub searched: usize,
    /// How many rows they were measured in.
    pub measured: usize,
}

/// Rows of which more, or less, happens than f says.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Segment {
    /// What its rows have in common: one to three conditions.
    pub conditions: Vec<Condition>,
    /// The class that is off.
    pub class: String,
    /// How many rows there are.
    pub rows: usize,
    /// How many of them it was measured in; all that follows is of these.
    pub measured: usize,
    /// The mean of what f says of the class.
    pub predicted: f64,
    /// How often it was observed.
    pub observed: f64,
    /// What its mean probability is at least, if `above`, or at most.
    pub bound: f64,
    /// Whether more happens than f says.
    pub above: bool,
}

/// What rows of a segment have in common.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Condition {
    /// The feature's name.
    pub feature: String,
    /// What is wanted of it.
    pub wanted: Wanted,
}

/// What a condition asks for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Wanted {
    /// A number above the one and up to the other, where they are given.
    Between {
        /// What it is above.
        above: Option<f64>,
        /// What it is not above.
        up_to: Option<f64>,
    },
    /// A level of a category.
    Level(String),
    /// That there is none.
    Missing,
}

impl std::fmt::Display for Condition {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { feature, wanted } = self;
        match wanted {
            Wanted::Between { above: Some(low), up_to: Some(high) } => {
                write!(out, "{} < {feature} <= {}", short(*low), short(*high))
            }
            Wanted::Between { above: Some(low), up_to: None } => {
                write!(out, "{feature} > {}", short(*low))
            }
            Wanted::Between { above: None, up_to: Some(high) } => {
                write!(out, "{feature} <= {}", short(*high))
            }
            Wanted::Between { above: None, up_to: None } => write!(out, "{feature} is known"),
            Wanted::Level(level) => write!(out, "{feature} = {level}"),
            Wanted::Missing => write!(out, "{feature} is missing"),
        }
    }
}

/// A border in as few digits as tell it from its neighbours well enough to be read: four that count.
fn short(value: f64) -> String {
    if value.abs() <= 0.0 {
        return "0".to_owned();
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    if (-4..=12).contains(&digits) {
        let rounded = format!("{value:.*}", digits.max(0) as usize);
        let trimmed = match rounded.contains('.') {
            true => rounded.trim_end_matches('0').trim_end_matches('.'),
            false => &rounded,
        };
        trimmed.to_owned()
    } else {
        format!("{value:.3e}")
    }
}

impl Segment {
    /// Its conditions, such as `age > 62 and region = south`.
    pub fn words(&self) -> String {
        let words: Vec<String> = self.conditions.iter().map(ToString::to_string).collect();
        words.join(" and ")
    }

    /// For each row of features, whether it is in the segment; none is where a condition asks for a feature that
    /// there is not.
    ///
    /// ```
    /// use calipers::{Estimator, Features, Predictions};
    ///
    /// // Of those who are given 50 %, half are in the south, where it happens four times out of five.
    /// let south = |row: usize| row % 2 == 0;
    /// let labels: Vec<usize> = (0..800).map(|row| usize::from((row / 2 % 5 < 4) == south(row))).collect();
    /// let region: Vec<_> = (0..800).map(|row| Some(if south(row) { "south" } else { "north" })).collect();
    /// let features = Features::new().category("region", &region)?;
    /// let predictions = Predictions::binary(vec![0.5; 800], &labels)?.with_features(features.clone())?;
    /// let given = Estimator::new().estimate(&predictions)?.given_features.unwrap();
    /// let segment = given.segments.shown.iter().find(|one| one.above).unwrap();
    /// assert_eq!(segment.words(), "region = south");
    /// let inside = segment.holds(&features);
    /// assert!((0..800).all(|row| inside[row] == south(row)));
    /// # Ok::<(), calipers::Error>(())
    /// ```
    pub fn holds(&self, features: &Features) -> Vec<bool> {
        let mut inside = vec![true; features.rows()];
        for condition in &self.conditions {
            match features.place(&condition.feature) {
                Some(place) => {
                    condition.wanted.narrow(&features.columns()[place].values, &mut inside)
                }
                None => inside.fill(false),
            }
        }
        inside
    }

    fn to_json(&self) -> Value {
        let condition = |condition: &Condition| {
            let feature = &condition.feature;
            match &condition.wanted {
                Wanted::Between { above, up_to } => {
                    json!({ "feature": feature, "above": above, "up_to": up_to })
                }
                Wanted::Level(level) => json!({ "feature": feature, "level": level }),
                Wanted::Missing => json!({ "feature": feature, "missing": true }),
            }
        };
        json!({
            "segment": self.words(),
            "conditions": self.conditions.iter().map(condition).collect::<Vec<_>>(),
            "class": self.class,
            "rows": self.rows,
            "measured": self.measured,
            "predicted": number(self.predicted),
            "observed": number(self.observed),
            "bound": number(self.bound),
            "above": self.above,
        })
    }
}

impl Wanted {
    /// Leaves inside the rows whose value is wanted.
    fn narrow(&self, values: &Values, inside: &mut [bool]) {
        match values {
            Values::Numbers(numbers) => {
                let wanted = |value: f64| match self {
                    // What is missing is neither above nor up to anything.
                    Self::Between { above, up_to } => {
                        !value.is_nan()
                            && above.is_none_or(|low| value > low)
                            && up_to.is_none_or(|high| value <= high)
                    }
                    Self::Level(_) => false,
                    Self::Missing => value.is_nan(),
                };
                inside
                    .iter_mut()
                    .zip(numbers)
                    .for_each(|(inside, &value)| *inside &= wanted(value));
            }
            Values::Categories { levels, codes } => {
                let wanted = match self {
                    Self::Between { .. } => None,
                    Self::Level(level) => {
                        levels.iter().position(|own| own == level).map(|place| place as u32)
                    }
                    Self::Missing => Some(MISSING),
                };
                inside
                    .iter_mut()
                    .zip(codes)
                    .for_each(|(inside, &code)| *inside &= Some(code) == wanted);
            }
        }
    }
}

impl Segments {
    /// `segments` of what is given features, as JSON.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "shown": self.shown.iter().map(Segment::to_json).collect::<Vec<_>>(),
            "tried": self.tried,
            "searched": self.searched,
            "measured": self.measured,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(features: &Features, conditions: &[(&str, Wanted)]) -> Vec<usize> {
        let condition = |(feature, wanted): &(&str, Wanted)| Condition {
            feature: (*feature).to_owned(),
            wanted: wanted.clone(),
        };
        let segment = Segment {
            conditions: conditions.iter().map(condition).collect(),
            class: "1".to_owned(),
            rows: 0,
            measured: 0,
            predicted: 0.0,
            observed: 0.0,
            bound: 0.0,
            above: true,
        };
        let holds = segment.holds(features);
        (0..features.rows()).filter(|&row| holds[row]).collect()
    }

    /// Four digits that count, and no zeros at the end.
    #[test]
    fn conditions_are_said_in_words() {
        let said = |wanted: Wanted| Condition { feature: "age".to_owned(), wanted }.to_string();
        let between = |above, up_to| said(Wanted::Between { above, up_to });
        assert_eq!(between(Some(61.999_99), None), "age > 62");
        assert_eq!(between(None, Some(0.012_345)), "age <= 0.01235");
        assert_eq!(between(Some(-1.5), Some(123_456.7)), "-1.5 < age <= 123457");
        assert_eq!(between(None, Some(0.0)), "age <= 0");
        assert_eq!(between(None, Some(1e20)), "age <= 1.000e20");
        assert_eq!(said(Wanted::Level("old".to_owned())), "age = old");
        assert_eq!(said(Wanted::Missing), "age is missing");
    }

    #[test]
    fn rows_are_in_a_segment_if_every_condition_holds() {
        let features = Features::new()
            .number("age", vec![10.0, 20.0, 30.0, f64::NAN, f64::INFINITY])
            .unwrap()
            .category("region", &[Some("south"), Some("north"), Some("south"), None, Some("south")])
            .unwrap();
        let between = |above, up_to| ("age", Wanted::Between { above, up_to });
        let region = |level: &str| ("region", Wanted::Level(level.to_owned()));
        assert_eq!(inside(&features, &[between(Some(10.0), Some(30.0))]), [1, 2]);
        assert_eq!(inside(&features, &[between(None, Some(20.0))]), [0, 1]);
        assert_eq!(inside(&features, &[between(Some(20.0), None)]), [2, 4]);
        assert_eq!(inside(&features, &[between(None, None)]), [0, 1, 2, 4], "it is known");
        assert_eq!(inside(&features, &[("age", Wanted::Missing)]), [3]);
        assert_eq!(inside(&features, &[("region", Wanted::Missing)]), [3]);
        assert_eq!(inside(&features, &[region("south"), between(Some(10.0), None)]), [2, 4]);
        let none = [
            region("east"),
            ("age", Wanted::Level("10".to_owned())),
            ("region", Wanted::Between { above: None, up_to: None }),
            ("height", Wanted::Missing),
        ];
        for one in none {
            assert!(inside(&features, &[one]).is_empty());
        }
    }
}
