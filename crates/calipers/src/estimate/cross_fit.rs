//! Cross-fitting: each fold's predictions by a g that was fitted without it.

use std::slice::ChunksExact;
use std::sync::Mutex;

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::problem::Problem;
use super::scorer::{Scored, Scorer};
use crate::data::{FeatureRows, Sample};
use crate::error::{Error, Result};
use crate::loss::Purpose;
use crate::numeric::random::derive_seed;
use crate::recalibrate::{Fitted, Recalibrator};
use crate::run::{Clock, room};

/// What to fit, to what.
pub(crate) struct CrossFit<'a, 'p> {
    pub problem: &'a Problem<'p>,
    pub recalibrator: &'a dyn Recalibrator,
    pub seed: u64,
    pub clock: &'a Clock<'a>,
}

/// What is asked of g.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub purpose: Purpose,
    /// The metric that it is for; none where the predictions themselves are wanted.
    pub scorer: Option<&'a Scorer>,
}

/// What was found of a fold's rows, in ascending order of the rows: the scores of metrics, or the
/// recalibrated predictions.
pub(crate) struct HeldOut {
    /// Whether the fit met its tolerance.
    pub converged: bool,
    /// What kept the cost of the fit bounded.
    pub approximations: Vec<String>,
    /// What g says; none if there was nothing to learn from, and g = f.
    learnt: Option<Learnt>,
    /// g itself, where it sees features: who looks on may ask it more.
    pub fitted: Option<Box<dyn Fitted>>,
}

/// What g says of a fold's rows.
struct Learnt {
    /// One set of predictions for each purpose that g distinguishes.
    predictions: Vec<Array2<f64>>,
    /// Which set serves each of what was asked for.
    serving: Vec<usize>,
    /// For each of what was asked for, the rows' scores, unless the predictions are kept in their place.
    scored: Vec<Option<Vec<Scored>>>,
}

impl Drop for Learnt {
    fn drop(&mut self) {
        let tables = std::mem::take(&mut self.predictions).into_iter();
        tables.for_each(|table| room::give_back(table.into_raw_vec_and_offset().0));
    }
}

impl HeldOut {
    /// The scores of the n-th metric asked for; none if g = f, or if its predictions are kept.
    pub fn scored(&self, number: usize) -> Option<&[Scored]> {
        self.learnt.as_ref()?.scored.get(number)?.as_deref()
    }

    /// g for the n-th purpose asked for, row after row; none if g = f, or if it was scored.
    pub fn predictions(&self, number: usize) -> Option<&[f64]> {
        let learnt = self.learnt.as_ref()?;
        learnt.predictions.get(*learnt.serving.get(number)?)?.as_slice()
    }

    /// g for the n-th purpose, a row at a time; no row at all if g = f.
    pub fn rows(&self, number: usize, classes: usize) -> ChunksExact<'_, f64> {
        self.predictions(number).unwrap_or_default().chunks_exact(classes)
    }
}

/// Copies of rows that a fold needs while it is fitted; handed on from fold to fold, because the
/// system takes longer to find new memory than to fill old.
struct Scratch {
    sample: Sample,
    f: Vec<f64>,
}

impl CrossFit<'_, '_> {
    /// Fits and predicts every fold, in parallel; the folds come back in their order.
    pub fn run(&self, folds: &[u32], count: usize, wanted: &[Wanted<'_>]) -> Result<Vec<HeldOut>> {
        let arranged = &self.problem.arrange(folds);
        let spare: Mutex<Vec<Scratch>> = Mutex::new(Vec::new());
        (0..count as u32)
            .into_par_iter()
            .map(|fold| {
                self.clock.check()?;
                let used = spare.lock().ok().and_then(|mut spare| spare.pop());
                let mut scratch =
                    used.unwrap_or_else(|| Scratch { sample: Sample::empty(), f: Vec::new() });
                let held_out = self.fold(folds, arranged, Some(fold), wanted, &mut scratch)?;
                if let Ok(mut spare) = spare.lock() {
                    spare.push(scratch);
                }
                self.clock.tick()?;
                Ok(held_out)
            })
            .collect()
    }

    /// Fits to all rows and predicts the same rows.
    pub fn in_sample(&self, wanted: &[Wanted<'_>]) -> Result<HeldOut> {
        let mut scratch = Scratch { sample: Sample::empty(), f: Vec::new() };
        let found = self.fold(&vec![0; self.problem.rows()], &[], None, wanted, &mut scratch)?;
        self.clock.tick()?;
        Ok(found)
    }

    /// Fits to the rows outside a fold and predicts those inside; without a fold, to all and all.
    fn fold(
        &self,
        folds: &[u32],
        arranged: &[u32],
        fold: Option<u32>,
        wanted: &[Wanted<'_>],
        Scratch { sample, f }: &mut Scratch,
    ) -> Result<HeldOut> {
        if !self.problem.training(arranged, fold, sample) {
            // Every training row has weight 0: there is nothing to learn, and g stays at f.
            return Ok(HeldOut {
                converged: true,
                approximations: Vec::new(),
                learnt: None,
                fitted: None,
            });
        }
        let place = fold.map_or(u64::MAX, u64::from);
        let fitted = self.recalibrator.fit(sample, derive_seed(self.seed, &[place]))?;
        self.clock.check()?;
        let is_own = |row: &usize| fold.is_none_or(|fold| folds[*row] == fold);
        let rows: Vec<usize> = (0..folds.len()).filter(is_own).collect();
        let shape = (rows.len(), self.problem.classes());
        if f.capacity() < shape.0 * shape.1 {
            room::give_back(std::mem::replace(f, room::empty(shape.0 * shape.1)));
        }
        f.clear();
        let mut buffer = vec![0.0; shape.1];
        rows.iter().for_each(|&row| f.extend_from_slice(self.problem.prediction(row, &mut buffer)));
        let f = ArrayView2::from_shape(shape, f)
            .map_err(|error| Error::External { reason: error.to_string() })?;
        let features = self.problem.features_of(&rows);
        let mut served: Vec<Purpose> = Vec::new();
        let mut serving = Vec::with_capacity(wanted.len());
        for Wanted { purpose, .. } in wanted {
            let purpose = fitted.serves(*purpose);
            let known = served.iter().position(|already| *already == purpose);
            serving.push(known.unwrap_or(served.len()));
            if known.is_none() {
                served.push(purpose);
            }
        }
        let mut predictions =
            predicted(&self.recalibrator.name(), fitted.as_ref(), f, features.as_ref(), &served)?;
        let mut labels = None;
        let mut score = |(wanted, &place): (&Wanted<'_>, &usize)| {
            let scorer = wanted.scorer.filter(|scorer| scorer.scores_at_once(shape.1))?;
            let label = |&row: &usize| self.problem.label(row) as u32;
            let labels: &Vec<u32> = labels.get_or_insert_with(|| rows.iter().map(label).collect());
            Some(scorer.blocks(f, predictions[place].view(), labels))
        };
        let scored: Vec<Option<Vec<Scored>>> =
            wanted.iter().zip(&serving).map(&mut score).collect();
        // What nobody reads any more makes room for the next fold.
        for (place, table) in predictions.iter_mut().enumerate() {
            let needed = serving.iter().zip(&scored).any(|(&at, one)| at == place && one.is_none());
            if !needed {
                room::give_back(std::mem::take(table).into_raw_vec_and_offset().0);
            }
        }
        let learnt = Some(Learnt { predictions, serving, scored });
        let (converged, approximations) = (fitted.converged(), fitted.approximations());
        let fitted = features.is_some().then_some(fitted);
        Ok(HeldOut { converged, approximations, learnt, fitted })
    }
}

/// What a g says for each purpose, row after row in memory. One from outside may lay its arrays out as
/// it likes, which is mended; arrays of another shape are refused, since nobody knows whose rows they
/// hold.
pub(crate) fn predicted(
    recalibrator: &str,
    fitted: &dyn Fitted,
    f: ArrayView2<'_, f64>,
    features: Option<&FeatureRows>,
    purposes: &[Purpose],
) -> Result<Vec<Array2<f64>>> {
    let refused = |found: String| Error::External {
        reason: format!("recalibrator {recalibrator}: predict_each gave {found}"),
    };
    let all = match features {
        Some(features) => fitted.predict_given(f, features, purposes)?,
        None => fitted.predict_each(f, purposes)?,
    };
    if all.len() != purposes.len() {
        return Err(refused(format!("{} arrays, not {}", all.len(), purposes.len())));
    }
    let in_rows = |g: Array2<f64>| {
        if g.dim() != f.dim() {
            let ((rows, columns), (asked, classes)) = (g.dim(), f.dim());
            return Err(refused(format!(
                "an array of {rows} x {columns} for predictions of {asked} x {classes}"
            )));
        }
        Ok(if g.is_standard_layout() { g } else { g.as_standard_layout().into_owned() })
    };
    all.into_iter().map(in_rows).collect()
}

#[cfg(test)]
mod tests {
    use ndarray::{ArrayViewMut2, Axis, ShapeBuilder};

    use super::*;
    use crate::data::Predictions;
    use crate::loss::Scope;
    use crate::run::Stop;

    /// g = f for norms; for all else the number of training rows in every cell.
    struct TwoFaced;

    struct Learnt(usize);

    impl Recalibrator for TwoFaced {
        fn name(&self) -> String {
            "two-faced".to_owned()
        }

        fn fit(&self, sample: &Sample, _: u64) -> Result<Box<dyn Fitted>> {
            Ok(Box::new(Learnt(sample.rows())))
        }
    }

    impl Fitted for Learnt {
        fn serves(&self, purpose: Purpose) -> Purpose {
            if purpose == Purpose::Log { Purpose::Squared } else { purpose }
        }

        fn predict_into(
            &self,
            f: ArrayView2<'_, f64>,
            purpose: Purpose,
            mut g: ArrayViewMut2<'_, f64>,
        ) -> Result<()> {
            match purpose {
                Purpose::Direction => g.assign(&f),
                _ => g.fill(self.0 as f64),
            }
            Ok(())
        }
    }

    /// The predictions themselves.
    fn plain(purpose: Purpose) -> Wanted<'static> {
        Wanted { purpose, scorer: None }
    }

    /// How a g from outside hands over what it predicts.
    #[derive(Debug, Clone, Copy)]
    enum Handing {
        /// Column after column in memory.
        ByColumns,
        /// A row less than was asked for.
        Short,
        /// A column more.
        Wide,
        /// One array, whatever was asked for, and one more.
        OneMore,
    }

    impl Recalibrator for Handing {
        fn name(&self) -> String {
            "from outside".to_owned()
        }

        fn fit(&self, _: &Sample, _: u64) -> Result<Box<dyn Fitted>> {
            Ok(Box::new(*self))
        }
    }

    /// Every row is turned around.
    impl Fitted for Handing {
        fn predict_into(
            &self,
            mut f: ArrayView2<'_, f64>,
            _: Purpose,
            mut g: ArrayViewMut2<'_, f64>,
        ) -> Result<()> {
            f.invert_axis(Axis(1));
            g.assign(&f);
            Ok(())
        }

        fn predict_each(&self, f: ArrayView2<'_, f64>, _: &[Purpose]) -> Result<Vec<Array2<f64>>> {
            let (rows, classes) = f.dim();
            let mut g = Array2::zeros((rows, classes).f());
            self.predict_into(f, Purpose::Squared, g.view_mut())?;
            Ok(match self {
                Self::ByColumns => vec![g],
                Self::Short => vec![Array2::zeros((rows - 1, classes))],
                Self::Wide => vec![Array2::zeros((rows, classes + 1))],
                Self::OneMore => vec![g.clone(), g],
            })
        }
    }

    /// What is handed over in another layout is used, and what does not fit is refused: it is never
    /// taken for g = f.
    #[test]
    fn what_a_recalibrator_from_outside_hands_over_is_used_or_refused() {
        let predictions = Predictions::binary(&[0.875, 0.125, 0.5, 0.25], &[0, 1, 0, 1]).unwrap();
        let run = |handing: Handing| {
            let problem = &Problem::new(&predictions, Scope::Canonical, 0);
            let stop = Stop::new();
            let clock = &Clock::new(2, None, &stop);
            CrossFit { problem, recalibrator: &handing, seed: 0, clock }.run(
                &[0, 0, 1, 1],
                2,
                &[plain(Purpose::Squared)],
            )
        };
        let found = run(Handing::ByColumns).unwrap();
        assert_eq!(found[0].predictions(0).unwrap(), [0.875, 0.125, 0.125, 0.875]);
        for (handing, reason) in [
            (Handing::Short, "an array of 1 x 2 for predictions of 2 x 2"),
            (Handing::Wide, "an array of 2 x 3 for predictions of 2 x 2"),
            (Handing::OneMore, "2 arrays, not 1"),
        ] {
            let error = run(handing).err().unwrap();
            assert!(matches!(error, Error::External { .. }), "{error}");
            assert!(error.to_string().contains("recalibrator from outside: predict_each gave"));
            assert!(error.to_string().ends_with(reason), "{error}");
        }
    }

    fn cross_fit<R>(
        predictions: &Predictions<'_>,
        work: impl FnOnce(CrossFit<'_, '_>) -> Result<R>,
    ) -> Result<R> {
        let problem = &Problem::new(predictions, Scope::Canonical, 0);
        let stop = Stop::new();
        let clock = &Clock::new(2, None, &stop);
        work(CrossFit { problem, recalibrator: &TwoFaced, seed: 0, clock })
    }

    #[test]
    fn every_purpose_is_given_the_predictions_that_serve_it_for_the_rows_of_its_fold() {
        let predictions =
            Predictions::binary(&[0.875, 0.125, 0.5, 0.25, 0.75], &[0, 1, 0, 1, 1]).unwrap();
        let purposes =
            [Purpose::Direction, Purpose::Squared, Purpose::Direction, Purpose::Log].map(plain);
        let folds = [1, 0, 1, 1, 0];
        let found = cross_fit(&predictions, |fits| fits.run(&folds, 2, &purposes)).unwrap();
        // Rows 1 and 4, and rows 0, 2 and 3, in their order, though training rows are sorted.
        let f: [&[f64]; 2] = [&[0.875, 0.125, 0.25, 0.75], &[0.125, 0.875, 0.5, 0.5, 0.75, 0.25]];
        assert_eq!(found.len(), 2);
        for (fold, held_out) in found.iter().enumerate() {
            assert_eq!(held_out.predictions(0), Some(f[fold]));
            assert_eq!(held_out.predictions(2), Some(f[fold]));
            // The training rows are those of the other fold.
            let rows = f[1 - fold].len() as f64 / 2.0;
            assert_eq!(held_out.predictions(1).unwrap(), vec![rows; f[fold].len()]);
            assert_eq!(held_out.predictions(3), held_out.predictions(1));
            let learnt = held_out.learnt.as_ref().unwrap();
            assert_eq!(learnt.predictions.len(), 2, "each is computed once");
        }
        let all =
            cross_fit(&predictions, |fits| fits.in_sample(&[plain(Purpose::Squared)])).unwrap();
        assert_eq!(all.predictions(0).unwrap(), [5.0; 10]);
    }

    #[test]
    fn where_no_training_row_has_weight_there_are_no_predictions() {
        let predictions = Predictions::binary(&[0.25, 0.5, 0.75], &[0, 1, 1]).unwrap();
        let predictions = predictions.with_weights(vec![1.0, 0.0, 0.0]).unwrap();
        let found =
            cross_fit(&predictions, |fits| fits.run(&[0, 1, 1], 2, &[plain(Purpose::Squared)]))
                .unwrap();
        assert_eq!(found[0].predictions(0), None);
        assert_eq!(found[1].predictions(0).unwrap().len(), 4);
        assert!(found.iter().all(|held_out| held_out.converged));
    }
}
