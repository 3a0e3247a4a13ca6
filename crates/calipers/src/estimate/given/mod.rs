//! The error given f and what else is known: the estimate once more, with a g that sees features.
//!
//! [`beside`] looks on and holds that g against the one that sees f alone, and against itself with a feature
//! shuffled; [`related`] says which features are to be shuffled together. [`segments`] says who it is
//! that f is wrong about, and [`scan`] how often a model that is wrong about nobody looks so odd.

mod beside;
mod related;
mod scan;
mod segments;

use std::sync::Arc;

use super::driver::Driver;
use super::estimator::Estimator;
use super::problem::Problem;
use super::report::{Estimate, GivenFeatures};
use crate::data::{Features, Predictions};
use crate::error::Result;
use crate::loss::Scope;
use crate::numeric::random::derive_seed;
use crate::run::Stop;
use beside::Beside;
use related::related;

/// The place of the scan's drawings among everything that is seeded.
const DRAWS: u64 = 1 << 43;

impl Estimator {
    /// Tests the whole vector, and the top class if it is measured.
    fn test_given(
        &self,
        predictions: &Predictions<'_>,
        features: &Features,
        estimates: &mut [Estimate],
    ) {
        let seed = derive_seed(self.own_seed(), &[DRAWS]);
        for top in [false, true] {
            let own = |one: &&mut Estimate| (one.scope == Scope::Top) == top;
            let mut own: Vec<&mut Estimate> = estimates.iter_mut().filter(own).collect();
            if own.is_empty() {
                continue;
            }
            let scope = if top { Scope::Top } else { Scope::Canonical };
            let problem = Problem::new(predictions, scope, 0);
            let tested = scan::p_value(&problem, features, self.draws, seed);
            for estimate in &mut own {
                estimate.p_value = tested.map(|tested| tested.p_value);
                estimate.draws = tested.map(|tested| tested.draws);
            }
        }
    }

    /// Estimates every metric given the features, and what each of them is worth.
    pub(crate) fn given_features(
        &self,
        predictions: &Predictions<'_>,
        features: &Arc<Features>,
        stop: &Stop,
    ) -> Result<GivenFeatures> {
        let asked = self.informed();
        let together = related(features);
        let mut beside = Beside::new(&asked, predictions, &together)?;
        let mut driver = Driver::plan(&asked, predictions, Some(features), stop)?;
        driver.cross_fit(&mut beside)?;
        let mut estimates = driver.report()?.estimates;
        self.test_given(predictions, features, &mut estimates);
        let names: Vec<String> = features.names().map(str::to_owned).collect();
        let (gains, shares) = beside.finish(&asked, predictions, &names)?;
        let segments = self.segments(predictions, features);
        stop.check()?;
        Ok(GivenFeatures { names, estimates, gains, shares, segments })
    }
}
