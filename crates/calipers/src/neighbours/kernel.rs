//! The kernel-density error.

use fearless_simd::{Level, Simd, dispatch, f64x8, prelude::*};
use rayon::prelude::*;
use statrs::function::gamma::ln_gamma;

use super::line::Line;
use super::listed::{Listed, Quadratic, Tunable};
use super::rule::{Chance, Found, Outcome, Rule};
use crate::data::Predictions;
use crate::error::Result;
use crate::numeric::simd::{WIDE, exp};
use crate::numeric::simplex::floored_ln;
use crate::params::{Parameter, Params};
use crate::run::stop;

/// (mean ‖ĉ(f_i) − f_i‖_p^p)^(1/p), where ĉ(f_i) is the mean label of the other rows, each weighted
/// by the density at f_i of a Dirichlet distribution around it, with parameters f_j/h + 1.
///
/// Each row is left out of its own mean, but the p-th power keeps the noise of ĉ: the error of a
/// calibrated model is above 0, and falls slowly with n. Two classes: the scalar |ĉ₁ − f₁|. The
/// bandwidth h, unless given, is that of twenty from 1e-5 to 1 under which the left-out predictions
/// are most probable. A probability below 1e-6 counts as that where its logarithm is taken.
/// Default: p = 1. Cost: n²(k + 20), n²k with a bandwidth.
///
/// ## Reference
/// Popordanoska, Sayer and Blaschko, *A consistent and differentiable Lp canonical calibration error
/// estimator*, 2022.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernel {
    p: f64,
    bandwidth: Option<f64>,
}

impl Listed for Kernel {
    const NAME: &'static str = "kernel";
    const ABOUT: &'static str =
        "Lp error with a leave-one-out Dirichlet kernel (Popordanoska et al.)";
    const VECTORS: bool = true;
    const QUADRATIC: Quadratic = Quadratic::Always;
}

impl Tunable for Kernel {
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new("p", "1", "the power, from 1 to 100"),
        Parameter::new(
            "bandwidth",
            "auto",
            "the kernel's width, from 0.00001 to 10; auto: by likelihood",
        ),
    ];

    fn from_params(params: &mut Params<'_>) -> Result<Self> {
        let p = params.number("p", 1.0..=100.0)?;
        Ok(Self { p, bandwidth: params.maybe_number("bandwidth", 1e-5..=10.0)? })
    }
}

impl Rule for Kernel {
    fn on_line(&self, line: &Line, _: &Chance) -> Outcome {
        let cloud = Cloud::new(
            line.rows(),
            2,
            |row, class| if class == 1 { line.f[row] } else { 1.0 - line.f[row] },
            |row| usize::from(line.y[row] > 0.5),
        );
        self.measure(&cloud, |truth, f| (truth[1] - f[1]).abs().powf(self.p))
    }

    fn on_vectors(&self, predictions: &Predictions<'_>, _: &Chance) -> Outcome {
        let cloud = Cloud::new(
            predictions.rows(),
            predictions.classes(),
            |row, class| predictions.held().at(row, class),
            |row| predictions.labels()[row] as usize,
        );
        self.measure(&cloud, |truth, f| {
            truth.iter().zip(f).map(|(truth, f)| (truth - f).abs().powf(self.p)).sum()
        })
    }

    fn power(&self) -> Option<f64> {
        Some(self.p)
    }
}

impl Kernel {
    fn measure(&self, cloud: &Cloud, error: impl Fn(&[f64], &[f64]) -> f64 + Sync) -> Outcome {
        if cloud.rows() < 2 {
            return Err("one row has no other to be compared with".to_owned());
        }
        let bandwidth = self.bandwidth.unwrap_or_else(|| cloud.likeliest_bandwidth());
        let errors = cloud.errors(bandwidth, error);
        let value = (errors.iter().sum::<f64>() / cloud.rows() as f64).powf(1.0 / self.p);
        Ok(Found::new(value).with("bandwidth", bandwidth))
    }
}

/// The bandwidths that are tried: 15 from 1e-5 to 0.1, evenly in their logarithms, and 0.2 to 1.
fn bandwidths() -> impl Iterator<Item = f64> {
    let narrow = (0..15).map(|step| 10f64.powf(-5.0 + 4.0 * f64::from(step) / 14.0));
    narrow.chain((1..=5).map(|fifth| f64::from(fifth) / 5.0))
}

/// The rows, those of each label together, and among them in ascending order of the first class: the
/// rows that are near to one are then in a few runs, and others are passed over.
struct Cloud {
    classes: usize,
    /// f of every row, row after row.
    rows: Vec<f64>,
    /// The same, class after class.
    columns: Vec<f64>,
    /// Where the rows of each label begin, and where the last ones end.
    starts: Vec<usize>,
}

impl Cloud {
    fn new(
        count: usize,
        classes: usize,
        f: impl Fn(usize, usize) -> f64,
        label: impl Fn(usize) -> usize,
    ) -> Self {
        let mut order: Vec<usize> = (0..count).collect();
        let first = |row: usize| f(row, 0);
        order.sort_by(|&a, &b| {
            label(a).cmp(&label(b)).then(first(a).total_cmp(&first(b))).then(a.cmp(&b))
        });
        let starts =
            (0..=classes).map(|class| order.partition_point(|&row| label(row) < class)).collect();
        let f = &f;
        let row = |row: usize| (0..classes).map(move |class| f(row, class));
        let rows = order.iter().flat_map(|&number| row(number)).collect();
        let column = |class: usize| order.iter().map(move |&number| f(number, class));
        let columns = (0..classes).flat_map(column).collect();
        Self { classes, rows, columns, starts }
    }

    fn rows(&self) -> usize {
        self.rows.len() / self.classes
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.rows[row * self.classes..(row + 1) * self.classes]
    }

    /// Σ_c f_jc ln f_ic of a row i for every row j: the logarithm of the kernel at a bandwidth of 1,
    /// but for its norm.
    fn products(&self, row: usize, products: &mut [f64]) {
        products.fill(0.0);
        let columns = self.columns.chunks_exact(self.rows());
        for (&f, column) in self.row(row).iter().zip(columns) {
            let ln = floored_ln(f);
            for (product, &f) in products.iter_mut().zip(column) {
                *product += f * ln;
            }
        }
        // A row is left out of its own mean.
        products[row] = f64::NEG_INFINITY;
    }

    /// The logarithm of the norm of the kernel around every row.
    fn norms(&self, bandwidth: f64) -> Vec<f64> {
        let whole = ln_gamma(1.0 / bandwidth + self.classes as f64);
        let norm = |row: usize| -> f64 {
            let terms = self.row(row).iter().map(|&f| ln_gamma(f / bandwidth + 1.0));
            terms.sum::<f64>() - whole
        };
        (0..self.rows()).into_par_iter().map(norm).collect()
    }

    /// The bandwidth under which the rows, each left out, are most probable; the first of equals.
    fn likeliest_bandwidth(&self) -> f64 {
        let level = Level::new();
        let tried: Vec<(f64, Vec<f64>)> =
            bandwidths().map(|width| (1.0 / width, self.norms(width))).collect();
        let logs: Vec<Vec<f64>> = (0..self.rows())
            .into_par_iter()
            .map_init(
                || vec![0.0; self.rows()],
                |products, row| {
                    if stop::requested() {
                        return vec![0.0; tried.len()];
                    }
                    self.products(row, products);
                    let log = |(scale, norms): &(f64, Vec<f64>)| {
                        dispatch!(level, simd => {
                            let top = largest(simd, products, norms, *scale);
                            top + sum(simd, products, norms, *scale, top).ln()
                        })
                    };
                    tried.iter().map(log).collect()
                },
            )
            .collect();
        let mut best = (f64::NEG_INFINITY, 1.0);
        for (number, width) in bandwidths().enumerate() {
            let likelihood: f64 = logs.iter().map(|of_row| of_row[number]).sum();
            if likelihood > best.0 {
                best = (likelihood, width);
            }
        }
        best.1
    }

    /// The error of every row.
    fn errors(&self, bandwidth: f64, error: impl Fn(&[f64], &[f64]) -> f64 + Sync) -> Vec<f64> {
        let level = Level::new();
        let (scale, norms) = (1.0 / bandwidth, self.norms(bandwidth));
        (0..self.rows())
            .into_par_iter()
            .map_init(
                || (vec![0.0; self.rows()], vec![0.0; self.classes]),
                |(products, truth), row| {
                    if stop::requested() {
                        return 0.0;
                    }
                    self.products(row, products);
                    dispatch!(level, simd => {
                        let top = largest(simd, products, &norms, scale);
                        for (truth, ends) in truth.iter_mut().zip(self.starts.windows(2)) {
                            let label = ends[0]..ends[1];
                            *truth =
                                sum(simd, &products[label.clone()], &norms[label], scale, top);
                        }
                    });
                    let all: f64 = truth.iter().sum();
                    truth.iter_mut().for_each(|weight| *weight /= all);
                    error(truth, self.row(row))
                },
            )
            .collect()
    }
}

/// A weight this far below the largest, in logarithms, is less than the rounding of the sum.
const NEGLIGIBLE: f64 = -42.0;

/// The largest logarithm of a weight.
#[inline(always)]
fn largest<S: Simd>(simd: S, products: &[f64], norms: &[f64], scale: f64) -> f64 {
    let (vectors, rest) = products.as_chunks::<WIDE>();
    let (norm_vectors, norm_rest) = norms.as_chunks::<WIDE>();
    let mut top = f64x8::splat(simd, f64::NEG_INFINITY);
    for (product, norm) in vectors.iter().zip(norm_vectors) {
        let log = f64x8::load_array_ref(simd, product) * scale - f64x8::load_array_ref(simd, norm);
        top = top.max(log);
    }
    let rest = rest.iter().zip(norm_rest).map(|(product, norm)| product * scale - norm);
    top.to_array().into_iter().chain(rest).fold(f64::NEG_INFINITY, f64::max)
}

/// The sum of the weights, in units of the largest.
#[inline(always)]
fn sum<S: Simd>(simd: S, products: &[f64], norms: &[f64], scale: f64, top: f64) -> f64 {
    let (vectors, rest) = products.as_chunks::<WIDE>();
    let (norm_vectors, norm_rest) = norms.as_chunks::<WIDE>();
    let mut total = f64x8::splat(simd, 0.0);
    for (product, norm) in vectors.iter().zip(norm_vectors) {
        let log =
            f64x8::load_array_ref(simd, product) * scale - f64x8::load_array_ref(simd, norm) - top;
        if log.simd_gt(NEGLIGIBLE).any_true() {
            total += exp(simd, log);
        }
    }
    let rest =
        rest.iter().zip(norm_rest).map(|(product, norm)| (product * scale - norm - top).exp());
    total.to_array().into_iter().chain(rest).sum()
}
