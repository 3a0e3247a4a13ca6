//! The table of recalibrators: one line each.

use std::sync::Arc;

use serde_json::Value;

use super::auto::Auto;
use super::boosting::Boosting;
use super::builtin::{Builtin, Tunable};
use super::gathered::{self, Gathered};
use super::{Fitted, Model, Recalibrator, Trees, informed, preserve};
use crate::data::Sample;
use crate::error::{Error, Result};
use crate::params::{Parameter, Params};
use crate::run::stop;

/// Every recalibrator, in the order in which they are listed.
const TABLE: &[Entry] = &[
    Entry::of::<Auto>(),
    Entry::of::<super::bayes::Bayes>(),
    Entry::of::<super::stack::Stack>(),
    Entry::tunable::<Boosting<super::boosting::Warm>>(),
    Entry::tunable::<Boosting<super::boosting::WarmLeafwise>>(),
    Entry::tunable::<Boosting<super::boosting::Cold>>(),
    Entry::tunable::<Boosting<super::boosting::ColdLeafwise>>(),
    Entry::of::<super::temperature::Temperature>(),
    Entry::of::<super::affine::Affine>(),
    Entry::of::<super::quadratic::Quadratic>(),
    Entry::of::<super::beta::Beta>(),
    Entry::of::<super::vector::Vector>(),
    Entry::of::<super::svs::Svs>(),
    Entry::of::<super::matrix::Matrix>(),
    Entry::of::<super::sms::Sms>(),
    Entry::of::<super::logistic::Logistic>(),
    Entry::of::<super::isotonic::Isotonic>(),
    Entry::tunable::<super::kernel::Kernel>(),
    Entry::tunable::<super::partition::Partition>(),
    Entry::tunable::<super::bins_width::BinsWidth>(),
    Entry::tunable::<super::bins_mass::BinsMass>(),
    Entry::of::<super::identity::Identity>(),
    Entry::of::<super::constant::Constant>(),
    #[cfg(test)]
    Entry::tunable::<super::toy::Toy>(),
];

/// A recalibrator of this crate by the name it was asked for.
struct Named<B> {
    name: String,
    learner: B,
}

impl<B: Builtin> Recalibrator for Named<B> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn grows(&self) -> Trees {
        B::TREES
    }

    fn fit(&self, sample: &Sample, seed: u64) -> Result<Box<dyn Fitted>> {
        let fitted = if sample.classes() > B::MOST_CLASSES {
            let learn = |gathered: &Sample| self.learner.learn(gathered, seed);
            Box::new(Gathered::fit(sample, B::MOST_CLASSES, learn))
        } else {
            self.learner.learn(sample, seed)
        };
        stop::check()?;
        Ok(fitted)
    }
}

/// A recalibrator's name and description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecalibratorInfo {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The parameters it takes.
    pub parameters: &'static [Parameter],
}

struct Entry {
    info: RecalibratorInfo,
    make: Make,
    model: &'static str,
    load: fn(Value) -> Result<Box<dyn Fitted>>,
}

type Make = fn(Params<'_>) -> Result<Arc<dyn Recalibrator>>;

impl Entry {
    /// One without parameters.
    const fn of<B: Builtin + Default>() -> Self {
        Self::listed::<B>(&[], |params| {
            let (learner, name) = params.make(B::NAME, &[], |_| Ok(B::default()))?;
            Ok(Arc::new(Named { name, learner }))
        })
    }

    /// One with parameters.
    const fn tunable<B: Tunable>() -> Self {
        Self::listed::<B>(B::PARAMETERS, |params| {
            let (learner, name) = params.make(B::NAME, B::PARAMETERS, B::from_params)?;
            Ok(Arc::new(Named { name, learner }))
        })
    }

    const fn listed<B: Builtin>(parameters: &'static [Parameter], make: Make) -> Self {
        Self {
            info: RecalibratorInfo { name: B::NAME, about: B::ABOUT, parameters },
            make,
            model: B::Model::NAME,
            load: sound::<B::Model>,
        }
    }
}

/// A model from its saved parameters, if they fit together.
fn sound<M: Model>(parameters: Value) -> Result<Box<dyn Fitted>> {
    let model: M =
        serde_json::from_value(parameters).map_err(|error| unusable(error.to_string()))?;
    if model.is_sound() {
        Ok(Box::new(model))
    } else {
        Err(unusable("its parameters do not fit together".to_owned()))
    }
}

/// The error of a text that is no model.
pub(super) fn unusable(reason: String) -> Error {
    Error::Model { reason }
}

/// Makes a recalibrator from its name and parameters, such as `kernel:bandwidth=0.05`.
///
/// # Errors
/// A name or a parameter that there is not; the error says which there are.
///
/// ```
/// assert_eq!(calipers::recalibrator("kernel:bandwidth=0.05")?.name(), "kernel:bandwidth=0.05");
/// let error = calipers::recalibrator("kernel:width=1").err().unwrap();
/// assert!(error.to_string().contains("it has bandwidth"));
/// # Ok::<(), calipers::Error>(())
/// ```
pub fn recalibrator(text: &str) -> Result<Arc<dyn Recalibrator>> {
    let refuse = |text, reason| Error::Recalibrator { text, reason };
    let (name, params) = Params::parse(text, refuse)?;
    let entry = TABLE.iter().find(|entry| entry.info.name == name).ok_or_else(|| {
        let names: Vec<&str> = TABLE.iter().map(|entry| entry.info.name).collect();
        refuse(text.to_owned(), format!("the names are {}", names.join(", ")))
    })?;
    (entry.make)(params)
}

/// Every recalibrator there is, the default first.
///
/// ```
/// assert_eq!(calipers::recalibrators().next().unwrap().name, "auto");
/// ```
pub fn recalibrators() -> impl Iterator<Item = RecalibratorInfo> {
    TABLE.iter().map(|entry| entry.info)
}

/// Whether a recalibrator is `auto`.
pub(crate) fn is_default(recalibrator: &dyn Recalibrator) -> bool {
    recalibrator.name() == Auto::NAME
}

/// `auto`.
pub fn default_recalibrator() -> Arc<dyn Recalibrator> {
    Arc::new(Named { name: Auto::NAME.to_owned(), learner: Auto })
}

/// The fitted model of a name, from its saved parameters.
///
/// # Errors
/// A name that no model has, or parameters that do not fit together.
pub(super) fn load(name: &str, parameters: Value) -> Result<Box<dyn Fitted>> {
    match name {
        preserve::NAME => preserve::load(parameters, load),
        // A text could nest models deeper than calls can be.
        gathered::NAME => gathered::load(parameters, load_plain),
        informed::NAME => informed::load(parameters, load_plain),
        _ => load_plain(name, parameters),
    }
}

/// The same, of a model that holds no other.
fn load_plain(name: &str, parameters: Value) -> Result<Box<dyn Fitted>> {
    let entry = TABLE.iter().find(|entry| entry.model == name);
    let entry = entry.ok_or_else(|| unusable(format!("unknown model {name:?}")))?;
    (entry.load)(parameters)
}
