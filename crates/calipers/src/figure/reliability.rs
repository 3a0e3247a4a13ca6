//! The reliability diagram: g over f, without bins.

use super::curve::{Curve, MOST_ROWS};
use super::histogram::{Histogram, edges};
use super::{Axis, Figure, Layer, Mark, Panel, Role};
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::estimate::{Estimator, Problem};
use crate::loss::Scope;
use crate::recalibrate::Recalibrator;

/// How finely the density is shown.
const DENSITY_BINS: usize = 50;

/// The bins of the usual ECE.
const USUAL_BINS: usize = 15;

/// Parts that g nowhere leaves the identity by more than this in are not shown: where it crosses near
/// 1/2, such slivers come of drawing it by straight lines.
const INVISIBLE: f64 = 2e-3;

/// Which two-class problem a figure looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Is the most probable class the observed one?
    Top,
    /// Is it this class or not?
    Class(usize),
}

impl View {
    /// What one looks at first: class 1 of two, else the most probable class.
    pub fn of(predictions: &Predictions<'_>) -> Self {
        if predictions.classes() == 2 { Self::Class(1) } else { Self::Top }
    }

    /// The class of a name.
    ///
    /// # Errors
    /// A name that no class has.
    pub fn class(predictions: &Predictions<'_>, name: &str) -> Result<Self> {
        let place = predictions.class_names().iter().position(|own| own == name);
        place.map(Self::Class).ok_or_else(|| Error::Setting {
            name: "class",
            reason: format!("no class is named {name}"),
        })
    }

    pub(crate) fn problem<'a>(self, predictions: &'a Predictions<'_>) -> Problem<'a> {
        match self {
            Self::Top => Problem::new(predictions, Scope::Top, 0),
            Self::Class(1) if predictions.classes() == 2 => {
                Problem::new(predictions, Scope::Canonical, 0)
            }
            Self::Class(class) => Problem::new(predictions, Scope::Classwise, class),
        }
    }

    fn check(self, predictions: &Predictions<'_>) -> Result<()> {
        match self {
            Self::Class(class) if class >= predictions.classes() => Err(Error::Setting {
                name: "class",
                reason: format!("{class}: there are {} classes", predictions.classes()),
            }),
            _ => Ok(()),
        }
    }

    /// What is on the horizontal axis.
    pub(crate) fn of_f(self, predictions: &Predictions<'_>) -> String {
        match self {
            Self::Top => "probability of the most probable class".to_owned(),
            Self::Class(class) => {
                format!("predicted probability of {}", predictions.class_names()[class])
            }
        }
    }

    /// What is on the vertical axis.
    fn of_g(self, predictions: &Predictions<'_>) -> String {
        match self {
            Self::Top => "how often it is the right one".to_owned(),
            Self::Class(class) => format!("how often it is {}", predictions.class_names()[class]),
        }
    }

    /// Whether a g below (or above) f is over-confident at f.
    pub(crate) fn is_over(self, f: f64, g: f64) -> bool {
        match self {
            Self::Top => g < f,
            Self::Class(_) => (f > 0.5 && g < f) || (f < 0.5 && g > f),
        }
    }
}

impl Estimator {
    /// The reliability diagram of one view: g with a pointwise 95 % band over f, the identity, what is
    /// over- and under-confident, the density of f, and bins as an optional layer.
    ///
    /// g is the estimator's recalibrator, fitted to all rows. Cost: 21 fits, 20 of them on at most
    /// 50,000 rows.
    ///
    /// # Errors
    /// A class that there is not; otherwise as [`estimate`](Self::estimate).
    pub fn reliability(&self, predictions: &Predictions<'_>, view: View) -> Result<Figure> {
        view.check(predictions)?;
        self.pooled(|| diagram(self.learner(), self.own_seed(), predictions, view))
    }

    /// A quick version of [`reliability`](Self::reliability) for a first look: g, fitted once to at most
    /// 50,000 rows, and the density of f.
    ///
    /// # Errors
    /// As [`reliability`](Self::reliability).
    pub fn sketch(&self, predictions: &Predictions<'_>, view: View) -> Result<Figure> {
        view.check(predictions)?;
        self.pooled(|| {
            let problem = view.problem(predictions);
            let mut layers = vec![identity()];
            if let Some(Curve { x, g, .. }) =
                Curve::sketch(&problem, self.learner(), self.own_seed())?
            {
                layers.push(Layer::new("g", Role::Truth, Mark::Line { x, y: g }));
            }
            let main = Panel::new(Axis::unit(view.of_g(predictions)), 4.0, layers);
            Ok(Figure {
                title: "Reliability".to_owned(),
                caption: String::new(),
                x: Axis::unit(view.of_f(predictions)),
                panels: vec![main, density_panel(Histogram::of(&problem, DENSITY_BINS))],
            })
        })
    }
}

/// The diagram, on the threads that call.
pub(crate) fn diagram(
    recalibrator: &dyn Recalibrator,
    seed: u64,
    predictions: &Predictions<'_>,
    view: View,
) -> Result<Figure> {
    view.check(predictions)?;
    let problem = view.problem(predictions);
    let curve = Curve::fit(&problem, recalibrator, seed)?;
    let density = Histogram::of(&problem, DENSITY_BINS);
    let usual = Histogram::of(&problem, USUAL_BINS);
    let mut layers = Vec::new();
    let mut caption = format!(
        "The curve is g, fitted by {} to all rows: how often the prediction came true, as far as the \
         predictions tell. ",
        recalibrator.name(),
    );
    if let Some(curve) = curve {
        caption.push_str(&band_words(&curve, problem.rows()));
        layers.extend(areas(&curve, view));
        layers.push(identity());
        let Curve { x, g, band, .. } = curve;
        if let Some((low, high)) = band {
            let mark = Mark::Area { x: x.clone(), low, high };
            layers.push(Layer::new("95 % band", Role::Band, mark));
        }
        layers.push(Layer::new("g, the estimated truth", Role::Truth, Mark::Line { x, y: g }));
    } else {
        layers.push(identity());
    }
    layers.push(bins(&usual));
    let main = Panel::new(Axis::unit(view.of_g(predictions)), 4.0, layers);
    Ok(Figure {
        title: "Reliability".to_owned(),
        caption,
        x: Axis::unit(view.of_f(predictions)),
        panels: vec![main, density_panel(density)],
    })
}

fn band_words(curve: &Curve, rows: usize) -> String {
    if curve.band.is_none() {
        return "There are too few rows for a band.".to_owned();
    }
    let mut words =
        "The band says how sure it is at each point (95 %, by leaving out a twentieth of the rows at a \
         time)."
            .to_owned();
    if rows > MOST_ROWS {
        words.push_str(&format!(
            " The band's fits use {} of the rows, and its width is scaled to all of them.",
            curve.band_rows
        ));
    }
    words
}

pub(crate) fn identity() -> Layer {
    let ends = || vec![0.0, 1.0];
    Layer::new("calibrated", Role::Identity, Mark::Line { x: ends(), y: ends() })
}

pub(crate) fn density_layer(density: Histogram) -> Layer {
    let bins = density.share.len();
    let mark = Mark::Bars { edges: edges(bins), base: vec![0.0; bins], top: density.share };
    Layer::new("share of the rows", Role::Density, mark)
}

fn density_panel(density: Histogram) -> Panel {
    let axis = Axis::around("share", density.share.iter().copied());
    Panel::new(axis, 1.0, vec![density_layer(density)])
}

/// Mean prediction and frequency in each bin that has rows.
fn bins(usual: &Histogram) -> Layer {
    let full = || (0..usual.share.len()).filter(|&bin| usual.share[bin] > 0.0);
    let largest = usual.share.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let mark = Mark::Points {
        x: full().map(|bin| usual.f[bin] / usual.share[bin]).collect(),
        y: full().map(|bin| usual.y[bin] / usual.share[bin]).collect(),
        weight: full().map(|bin| usual.share[bin] / largest).collect(),
    };
    let name = format!("{USUAL_BINS} bins");
    Layer { optional: true, ..Layer::new(name, Role::Bins, mark) }
}

/// What lies between g and the identity, cut where it changes sides.
fn areas(curve: &Curve, view: View) -> Vec<Layer> {
    let mut points: Vec<(f64, f64)> = Vec::with_capacity(curve.x.len());
    for (&f, &g) in curve.x.iter().zip(&curve.g) {
        if let Some(&(before, low)) = points.last() {
            let (one, other) = (low - before, g - f);
            // Where the curve crosses the identity, and at 1/2, the side may change.
            let mut cuts = Vec::new();
            if one * other < 0.0 {
                let way = one / (one - other);
                cuts.push((before + way * (f - before), before + way * (f - before)));
            }
            if matches!(view, View::Class(_)) && before < 0.5 && f > 0.5 {
                let way = (0.5 - before) / (f - before);
                cuts.push((0.5, low + way * (g - low)));
            }
            cuts.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            points.extend(cuts);
        }
        points.push((f, g));
    }
    let over = |a: (f64, f64), b: (f64, f64)| view.is_over(0.5 * (a.0 + b.0), 0.5 * (a.1 + b.1));
    let mut layers: Vec<Layer> = Vec::new();
    let mut from = 0;
    for at in 1..points.len() {
        let side = over(points[at - 1], points[at]);
        let ends = at + 1 == points.len() || over(points[at], points[at + 1]) != side;
        if !ends {
            continue;
        }
        let part = &points[std::mem::replace(&mut from, at)..=at];
        if part.iter().all(|&(f, g)| (f - g).abs() < INVISIBLE) {
            continue;
        }
        let mark = Mark::Area {
            x: part.iter().map(|&(f, _)| f).collect(),
            low: part.iter().map(|&(f, g)| f.min(g)).collect(),
            high: part.iter().map(|&(f, g)| f.max(g)).collect(),
        };
        let (name, role) =
            if side { ("over-confident", Role::Over) } else { ("under-confident", Role::Under) };
        layers.push(Layer::new(name, role, mark));
    }
    layers
}
