use serde::{Deserialize, Serialize};

use super::builtin::Builtin;
use super::{Fitted, Model};
use crate::data::Sample;
use crate::numeric::simplex::{is_point, mix_with_uniform, normalise};

/// g = the label frequencies of the training rows, mixed with 1/(n + 1) of the uniform.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Constant;

impl Builtin for Constant {
    const NAME: &'static str = "constant";
    const ABOUT: &'static str = "the label frequencies of the training rows, whatever f says";
    type Model = Frequencies;

    fn learn(&self, sample: &Sample, _: u64) -> Box<dyn Fitted> {
        let mut frequencies = vec![0.0; sample.classes()];
        for (row, &label) in sample.labels().iter().enumerate() {
            frequencies[label as usize] += sample.weight(row);
        }
        normalise(&mut frequencies);
        mix_with_uniform(&mut frequencies, sample.effective_rows());
        Box::new(Frequencies { frequencies })
    }
}

/// The one prediction of [`Constant`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Frequencies {
    frequencies: Vec<f64>,
}

impl Model for Frequencies {
    const NAME: &'static str = "constant";

    fn map_row(&self, _: &[f64], g: &mut [f64]) {
        g.copy_from_slice(&self.frequencies);
    }

    fn classes(&self) -> Option<usize> {
        Some(self.frequencies.len())
    }

    fn is_sound(&self) -> bool {
        self.frequencies.len() >= 2 && is_point(&self.frequencies)
    }
}
