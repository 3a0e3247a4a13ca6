//! `boost`, `boost-leafwise` and their cold starts: boosted trees by their names and parameters.

use super::Fitted;
use super::registry::{Builtin, MOST_PAIRED};
use crate::data::Sample;
use crate::error::Result;
use crate::params::{Field, Parameter, Params};
use crate::recalibrate::boost::{Boosted, Growth, Leafwise, MOST_BORDERS, Plan, Start, Symmetric};

/// What tells one of the four from the others.
pub(crate) trait Kind: Send + Sync + 'static {
    /// The name it is asked for by.
    const NAME: &'static str;
    /// What it is, in one line.
    const ABOUT: &'static str;
    /// How its trees grow.
    type Growth: Growth;
    /// Its parameters when none are given.
    const DEFAULT: Plan<Self::Growth>;
    /// The parameters it takes.
    const PARAMETERS: &'static [Parameter];
    /// How to read and set them.
    const FIELDS: &'static [Field<Plan<Self::Growth>>];
}

/// Boosted trees on f, with inner folds and the logistic map on top: see [`Plan`].
pub(crate) struct Boosting<K: Kind> {
    plan: Plan<K::Growth>,
}

impl<K: Kind> Default for Boosting<K> {
    fn default() -> Self {
        Self { plan: K::DEFAULT }
    }
}

impl<K: Kind> Builtin for Boosting<K> {
    const NAME: &'static str = K::NAME;
    const ABOUT: &'static str = K::ABOUT;
    const PARAMETERS: &'static [Parameter] = K::PARAMETERS;
    // The logistic map on top has a slope for every two classes.
    const MOST_CLASSES: usize = MOST_PAIRED;
    type Model = Boosted<<K::Growth as Growth>::Forest>;

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        let mut plan = K::DEFAULT;
        for field in K::FIELDS {
            params.take(field, &mut plan)?;
        }
        Ok(Self { plan })
    }

    fn settings(&self) -> String {
        Field::settings(K::FIELDS, &self.plan, &K::DEFAULT)
    }

    fn learn(&self, sample: &Sample, seed: u64) -> Box<dyn Fitted> {
        Box::new(self.plan.fit(sample, seed))
    }
}

/// The paper's WS CatBoost.
pub(crate) struct Warm;

impl Kind for Warm {
    const NAME: &'static str = "boost";
    const ABOUT: &'static str = "boosted symmetric trees started at f, then logistic";
    type Growth = Symmetric;
    const DEFAULT: Plan<Symmetric> = Plan {
        start: Start::Warm,
        trees: 10,
        patience: 300,
        borders: None,
        inner: 8,
        growth: Symmetric { depth: 6, rate: None, l2: 3.0, noise: 1.0 },
    };
    const PARAMETERS: &'static [Parameter] = &symmetric_parameters("10");
    const FIELDS: &'static [Field<Plan<Symmetric>>] = SYMMETRIC;
}

/// The paper's CatBoost.
pub(crate) struct Cold;

impl Kind for Cold {
    const NAME: &'static str = "boost-cold";
    const ABOUT: &'static str = "boosted symmetric trees from scratch, then logistic";
    type Growth = Symmetric;
    const DEFAULT: Plan<Symmetric> =
        Plan { start: Start::Uniform, trees: 300, patience: 200, ..Warm::DEFAULT };
    const PARAMETERS: &'static [Parameter] = &symmetric_parameters("300");
    const FIELDS: &'static [Field<Plan<Symmetric>>] = SYMMETRIC;
}

/// The paper's WS LGBM.
pub(crate) struct WarmLeafwise;

impl Kind for WarmLeafwise {
    const NAME: &'static str = "boost-leafwise";
    const ABOUT: &'static str = "boosted leaf-wise trees started at f, then logistic";
    type Growth = Leafwise;
    const DEFAULT: Plan<Leafwise> = Plan {
        start: Start::Warm,
        trees: 10,
        patience: 100,
        borders: Some(32),
        inner: 8,
        growth: Leafwise {
            leaves: 50,
            least_rows: 40,
            least_hessian: 1e-7,
            rate: 0.04,
            share: 0.75,
        },
    };
    const PARAMETERS: &'static [Parameter] = &leafwise_parameters("10");
    const FIELDS: &'static [Field<Plan<Leafwise>>] = LEAFWISE;
}

/// The paper's LightGBM.
pub(crate) struct ColdLeafwise;

impl Kind for ColdLeafwise {
    const NAME: &'static str = "boost-leafwise-cold";
    const ABOUT: &'static str = "boosted leaf-wise trees from scratch, then logistic";
    type Growth = Leafwise;
    const DEFAULT: Plan<Leafwise> =
        Plan { start: Start::Frequencies, trees: 1000, patience: 100, ..WarmLeafwise::DEFAULT };
    const PARAMETERS: &'static [Parameter] = &leafwise_parameters("1000");
    const FIELDS: &'static [Field<Plan<Leafwise>>] = LEAFWISE;
}

/// The parameters of symmetric trees, as they are listed.
const fn symmetric_parameters(trees: &'static str) -> [Parameter; 7] {
    let trees = Parameter { name: "trees", default: trees, about: "the most trees of a forest" };
    [trees, DEPTH, AUTOMATIC_RATE, L2, NOISE, AUTOMATIC_BORDERS, INNER]
}

/// The parameters of leaf-wise trees, as they are listed.
const fn leafwise_parameters(trees: &'static str) -> [Parameter; 8] {
    let about = "the most rounds, of a tree a class";
    let trees = Parameter { name: "trees", default: trees, about };
    [trees, LEAVES, ROWS, HESSIAN, RATE, SHARE, BORDERS, INNER]
}

const DEPTH: Parameter = Parameter { name: "depth", default: "6", about: "the splits of a tree" };
const AUTOMATIC_RATE: Parameter = Parameter {
    name: "rate",
    default: "automatic",
    about: "the learning rate; CatBoost's rule, which gives 0.5 for ten trees",
};
const L2: Parameter = Parameter { name: "l2", default: "3", about: "the penalty on leaf values" };
const NOISE: Parameter =
    Parameter { name: "noise", default: "1", about: "how much of the choice of splits is chance" };
const AUTOMATIC_BORDERS: Parameter = Parameter {
    name: "borders",
    default: "automatic",
    about: "the most borders of a feature, up to 254; 32 for two classes, 16 for more",
};
const BORDERS: Parameter =
    Parameter { name: "borders", default: "32", about: "the most borders of a feature, up to 254" };
const INNER: Parameter =
    Parameter { name: "inner", default: "8", about: "the inner folds, one forest each" };
const LEAVES: Parameter =
    Parameter { name: "leaves", default: "50", about: "the most leaves of a tree" };
const ROWS: Parameter =
    Parameter { name: "rows", default: "40", about: "the fewest rows of a leaf" };
const HESSIAN: Parameter =
    Parameter { name: "hessian", default: "1e-7", about: "the least curvature of a leaf" };
const RATE: Parameter = Parameter { name: "rate", default: "0.04", about: "the learning rate" };
const SHARE: Parameter =
    Parameter { name: "share", default: "0.75", about: "the share of rows drawn each round" };

/// The parameters of symmetric trees.
const SYMMETRIC: &[Field<Plan<Symmetric>>] = &[
    trees(),
    Field::whole(
        "depth",
        1,
        10,
        |plan| Some(plan.growth.depth as f64),
        |plan, n| plan.growth.depth = n as usize,
    ),
    Field::number("rate", 1e-6, 1.0, |plan| plan.growth.rate, |plan, x| plan.growth.rate = Some(x)),
    Field::number("l2", 1e-3, 1e6, |plan| Some(plan.growth.l2), |plan, x| plan.growth.l2 = x),
    Field::number(
        "noise",
        0.0,
        100.0,
        |plan| Some(plan.growth.noise),
        |plan, x| plan.growth.noise = x,
    ),
    borders(),
    inner(),
];

/// The parameters of leaf-wise trees.
const LEAFWISE: &[Field<Plan<Leafwise>>] = &[
    trees(),
    Field::whole(
        "leaves",
        2,
        1_000,
        |plan| Some(plan.growth.leaves as f64),
        |plan, n| plan.growth.leaves = n as usize,
    ),
    Field::whole(
        "rows",
        1,
        1_000_000_000,
        |plan| Some(plan.growth.least_rows as f64),
        |plan, n| plan.growth.least_rows = n as usize,
    ),
    Field::number(
        "hessian",
        0.0,
        1e9,
        |plan| Some(plan.growth.least_hessian),
        |plan, x| plan.growth.least_hessian = x,
    ),
    Field::number("rate", 1e-6, 1.0, |plan| Some(plan.growth.rate), |plan, x| plan.growth.rate = x),
    Field::number(
        "share",
        0.01,
        1.0,
        |plan| Some(plan.growth.share),
        |plan, x| plan.growth.share = x,
    ),
    borders(),
    inner(),
];

const fn trees<G: Growth>() -> Field<Plan<G>> {
    Field::whole(
        "trees",
        1,
        10_000,
        |plan| Some(plan.trees as f64),
        |plan, n| plan.trees = n as usize,
    )
}

const fn borders<G: Growth>() -> Field<Plan<G>> {
    Field::whole(
        "borders",
        1,
        MOST_BORDERS,
        |plan| plan.borders.map(|n| n as f64),
        |plan, n| plan.borders = Some(n as usize),
    )
}

const fn inner<G: Growth>() -> Field<Plan<G>> {
    Field::whole("inner", 2, 100, |plan| Some(plan.inner as f64), |plan, n| plan.inner = n as usize)
}
