//! What to measure, by name: `l1`, `top-over-l2`, `classwise-brier`.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::ProperLoss;
use super::brier::Brier;
use super::distance::{Distance, DistanceLoss};
use super::linf::Linf;
use super::log::Log;
use super::lp::Lp;
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
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Metric {
    scope: Scope,
    side: Option<Side>,
    kind: Kind,
}

/// Which problem the error is measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The whole probability vector.
    Canonical,
    /// The two-class problem "is the most probable class the observed one?".
    Top,
    /// The mean over classes of the two-class problem "this class or not?".
    Classwise,
}

/// Which share of the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The truth lies towards 1/2 from f (with `top`: below f).
    Over,
    /// The truth lies away from 1/2 (with `top`: above f).
    Under,
}

#[derive(Debug, Clone)]
enum Kind {
    Lp(f64),
    Linf,
    Brier,
    Log,
    Distance { name: String, distance: Arc<dyn Distance> },
}

/// How the norm of a two-class error is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BinaryNorm {
    /// The scalar |f₁ − C₁|, the same for every p.
    #[default]
    Scalar,
    /// The norm of both columns: 2^(1/p) times the scalar; twice the scalar for `brier`.
    Vector,
}

const EXPECTED: &str = "a metric is [top-|classwise-][over-|under-] followed by l<p> (any p >= 1, \
                        for instance l1, l2, l1.5), linf, brier or log";

impl Metric {
    /// The Lp calibration error E‖f − C‖ₚ.
    ///
    /// # Errors
    /// p below 1 or not finite; use [`Metric::linf`] for the largest component.
    pub fn lp(p: f64) -> Result<Self> {
        if p.is_finite() && p >= 1.0 {
            Ok(Self::canonical(Kind::Lp(p)))
        } else {
            Err(Error::Metric {
                text: format!("l{p}"),
                reason: "p must be a number of at least 1, or inf".to_owned(),
            })
        }
    }

    /// E max |f − C|.
    pub fn linf() -> Self {
        Self::canonical(Kind::Linf)
    }

    /// E‖f − C‖₂².
    pub fn brier() -> Self {
        Self::canonical(Kind::Brier)
    }

    /// E KL(C ‖ f), in nats.
    pub fn log() -> Self {
        Self::canonical(Kind::Log)
    }

    /// E D_f(C) for any convex distance.
    pub fn distance(name: impl Into<String>, distance: impl Distance + 'static) -> Self {
        Self::canonical(Kind::Distance { name: name.into(), distance: Arc::new(distance) })
    }

    fn canonical(kind: Kind) -> Self {
        Self { scope: Scope::Canonical, side: None, kind }
    }

    /// The same error on the problem of the most probable class.
    pub fn top(self) -> Self {
        Self { scope: Scope::Top, ..self }
    }

    /// The same error, averaged over the one-versus-rest problems.
    pub fn classwise(self) -> Self {
        Self { scope: Scope::Classwise, ..self }
    }

    /// The share that is due to over-confidence.
    pub fn over(self) -> Self {
        Self { side: Some(Side::Over), ..self }
    }

    /// The share that is due to under-confidence.
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
        match &self.kind {
            Kind::Lp(p) => 2f64.powf(1.0 / p),
            Kind::Brier => 2.0,
            Kind::Linf | Kind::Log | Kind::Distance { .. } => 1.0,
        }
    }

    /// The loss whose scores estimate this metric.
    ///
    /// # Errors
    /// A side asked of a whole vector of more than two classes.
    pub(crate) fn loss(&self, classes: usize, log_floor: f64) -> Result<Box<dyn ProperLoss>> {
        let loss: Box<dyn ProperLoss> = match &self.kind {
            Kind::Lp(p) => Box::new(Lp::new(*p)),
            Kind::Linf => Box::new(Linf),
            Kind::Brier => Box::new(Brier),
            Kind::Log => Box::new(Log { floor: log_floor }),
            Kind::Distance { distance, .. } => Box::new(DistanceLoss(Arc::clone(distance))),
        };
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
        let pivot = if self.scope == Scope::Top { Pivot::Certainty } else { Pivot::Half };
        Ok(Box::new(Sided { side, pivot, inner: loss }))
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.scope {
            Scope::Canonical => "",
            Scope::Top => "top-",
            Scope::Classwise => "classwise-",
        })?;
        out.write_str(match self.side {
            None => "",
            Some(Side::Over) => "over-",
            Some(Side::Under) => "under-",
        })?;
        match &self.kind {
            Kind::Lp(p) => write!(out, "l{p}"),
            Kind::Linf => out.write_str("linf"),
            Kind::Brier => out.write_str("brier"),
            Kind::Log => out.write_str("log"),
            Kind::Distance { name, .. } => out.write_str(name),
        }
    }
}

impl FromStr for Metric {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut rest = text;
        let mut scope = Scope::Canonical;
        for (prefix, value) in [("top-", Scope::Top), ("classwise-", Scope::Classwise)] {
            if let Some(after) = rest.strip_prefix(prefix) {
                (scope, rest) = (value, after);
                break;
            }
        }
        let mut side = None;
        for (prefix, value) in [("over-", Side::Over), ("under-", Side::Under)] {
            if let Some(after) = rest.strip_prefix(prefix) {
                (side, rest) = (Some(value), after);
                break;
            }
        }
        let kind = match rest {
            "linf" => Kind::Linf,
            "brier" => Kind::Brier,
            "log" => Kind::Log,
            _ => Kind::Lp(parse_p(rest).ok_or_else(|| Error::Metric {
                text: text.to_owned(),
                reason: EXPECTED.to_owned(),
            })?),
        };
        Ok(Self { scope, side, kind })
    }
}

/// The p of `l<p>`: plain decimals only, so that `l1e3`, `l+2`, `lnan` are not metrics.
fn parse_p(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('l')?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if !plain || !digits.starts_with(|first: char| first.is_ascii_digit()) || digits.ends_with('.')
    {
        return None;
    }
    digits.parse().ok().filter(|p: &f64| p.is_finite() && *p >= 1.0)
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
