//! Everything that a page shows, in one run.

use std::cell::RefCell;

use super::classes::ClassTable;
use super::comparison::overlay;
use super::contribution::contribution;
use super::reliability::diagram;
use super::segments::segments;
use super::{Figure, Mover, View};
use crate::data::Predictions;
use crate::error::Result;
use crate::estimate::{Difference, Estimator, Report};

/// One model, or several on the same labels, measured and made into figures.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Examination {
    /// The models' names, in the order in which they were given.
    pub models: Vec<String>,
    /// Their reports. l1 and its over- and under-confident shares (of many classes: those of the most
    /// probable one) are among the metrics, asked for or not.
    pub reports: Vec<Report>,
    /// Their figures.
    pub figures: Vec<Figures>,
    /// The differences of every two models.
    pub differences: Vec<Difference>,
    /// The models' diagrams over each other, where there are several.
    pub overlay: Option<Figure>,
}

/// The figures of one model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Figures {
    /// g over f: of class 1 of two, or of the most probable class of many.
    pub reliability: Figure,
    /// Where the l1 error comes from along f.
    pub contribution: Option<Figure>,
    /// Class by class, where there are more than two.
    pub classes: Option<ClassTable>,
    /// The segments that the report shows, in its order, each beside all other rows.
    pub segments: Vec<Figure>,
}

impl Estimator {
    /// Estimates one model or several, as [`estimate`](Self::estimate) and
    /// [`compare`](Self::compare) do, and makes figures of what they find.
    ///
    /// Cost beyond the estimates: 21 fits for the diagram, 20 of them on at most 50,000 rows; of more
    /// than two classes, five fits a class on at most 20 million rows × classes, and six diagrams; of each
    /// segment that features show, at most eight, 42 fits on at most 20,000 rows.
    ///
    /// ```
    /// use calipers::{Estimator, simulate};
    ///
    /// let predictions = simulate("binary-overconfident", 500, 0)?;
    /// let seen = Estimator::new().examine(&[("a model", &predictions)])?;
    /// assert!(seen.reports[0].get("over-l1").unwrap().value > 0.0);
    /// assert_eq!(seen.figures[0].reliability.panels.len(), 2);
    /// # Ok::<(), calipers::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`estimate`](Self::estimate) and [`compare`](Self::compare).
    pub fn examine(&self, models: &[(&str, &Predictions<'_>)]) -> Result<Examination> {
        self.pooled(|| self.examine_here(models))
    }

    /// Does so on the threads that call.
    fn examine_here(&self, models: &[(&str, &Predictions<'_>)]) -> Result<Examination> {
        let figures: RefCell<Vec<Figures>> = RefCell::new(Vec::new());
        let names: Vec<String> = models.iter().map(|(name, _)| (*name).to_owned()).collect();
        let (reports, differences) = match models {
            [(_, predictions)] => {
                let (asked, mut mover) = self.asked(predictions)?;
                let report = asked.estimate_observed(predictions, &mut mover)?;
                figures.borrow_mut().push(self.figures(predictions, &report, mover)?);
                (vec![report], Vec::new())
            }
            _ => {
                let found = self.compare_by(models, |predictions| {
                    let (asked, mut mover) = self.asked(predictions)?;
                    let (report, kept) = asked.estimate_kept(predictions, &mut mover)?;
                    figures.borrow_mut().push(self.figures(predictions, &report, mover)?);
                    Ok((report, kept))
                })?;
                (found.reports, found.differences)
            }
        };
        let figures = figures.into_inner();
        let overlay = (models.len() > 1)
            .then(|| {
                overlay(&names, &figures.iter().map(|own| &own.reliability).collect::<Vec<_>>())
            })
            .flatten();
        Ok(Examination { models: names, reports, figures, differences, overlay })
    }

    /// With what figures need beside the metrics asked for.
    fn asked(&self, predictions: &Predictions<'_>) -> Result<(Self, Mover)> {
        let classes = predictions.classes();
        let asked = self.with_metrics(classes, View::of(predictions).metrics()?)?;
        Ok((asked, Mover::new(if classes > 2 { classes } else { 0 })))
    }

    fn figures(
        &self,
        predictions: &Predictions<'_>,
        report: &Report,
        mover: Mover,
    ) -> Result<Figures> {
        let view = View::of(predictions);
        let reliability = diagram(self.learner(), self.own_seed(), predictions, view)?;
        let contribution = contribution(predictions, view, report);
        let classes = (predictions.classes() > 2)
            .then(|| ClassTable::new(self, predictions, mover.finish()))
            .transpose()?;
        let segments = segments(self, predictions, report)?;
        Ok(Figures { reliability, contribution, classes, segments })
    }
}
