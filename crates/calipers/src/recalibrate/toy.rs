use serde::{Deserialize, Serialize};

use super::builtin::{Builtin, Tunable};
use super::{Fitted, Model};
use crate::data::Sample;
use crate::error::Result;
use crate::params::{Parameter, Params};

/// A recalibrator that exists in the unit tests alone: it is there to follow the recipe of
/// CONTRIBUTING.md, and every test of all recalibrators is a test of the recipe.
///
/// g moves the share `step` of the way from f to the classes' frequencies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Toy {
    step: f64,
}

impl Builtin for Toy {
    const NAME: &'static str = "toy";
    const ABOUT: &'static str = "a part of the way from f to the label frequencies";
    type Model = PartOfTheWay;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        let mut goal = vec![0.0; sample.classes()];
        let mut total = 0.0;
        for (row, &label) in sample.labels().iter().enumerate() {
            goal[label as usize] += sample.weight(row);
            total += sample.weight(row);
        }
        goal.iter_mut().for_each(|share| *share /= total);
        Box::new(PartOfTheWay { step: self.step, goal })
    }
}

impl Tunable for Toy {
    const PARAMETERS: &'static [Parameter] = &[Parameter::new("step", "0.5", "how far to move")];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        Ok(Self { step: params.number("step", 0.0..=1.0)? })
    }
}

/// What [`Toy`] learns.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PartOfTheWay {
    step: f64,
    goal: Vec<f64>,
}

impl Model for PartOfTheWay {
    const NAME: &'static str = "part-of-the-way";

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        let both = f.iter().zip(&self.goal);
        g.iter_mut().zip(both).for_each(|(g, (f, goal))| *g = f + self.step * (goal - f));
    }

    fn classes(&self) -> Option<usize> {
        Some(self.goal.len())
    }

    fn is_sound(&self) -> bool {
        let is_share = |value: &f64| (0.0..=1.0).contains(value);
        is_share(&self.step) && self.goal.len() >= 2 && self.goal.iter().all(is_share)
    }
}

/// One file and one line, and it is listed, made by its name, explained where it is refused, fitted,
/// saved and loaded; the tests of all recalibrators try the rest.
#[test]
fn a_recalibrator_is_one_file_and_one_line() {
    use crate::data::simulate;
    use crate::recalibrate::{ModelNotes, load_model, recalibrator, recalibrators, save_model};

    let info = recalibrators().find(|info| info.name == "toy").unwrap();
    assert_eq!((info.about, info.parameters[0].default), (Toy::ABOUT, "0.5"));
    assert_eq!(recalibrator("toy:step=0.50").unwrap().name(), "toy");
    let half = recalibrator("toy:step=0.25").unwrap();
    assert_eq!(half.name(), "toy:step=0.25");
    let refused = |text: &str| recalibrator(text).err().unwrap().to_string();
    assert!(refused("toy:step=2").ends_with("step=2: expected a number from 0 to 1"));
    assert!(refused("toys").contains("toy"));
    let predictions = simulate("multiclass-overconfident-3", 200, 0).unwrap();
    let fitted = half.fit(&Sample::from(&predictions), 0).unwrap();
    let saved = save_model(fitted.as_ref(), &ModelNotes::default()).unwrap();
    let again = load_model(&saved).unwrap().fitted;
    let f = predictions.probs();
    assert_eq!(fitted.predict(f.view()).unwrap(), again.predict(f.view()).unwrap());
    let estimator = crate::Estimator::new().recalibrator(half);
    assert!(estimator.estimate(&predictions).unwrap().get("l1").unwrap().value > 0.0);
}
