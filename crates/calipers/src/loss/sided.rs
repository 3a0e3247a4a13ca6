use super::part::Side;
use super::{ProperLoss, Purpose};

/// Where over-confidence points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pivot {
    /// Two classes: an over-confident f is too far from 1/2.
    Half,
    /// The most probable class: an over-confident f is too high, wherever it lies.
    Certainty,
}

/// The over- or under-confident share of a two-class loss (paper, appendix on over- and
/// under-confidence).
///
/// The paper clips g at f when it lies on the other side; a g clipped to f scores 0, so the share
/// is the loss's own score on one side and 0 on the other, and the two shares add up to the whole.
/// At f = 1/2 every g lies away from 1/2: such a row is under-confident, where the paper leaves it
/// out and the shares would no longer add up.
pub(crate) struct Sided {
    pub side: Side,
    pub pivot: Pivot,
    pub inner: Box<dyn ProperLoss>,
}

impl Sided {
    fn side_of(&self, f: f64, g: f64) -> Side {
        let over = match self.pivot {
            Pivot::Certainty => g < f,
            Pivot::Half => (f > 0.5 && g < f) || (f < 0.5 && g > f),
        };
        if over { Side::Over } else { Side::Under }
    }
}

impl ProperLoss for Sided {
    fn score(&self, f: &[f64], g: &[f64], label: usize) -> f64 {
        if self.side_of(f[1], g[1]) == self.side { self.inner.score(f, g, label) } else { 0.0 }
    }

    fn hedge(&self) -> f64 {
        self.inner.hedge()
    }

    fn purpose(&self) -> Purpose {
        self.inner.purpose()
    }
}
