//! One estimate from its plan to its report: the paper's Algorithm 1.
//!
//! Three steps: [`plan`](Driver::plan) what is to be fitted, [`cross_fit`](Driver::cross_fit) every
//! problem of every scope and score what was held out, and [`report`](Driver::report) the means.

use std::sync::Arc;

use rayon::prelude::*;

use super::best::{Estimated, Guessing, Parts};
use super::bound::Together;
use super::cross_fit::{CrossFit, HeldOut, Wanted};
use super::decompose::decompose;
use super::estimator::Estimator;
use super::observer::Observer;
use super::problem::{Problem, Problems};
use super::report::{Estimate, Report};
use super::score_test::{PValues, Tested};
use super::track::{Findings, Track};
use super::upper::{Assumption, Upper, upper};
use crate::data::{Clusters, Features, Predictions};
use crate::error::Result;
use crate::loss::{Metric, Purpose, Scope};
use crate::numeric::random::derive_seed;
use crate::run::{Clock, Stop};

/// The place of guesses among everything that is seeded.
const GUESSES: u64 = 1 << 41;

/// Where the lower bound of this confidence is above 0, so is the interval of a guess.
const SHOWN: f64 = 0.95;

/// An estimate under way.
pub(super) struct Driver<'a, 'd> {
    asked: &'a Estimator,
    predictions: &'a Predictions<'d>,
    together: Option<Together<'a>>,
    metrics: Vec<Metric>,
    scopes: Vec<Problems<'a, 'd>>,
    clock: Clock<'a>,
    /// The scores of held-out rows, one track a metric.
    held_out: Vec<Track>,
    /// The scores of the very rows that g was fitted to, if they are asked for.
    in_sample: Option<Vec<Track>>,
    /// What a guess of each metric is made of, if one is asked for.
    parts: Option<Vec<Parts>>,
    p_values: PValues<'a>,
    unconverged: usize,
    approximations: Vec<String>,
}

impl<'a, 'd> Driver<'a, 'd> {
    /// Says what is to be fitted, to the predictions and to features beside them if there are any; nothing is
    /// yet.
    pub fn plan(
        asked: &'a Estimator,
        predictions: &'a Predictions<'d>,
        features: Option<&'a Arc<Features>>,
        stop: &'a Stop,
    ) -> Result<Self> {
        let metrics = asked.metrics_or_default(predictions.classes())?;
        let tracks = || -> Result<Vec<Track>> {
            let track = |metric| Track::new(metric, predictions, asked.binary, asked.floor());
            metrics.iter().map(track).collect()
        };
        let guesses = asked.guesses(predictions);
        let all = asked.bracket || guesses;
        let (held_out, in_sample) = (tracks()?, all.then(tracks).transpose()?);
        let parts = guesses.then(|| vec![Parts::default(); metrics.len()]);
        let mut scopes: Vec<Problems<'_, '_>> = Vec::new();
        for metric in &metrics {
            if scopes.iter().all(|known| known.scope() != metric.scope()) {
                let problems = Problems::new(predictions, metric.scope(), asked.repeats > 1);
                scopes.push(problems.given(features));
            }
        }
        let problems: usize = scopes.iter().map(Problems::count).sum();
        let fits = problems * (asked.repeats * asked.folds.count() + usize::from(all));
        let clock = Clock::new(fits, asked.watcher(), stop);
        let together = Together::of(predictions);
        let p_values =
            PValues::new(asked.test, asked.learner(), asked.draws, asked.own_seed(), together);
        let (unconverged, approximations) = (0, Vec::new());
        Ok(Self {
            asked,
            predictions,
            together,
            metrics,
            scopes,
            clock,
            held_out,
            in_sample,
            parts,
            p_values,
            unconverged,
            approximations,
        })
    }

    /// Fits g without each fold in turn and scores the fold, in every repeat, scope and problem.
    pub fn cross_fit(&mut self, observer: &mut dyn Observer) -> Result<()> {
        let (rows, seed) = (self.predictions.rows(), self.asked.own_seed());
        for repeat in 0..self.asked.repeats {
            let clusters = self.predictions.clusters();
            let folds = self.asked.folds.assign(rows, clusters, seed, repeat);
            for place in 0..self.scopes.len() {
                for number in 0..self.scopes[place].count() {
                    let problem = self.scopes[place].problem(number);
                    self.one_problem(&problem, place, number, repeat, &folds, observer)?;
                }
                let scope = self.scopes[place].scope();
                let weights = self.predictions.weights();
                let ended = of_scope(&mut self.held_out, scope).into_par_iter();
                let together = self.together.as_ref();
                ended.for_each(|track| track.end_repeat(weights, together));
            }
        }
        Ok(())
    }

    /// Fits and scores one problem of a scope in one repeat.
    fn one_problem(
        &mut self,
        problem: &Problem<'_>,
        place: usize,
        number: usize,
        repeat: usize,
        folds: &[u32],
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let (scope, count) = (self.scopes[place].scope(), self.scopes[place].count());
        let fits = CrossFit {
            problem,
            recalibrator: self.asked.learner(),
            seed: derive_seed(self.asked.own_seed(), &[repeat as u64, number as u64]),
            clock: &self.clock,
        };
        let tracks = self.held_out.iter().filter(|track| track.scope() == scope);
        let mut wanted: Vec<Wanted<'_>> = tracks.map(Track::wanted).collect();
        let metrics = wanted.len();
        let shown = observer.wants(scope);
        wanted.extend(shown.map(|purpose| Wanted { purpose, scorer: None }));
        let run = || fits.run(folds, self.asked.folds.count(), &wanted);
        let p_values = &mut self.p_values;
        // The p-value of many classes takes about as long as the fits, and fills the time in which a thread
        // has no fold left; that of two is shared by all threads in a moment.
        let (seen, held_out) = match problem.classes() {
            2 => (p_values.see(scope, problem), run()),
            _ => rayon::join(|| p_values.see(scope, problem), run),
        };
        seen?;
        let held_out = held_out?;
        let bracket = self.in_sample.is_some() && repeat == 0;
        // Whoever guesses wants g as it is used, too.
        let mut whole = wanted[..metrics].to_vec();
        if self.parts.is_some() {
            whole.push(Wanted { purpose: Purpose::Use, scorer: None });
        }
        let in_sample = bracket.then(|| fits.in_sample(&whole)).transpose()?;
        if let (Some(parts), Some(fitted)) = (&mut self.parts, &in_sample) {
            let own: Vec<usize> =
                (0..self.held_out.len()).filter(|&at| self.held_out[at].scope() == scope).collect();
            let guessing = Guessing {
                problem,
                folds,
                count: self.asked.folds.count(),
                scorers: own.iter().map(|&at| self.held_out[at].scorer()).collect(),
                seed: derive_seed(self.asked.own_seed(), &[GUESSES, number as u64]),
            };
            let found = guessing.parts(fitted.predictions(metrics).unwrap_or_default())?;
            own.iter()
                .zip(&found)
                .for_each(|(&at, found)| parts[at].add(found, 1.0 / count as f64));
        }
        note(&held_out, &mut self.unconverged, &mut self.approximations);
        let (share, part) = (1.0 / count as f64, 1.0 / self.asked.repeats as f64);
        let found = Findings { problem, scope, folds, held_out: &held_out, share, repeat: part };
        if shown.is_some() {
            observer.observe(&found, metrics);
        }
        add(of_scope(&mut self.held_out, scope), &found);
        if let Some((tracks, fitted)) = self.in_sample.as_mut().zip(in_sample) {
            let (folds, fitted) = (vec![0; problem.rows()], [fitted]);
            self.unconverged += usize::from(!fitted[0].converged);
            let found = Findings { folds: &folds, held_out: &fitted, repeat: 1.0, ..found };
            add(of_scope(tracks, scope), &found);
        }
        Ok(())
    }

    /// Takes the means of the scores, and says how sure they are.
    pub fn report(mut self) -> Result<Report> {
        let (asked, predictions) = (self.asked, self.predictions);
        let weights = predictions.weights();
        let inflation = asked.inflation(predictions);
        let tested: Vec<Option<Tested>> = self
            .metrics
            .iter()
            .map(|metric| self.p_values.of(metric.scope(), predictions))
            .collect::<Result<_>>()?;
        let (in_sample, parts) = (self.in_sample.as_ref(), self.parts);
        let tracks = self.held_out.into_par_iter().zip(&self.metrics).zip(tested).enumerate();
        let assumed = |track: &Track| match asked.assumption {
            None => Upper::Silent,
            Some(Assumption::Monotone) => upper(predictions, track.scorer(), asked.confidence),
        };
        let estimates: Vec<(Estimate, Upper)> = tracks
            .map(|(number, ((track, metric), tested))| {
                let (factor, upper) = (track.factor(), assumed(&track));
                let mut estimate = track.finish(weights, &inflation, asked.confidence);
                (estimate.p_value, estimate.draws) =
                    (tested.map(|tested| tested.p_value), tested.map(|tested| tested.draws));
                let above = in_sample.map(|tracks| tracks[number].value(weights));
                if let (Some(parts), Some(in_sample)) = (parts.as_ref(), above) {
                    let guess = parts[number].guess(&Estimated {
                        value: estimate.value,
                        stderr: estimate.stderr,
                        shown: estimate.bounded.lower(&inflation, SHOWN) > 0.0,
                        in_sample,
                        rows: predictions.rows(),
                        classes: if metric.scope() == Scope::Canonical {
                            predictions.classes()
                        } else {
                            2
                        },
                    });
                    estimate.best = guess.map(|guess| guess.value);
                    estimate.interval = guess.map(|guess| guess.interval);
                }
                estimate.in_sample = above.filter(|_| asked.bracket);
                estimate.decomposition =
                    decompose(metric, predictions, factor, asked.floor(), estimate.value);
                // What is shown without the assumption counts against it, too.
                let upper = match upper {
                    Upper::At(bound) if bound < estimate.lower => Upper::Contradicted,
                    other => other,
                };
                (estimate, upper)
            })
            .collect();
        let against = |scope: Scope| {
            let mut own = estimates.iter().filter(|(one, _)| one.scope == scope);
            own.any(|(_, upper)| *upper == Upper::Contradicted)
        };
        let contradicted: Vec<bool> = estimates.iter().map(|(one, _)| against(one.scope)).collect();
        let estimates =
            estimates.into_iter().zip(&contradicted).map(|((mut one, upper), &against)| {
                one.upper = match upper {
                    Upper::At(bound) if !against => Some(bound),
                    _ => None,
                };
                one
            });
        Ok(Report {
            rows: predictions.rows(),
            sample: None,
            clusters: predictions.clusters().map(Clusters::count),
            classes: predictions.class_names().to_vec(),
            origin: predictions.origin().cloned(),
            recalibrator: asked.learner().name(),
            folds: asked.folds.count(),
            repeats: asked.repeats,
            seed: asked.own_seed(),
            confidence: asked.confidence,
            constant: predictions.constant().is_some(),
            renormalised_rows: predictions.renormalised_rows(),
            fits: self.clock.total(),
            unconverged_fits: self.unconverged,
            approximations: self.approximations,
            assumption: asked.assumption,
            contradicted: contradicted.iter().any(|against| *against),
            estimates: estimates.collect(),
            groups: None,
            given_features: None,
        })
    }
}

impl Estimator {
    /// Estimates all rows as one group, on the threads that call.
    pub(crate) fn whole(
        &self,
        predictions: &Predictions<'_>,
        stop: &Stop,
        observer: &mut dyn Observer,
    ) -> Result<Report> {
        let mut driver = Driver::plan(self, predictions, None, stop)?;
        driver.cross_fit(observer)?;
        driver.report()
    }
}

fn of_scope(tracks: &mut [Track], scope: Scope) -> Vec<&mut Track> {
    tracks.iter_mut().filter(|track| track.scope() == scope).collect()
}

fn add(tracks: Vec<&mut Track>, found: &Findings<'_, '_>) {
    tracks.into_par_iter().enumerate().for_each(|(number, track)| track.add(found, number));
}

/// Counts the fits that did not converge, and keeps what bounded the cost of any, once each.
fn note(held_out: &[HeldOut], unconverged: &mut usize, approximations: &mut Vec<String>) {
    *unconverged += held_out.iter().filter(|fold| !fold.converged).count();
    for name in held_out.iter().flat_map(|fold| &fold.approximations) {
        if !approximations.contains(name) {
            approximations.push(name.clone());
        }
    }
}
