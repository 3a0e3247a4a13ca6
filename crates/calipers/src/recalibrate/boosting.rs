//! `boost`, `boost-leafwise` and their cold starts: boosted trees by their names and parameters.

use super::boost::{Boosted, Growth, Leafwise, MOST_BORDERS, Plan, Start, Symmetric};
use super::builtin::{Builtin, MOST_SPLIT, Tunable};
use super::{Fitted, Trees};
use crate::data::Sample;
use crate::error::Result;
use crate::params::{Parameter, Params};

/// What tells one of the four from the others.
pub(crate) trait Variety: Send + Sync + 'static {
    /// The name it is asked for by.
    const NAME: &'static str;
    /// What it is, in one line.
    const ABOUT: &'static str;
    /// Where boosting starts.
    const START: Start;
    /// The number of rounds without improvement after which a forest stops growing.
    const PATIENCE: usize;
    /// The parameters it takes.
    const PARAMETERS: &'static [Parameter];
    /// How trees grow that see features.
    const TREES: Trees = Trees::Symmetric;
    /// How its trees grow.
    type Growth: Tuned;
}

/// A way to grow trees, by its parameters.
pub(crate) trait Tuned: Growth {
    /// Reads those that are its own.
    fn from_params(params: &mut Params<'_>) -> Result<Self>;
}

/// Boosted trees on f, with inner folds and the logistic map on top: see [`Plan`].
pub(crate) struct Boosting<V: Variety> {
    plan: Plan<V::Growth>,
}

impl<V: Variety> Builtin for Boosting<V> {
    const NAME: &'static str = V::NAME;
    const ABOUT: &'static str = V::ABOUT;
    const MOST_CLASSES: usize = MOST_SPLIT;
    const TREES: Trees = V::TREES;
    type Model = Boosted<<V::Growth as Growth>::Forest>;

    fn learn(&self, sample: &Sample, seed: u64) -> Box<dyn Fitted> {
        Box::new(self.plan.fit(sample, seed))
    }
}

impl<V: Variety> Tunable for Boosting<V> {
    const PARAMETERS: &'static [Parameter] = V::PARAMETERS;

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        let plan = Plan {
            start: V::START,
            trees: params.whole("trees", 1..=10_000)?,
            patience: V::PATIENCE,
            growth: V::Growth::from_params(params)?,
            borders: params.maybe_whole("borders", 1..=MOST_BORDERS)?,
            inner: params.whole("inner", 2..=100)?,
        };
        Ok(Self { plan })
    }
}

impl Tuned for Symmetric {
    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self {
            depth: params.whole("depth", 1..=10)?,
            rate: params.maybe_number("rate", 1e-6..=1.0)?,
            l2: params.number("l2", 1e-3..=1e6)?,
            noise: params.number("noise", 0.0..=100.0)?,
        })
    }
}

impl Tuned for Leafwise {
    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self {
            leaves: params.whole("leaves", 2..=1_000)?,
            least_rows: params.whole("rows", 1..=1_000_000_000)?,
            least_hessian: params.number("hessian", 0.0..=1e9)?,
            rate: params.number("rate", 1e-6..=1.0)?,
            share: params.number("share", 0.01..=1.0)?,
        })
    }
}

/// The paper's WS CatBoost.
pub(crate) struct Warm;

impl Variety for Warm {
    const NAME: &'static str = "boost";
    const ABOUT: &'static str = "boosted symmetric trees started at f, then logistic";
    const START: Start = Start::Warm;
    const PATIENCE: usize = 300;
    const PARAMETERS: &'static [Parameter] = &symmetric("10");
    type Growth = Symmetric;
}

/// The paper's CatBoost.
pub(crate) struct Cold;

impl Variety for Cold {
    const NAME: &'static str = "boost-cold";
    const ABOUT: &'static str = "boosted symmetric trees from scratch, then logistic";
    const START: Start = Start::Uniform;
    const PATIENCE: usize = 200;
    const PARAMETERS: &'static [Parameter] = &symmetric("300");
    type Growth = Symmetric;
}

/// The paper's WS LGBM.
pub(crate) struct WarmLeafwise;

impl Variety for WarmLeafwise {
    const NAME: &'static str = "boost-leafwise";
    const ABOUT: &'static str = "boosted leaf-wise trees started at f, then logistic";
    const START: Start = Start::Warm;
    const PATIENCE: usize = 100;
    const PARAMETERS: &'static [Parameter] = &leafwise("10");
    const TREES: Trees = Trees::Leafwise;
    type Growth = Leafwise;
}

/// The paper's LightGBM.
pub(crate) struct ColdLeafwise;

impl Variety for ColdLeafwise {
    const NAME: &'static str = "boost-leafwise-cold";
    const ABOUT: &'static str = "boosted leaf-wise trees from scratch, then logistic";
    const START: Start = Start::Frequencies;
    const PATIENCE: usize = 100;
    const PARAMETERS: &'static [Parameter] = &leafwise("1000");
    const TREES: Trees = Trees::Leafwise;
    type Growth = Leafwise;
}

/// The parameters of symmetric trees, of which there are at most so many.
const fn symmetric(trees: &'static str) -> [Parameter; 7] {
    [
        Parameter::new("trees", trees, "the most trees of a forest"),
        Parameter::new("depth", "6", "the splits of a tree"),
        Parameter::new(
            "rate",
            "automatic",
            "the learning rate; CatBoost's rule, which gives 0.5 for ten trees",
        ),
        Parameter::new("l2", "3", "the penalty on leaf values"),
        Parameter::new("noise", "1", "how much of the choice of splits is chance"),
        Parameter::new(
            "borders",
            "automatic",
            "the most borders of a feature, up to 254; 32 for two classes, 16 for more",
        ),
        INNER,
    ]
}

/// The parameters of leaf-wise trees, of which there are at most so many a class.
const fn leafwise(trees: &'static str) -> [Parameter; 8] {
    [
        Parameter::new("trees", trees, "the most rounds, of a tree a class"),
        Parameter::new("leaves", "50", "the most leaves of a tree"),
        Parameter::new("rows", "40", "the fewest rows of a leaf"),
        Parameter::new("hessian", "1e-7", "the least curvature of a leaf"),
        Parameter::new("rate", "0.04", "the learning rate"),
        Parameter::new("share", "0.75", "the share of rows drawn each round"),
        Parameter::new("borders", "32", "the most borders of a feature, up to 254"),
        INNER,
    ]
}

const INNER: Parameter = Parameter::new("inner", "8", "the inner folds, one forest each");
