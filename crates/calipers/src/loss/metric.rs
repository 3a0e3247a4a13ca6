//! What to measure, by name: `l1`, `top-over-l2`, `classwise-brier`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ProperLoss;
use super::distance::{Distance, NamedDistance};
use super::named::{NamedLoss, Plain};
use super::part::{MetricPart, Scope, Side, optional, strip};
use super::registry;
use super::sided::{Pivot, Sided};
use crate::error::{Error, Result};

/// A calibration error to estimate: a scope, a side and a loss.
///
/// ```text
/// metric := [scope-] [side-] loss
/// scope  := top | classwise            (none: canonical, the whole vector)
/// side   := over | under
/// loss   := l<p> (any real p >= 1) | linf | brier | log
/// ```
///
/// ```
/// use calipers::{Metric, Scope};
///
/// let metric: Metric = "top-over-l1.5".parse()?;
/// assert_eq!(metric.scope(), Scope::Top);
/// assert_eq!(metric.to_string(), "top-over-l1.5");
/// assert!("l0.5".parse::<Metric>().is_err());
/// assert!(Metric::LOSSES.iter().any(|loss| loss.name == "brier"));
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Metric {
    scope: Scope,
    side: Option<Side>,
    loss: Arc<dyn NamedLoss>,
}

/// How the norm of a two-class error is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BinaryNorm {
    /// The scalar |f₁ − C₁|, the same for every p.
    #[default]
    Scalar,
    /// The norm of both columns: 2^(1/p) times the scalar; twice the scalar for `brier`.
    Vector,
    /// The scalar, where f₁ is how sure somebody was and class 1 is that they were right: over-confident is
    /// what is too high, also below 1/2, as for a top class.
    Confidence,
}

impl Metric {
    /// What is measured.
    pub const LOSSES: &'static [MetricPart] = &registry::PARTS;

    /// On which problem.
    pub const SCOPES: &'static [MetricPart] = &Scope::PARTS;

    /// Which share of it.
    pub const SIDES: &'static [MetricPart] = &Side::PARTS;

    /// The names of what is measured of so many classes unless it is said.
    ///
    /// ```
    /// use calipers::Metric;
    ///
    /// assert_eq!(Metric::defaults(2), ["l1", "brier", "log"]);
    /// assert_eq!(Metric::defaults(10), ["l1", "l2", "brier", "log"]);
    /// ```
    pub const fn defaults(classes: usize) -> &'static [&'static str] {
        registry::defaults(classes)
    }

    /// How a name is put together.
    ///
    /// ```
    /// use calipers::Metric;
    ///
    /// assert_eq!(Metric::grammar(), "metric = [top-|classwise-][over-|under-]loss");
    /// ```
    pub fn grammar() -> String {
        format!("metric = {}{}loss", optional(Self::SCOPES), optional(Self::SIDES))
    }

    /// E D_f(C) for any convex distance.
    #[must_use]
    pub fn distance(name: impl Into<String>, distance: impl Distance + 'static) -> Self {
        let (name, distance) = (name.into(), Arc::new(distance));
        let loss = Arc::new(NamedDistance { name, distance });
        Self { scope: Scope::Canonical, side: None, loss }
    }

    /// The same error on the problem of the most probable class.
    #[must_use]
    pub fn top(self) -> Self {
        Self { scope: Scope::Top, ..self }
    }

    /// The same error, averaged over the one-versus-rest problems.
    #[must_use]
    pub fn classwise(self) -> Self {
        Self { scope: Scope::Classwise, ..self }
    }

    /// The share that is due to over-confidence.
    #[must_use]
    pub fn over(self) -> Self {
        Self { side: Some(Side::Over), ..self }
    }

    /// The share that is due to under-confidence.
    #[must_use]
    pub fn under(self) -> Self {
        Self { side: Some(Side::Under), ..self }
    }

    /// Which problem the error is measured on.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Which share of the error is measured.
    pub fn side(&self) -> Option<Side> {
        self.side
    }

    /// What multiplies the scalar two-class score when the vector's norm is asked for.
    pub(crate) fn vector_factor(&self) -> f64 {
        self.loss.vector_factor()
    }

    /// The loss of a single prediction, where the metric's mean loss can be split: of the whole error
    /// of the whole vector.
    pub(crate) fn plain(&self, log_floor: f64) -> Option<Plain> {
        let whole = self.scope == Scope::Canonical && self.side.is_none();
        whole.then(|| self.loss.plain(log_floor)).flatten()
    }

    /// The loss whose scores estimate this metric.
    ///
    /// # Errors
    /// A side asked of a whole vector of more than two classes; a top class, or each class, of a stated
    /// confidence.
    pub(crate) fn loss(
        &self,
        classes: usize,
        binary: BinaryNorm,
        log_floor: f64,
    ) -> Result<Box<dyn ProperLoss>> {
        let loss = self.loss.scorer(log_floor);
        let stated = binary == BinaryNorm::Confidence;
        if stated && self.scope != Scope::Canonical {
            let whole = Self { scope: Scope::Canonical, ..self.clone() };
            return Err(Error::Inapplicable {
                metric: self.to_string(),
                reason: format!("a stated confidence is one number of a row; ask for {whole}"),
            });
        }
        if stated && classes > 2 {
            let reason = format!("a stated confidence is one number of a row, not {classes}");
            return Err(Error::Inapplicable { metric: self.to_string(), reason });
        }
        let Some(side) = self.side else { return Ok(loss) };
        if self.scope == Scope::Canonical && classes > 2 {
            return Err(Error::Inapplicable {
                metric: self.to_string(),
                reason: format!(
                    "over- and under-confidence are defined for two classes, not {classes}; \
                     top-{self} measures the most probable class"
                ),
            });
        }
        let pivot = if stated || self.scope == Scope::Top { Pivot::Certainty } else { Pivot::Half };
        Ok(Box::new(Sided { side, pivot, inner: loss }))
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}{}", self.scope.prefix(), Side::prefix(self.side), self.loss.name())
    }
}

impl FromStr for Metric {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (scope, rest) = strip(text, Scope::ALL, &Scope::PARTS);
        let (side, rest) = strip(rest, Side::ALL, &Side::PARTS);
        match registry::parse(rest) {
            Some(loss) => Ok(Self { scope, side, loss }),
            None => {
                let before = [optional(Self::SCOPES), optional(Self::SIDES)].concat();
                let reason = format!("a metric is {before} followed by {}", registry::expected());
                Err(Error::Metric { text: text.to_owned(), reason })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_and_print_back() {
        for name in [
            "l1",
            "l2",
            "l1.5",
            "l3",
            "linf",
            "brier",
            "log",
            "over-l1",
            "under-brier",
            "top-l1",
            "top-over-l2",
            "classwise-l1",
            "classwise-under-log",
            "l1.25",
            "l100",
        ] {
            assert_eq!(name.parse::<Metric>().unwrap().to_string(), name);
        }
        assert_eq!("l1.0".parse::<Metric>().unwrap().to_string(), "l1");
    }

    #[test]
    fn every_combination_of_the_vocabulary_is_a_metric() {
        for scope in Metric::SCOPES {
            for side in Metric::SIDES {
                for loss in Metric::LOSSES {
                    let loss = if loss.name == "l<p>" { "l1.5" } else { loss.name };
                    let name = format!("{}{}{loss}", scope.name, side.name);
                    assert_eq!(name.parse::<Metric>().unwrap().to_string(), name);
                }
            }
        }
    }

    #[test]
    fn anything_else_is_refused_with_what_is_valid() {
        for name in [
            "",
            "l",
            "l0",
            "l0.99",
            "l-1",
            "lnan",
            "linfinity",
            "l1e3",
            "l1.",
            "l.5",
            "L1",
            "ece",
            "over-top-l1",
            "top-",
            "top-classwise-l1",
            "over-under-l1",
            " l1",
            "l1 ",
            "l1,l2",
        ] {
            let error = name.parse::<Metric>().unwrap_err();
            assert!(error.to_string().contains("l<p> (any p >= 1"), "{name}: {error}");
        }
    }

    #[test]
    fn a_huge_p_that_overflows_is_refused() {
        let name = format!("l{}", "9".repeat(400));
        assert!(name.parse::<Metric>().is_err());
    }
}
