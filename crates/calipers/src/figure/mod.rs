//! Figures as data: what is to be seen, before anything is drawn.
//!
//! A [`Figure`] holds numbers, names and *roles*, never colours or pixels. Whoever draws it (SVG, a
//! page, matplotlib, a terminal) decides how a role looks, so that the drawings cannot disagree on
//! the numbers. Nothing here reads or writes anything.

mod classes;
mod comparison;
mod contribution;
mod curve;
mod examine;
mod histogram;
mod movement;
mod reliability;
mod segments;

use serde::Serialize;

pub use classes::{ClassRow, ClassTable};
pub use examine::{Examination, Figures};
pub use movement::{Moved, Movement};
pub use reliability::View;

pub(crate) use movement::Mover;

/// One figure: panels above each other that share a horizontal axis.
///
/// ```
/// use calipers::{Estimator, Role, View, simulate};
///
/// let predictions = simulate("binary-overconfident", 500, 0)?;
/// let figure = Estimator::new().reliability(&predictions, View::of(&predictions))?;
/// let truth = figure.layer(Role::Truth).unwrap();
/// assert!(truth.mark.points() > 100);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Figure {
    /// What it shows, in a few words.
    pub title: String,
    /// What a reader has to know to read it right, in sentences.
    pub caption: String,
    /// The horizontal axis of all panels.
    pub x: Axis,
    /// The panels, from the top.
    pub panels: Vec<Panel>,
}

/// One panel of a figure.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Panel {
    /// The vertical axis.
    pub y: Axis,
    /// How much of the figure's height it takes, relative to the other panels.
    pub share: f64,
    /// What is in it, from the back to the front.
    pub layers: Vec<Layer>,
}

/// An axis: what it says and where it ends.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Axis {
    /// What is on it.
    pub label: String,
    /// Its least number.
    pub from: f64,
    /// Its largest number.
    pub to: f64,
}

/// Numbers that are drawn in one way.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Layer {
    /// What it is called in a legend.
    pub name: String,
    /// What it stands for.
    pub role: Role,
    /// Which of several models, from 0; 0 where there is one.
    pub series: usize,
    /// Whether it is drawn only on request.
    pub optional: bool,
    /// Its shape and numbers.
    pub mark: Mark,
}

/// What a layer stands for; a renderer chooses the look by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// The recalibrator's g, an estimate of the truth.
    Truth,
    /// How sure g is.
    Band,
    /// Where a calibrated model would be.
    Identity,
    /// What over-confidence is responsible for.
    Over,
    /// What under-confidence is responsible for.
    Under,
    /// How many predictions there are.
    Density,
    /// Frequencies in bins.
    Bins,
}

/// The shape of a layer and its numbers.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
#[non_exhaustive]
pub enum Mark {
    /// A line through points.
    Line {
        /// Where, in ascending order.
        x: Vec<f64>,
        /// How high.
        y: Vec<f64>,
    },
    /// What lies between two lines.
    Area {
        /// Where, in ascending order.
        x: Vec<f64>,
        /// The lower line.
        low: Vec<f64>,
        /// The upper line.
        high: Vec<f64>,
    },
    /// Bars beside each other; one fewer than edges.
    Bars {
        /// Where bars begin and end, in ascending order.
        edges: Vec<f64>,
        /// Where each bar starts.
        base: Vec<f64>,
        /// Where each bar ends.
        top: Vec<f64>,
    },
    /// Points.
    Points {
        /// Where.
        x: Vec<f64>,
        /// How high.
        y: Vec<f64>,
        /// How much each stands for, at most 1.
        weight: Vec<f64>,
    },
}

impl Figure {
    /// The first layer of a role.
    pub fn layer(&self, role: Role) -> Option<&Layer> {
        self.panels.iter().flat_map(|panel| &panel.layers).find(|layer| layer.role == role)
    }

    /// The figure as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Mark {
    /// How many points, or bars, there are.
    pub fn points(&self) -> usize {
        match self {
            Self::Line { x, .. } | Self::Area { x, .. } | Self::Points { x, .. } => x.len(),
            Self::Bars { top, .. } => top.len(),
        }
    }
}

impl Axis {
    fn new(label: impl Into<String>, from: f64, to: f64) -> Self {
        Self { label: label.into(), from, to }
    }

    /// Probabilities.
    fn unit(label: impl Into<String>) -> Self {
        Self::new(label, 0.0, 1.0)
    }

    /// Just wide enough for numbers, and for 0.
    fn around(label: impl Into<String>, numbers: impl Iterator<Item = f64>) -> Self {
        let (mut from, mut to) = (0.0_f64, 0.0_f64);
        for number in numbers.filter(|number| number.is_finite()) {
            (from, to) = (from.min(number), to.max(number));
        }
        if to - from <= 0.0 {
            to = 1.0;
        }
        // A little air, but none below a foot that stands on 0.
        let air = 0.05 * (to - from);
        let from = if from < 0.0 { from - air } else { from };
        Self::new(label, from, if to > 0.0 { to + air } else { to })
    }
}

impl Panel {
    fn new(y: Axis, share: f64, layers: Vec<Layer>) -> Self {
        Self { y, share, layers }
    }
}

impl Layer {
    fn new(name: impl Into<String>, role: Role, mark: Mark) -> Self {
        Self { name: name.into(), role, series: 0, optional: false, mark }
    }

    fn of_series(self, series: usize) -> Self {
        Self { series, ..self }
    }
}

#[cfg(test)]
mod tests;
