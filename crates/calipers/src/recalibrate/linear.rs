//! softmax(A x + b) of k log-probabilities x, with A a multiple of the identity, diagonal or full.
//!
//! Five recalibrators are this map with another shape, another penalty or another x.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::temperature::log_probs;
use super::{Model, NO_PENALTY};
use crate::sample::Sample;
use crate::simplex::{floored_ln, softmax};
use crate::solve::{Block, Curvature, Large, Objective, minimise};

/// Up to this many classes L-BFGS is given the blocks of a full matrix's Hessian.
const MOST_BLOCKS: usize = 64;

/// The shape of A.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Shape {
    /// A multiple of the identity.
    Scalar,
    /// A diagonal matrix.
    Diagonal,
    /// Any matrix.
    Full,
}

impl Shape {
    fn slopes(self, classes: usize) -> usize {
        match self {
            Shape::Scalar => 1,
            Shape::Diagonal => classes,
            Shape::Full => classes * classes,
        }
    }

    /// Which of the slopes are 1 in the identity.
    fn is_diagonal(self, slope: usize, classes: usize) -> bool {
        match self {
            Shape::Scalar | Shape::Diagonal => true,
            Shape::Full => slope.is_multiple_of(classes + 1),
        }
    }
}

/// Squared penalties around the identity map, added to the mean cross-entropy.
#[derive(Debug, Clone, Copy)]
pub(super) struct Penalty {
    /// On each intercept.
    pub intercept: f64,
    /// On each diagonal slope's distance from 1.
    pub diagonal: f64,
    /// On each other slope.
    pub off_diagonal: f64,
}

impl Penalty {
    /// The same penalty on everything.
    pub fn even(strength: f64) -> Self {
        Self { intercept: strength, diagonal: strength, off_diagonal: strength }
    }
}

/// A fitted map.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LinearMap {
    shape: Shape,
    slopes: Vec<f64>,
    intercepts: Vec<f64>,
    converged: bool,
}

impl LinearMap {
    /// Minimises the mean cross-entropy of softmax(A x + b) plus the penalty, from the identity.
    pub fn fit(sample: &Sample, features: Array2<f64>, shape: Shape, penalty: Penalty) -> Self {
        let classes = sample.classes();
        let slopes = shape.slopes(classes);
        let identity: Vec<f64> = (0..slopes + classes)
            .map(|i| if i < slopes && shape.is_diagonal(i, classes) { 1.0 } else { 0.0 })
            .collect();
        let penalties = (0..slopes + classes)
            .map(|i| match i {
                i if i >= slopes => penalty.intercept,
                i if shape.is_diagonal(i, classes) => penalty.diagonal,
                _ => penalty.off_diagonal,
            })
            .collect();
        let weights = (0..sample.rows()).map(|row| sample.weight(row)).collect();
        let mut objective = CrossEntropy {
            shape,
            labels: sample.labels(),
            weights,
            scores: Array2::zeros(features.dim()),
            features,
            identity: identity.clone(),
            penalties,
        };
        let mut solution = minimise(&mut objective, identity);
        let intercepts = solution.at.split_off(slopes);
        Self { shape, slopes: solution.at, intercepts, converged: solution.converged }
    }

    /// Writes softmax(A x + b).
    pub fn apply(&self, features: &[f64], g: &mut [f64]) {
        let classes = self.intercepts.len();
        for (class, g) in g.iter_mut().enumerate() {
            let pulled = match self.shape {
                Shape::Scalar => self.slopes[0] * features[class],
                Shape::Diagonal => self.slopes[class] * features[class],
                Shape::Full => {
                    let slopes = &self.slopes[class * classes..(class + 1) * classes];
                    slopes.iter().zip(features).map(|(slope, feature)| slope * feature).sum()
                }
            };
            *g = pulled + self.intercepts[class];
        }
        softmax(g);
    }

    pub fn classes(&self) -> usize {
        self.intercepts.len()
    }

    pub fn converged(&self) -> bool {
        self.converged
    }

    pub fn is_sound(&self) -> bool {
        let classes = self.intercepts.len();
        classes >= 2
            && self.slopes.len() == self.shape.slopes(classes)
            && self.slopes.iter().chain(&self.intercepts).all(|value| value.is_finite())
    }
}

/// A map of ln f, without a penalty to speak of: the model of `affine`, `vector` and `matrix`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct LogLinear(LinearMap);

impl LogLinear {
    /// Fits the map to the sample's predictions.
    pub(super) fn fit(sample: &Sample, shape: Shape) -> Self {
        Self(LinearMap::fit(sample, log_probs(sample), shape, Penalty::even(NO_PENALTY)))
    }
}

impl Model for LogLinear {
    const NAME: &'static str = "log-linear";

    fn map_row(&self, f: &[f64], g: &mut [f64]) {
        let logs: Vec<f64> = f.iter().map(|&f| floored_ln(f)).collect();
        self.0.apply(&logs, g);
    }

    fn classes(&self) -> Option<usize> {
        Some(self.0.classes())
    }

    fn is_sound(&self) -> bool {
        self.0.is_sound()
    }

    fn converged(&self) -> bool {
        self.0.converged
    }
}

/// The penalised mean cross-entropy as a function of slopes and intercepts.
struct CrossEntropy<'a> {
    shape: Shape,
    labels: &'a [u32],
    weights: Vec<f64>,
    features: Array2<f64>,
    /// Scores, then probabilities, then weighted residuals: one buffer for all evaluations.
    scores: Array2<f64>,
    identity: Vec<f64>,
    penalties: Vec<f64>,
}

impl Objective for CrossEntropy<'_> {
    fn evaluate(&mut self, at: &[f64], gradient: &mut [f64], hessian: Option<&mut [f64]>) -> f64 {
        let rows = self.labels.len() as f64;
        self.write_scores(at);
        let loss = self.scores_to_probabilities();
        if let Some(hessian) = hessian {
            hessian.fill(0.0);
            match self.shape {
                Shape::Full => self.full_hessian(hessian),
                Shape::Diagonal => self.diagonal_hessian(hessian),
                Shape::Scalar => self.scalar_hessian(hessian),
            }
            for (i, penalty) in self.penalties.iter().enumerate() {
                hessian[i * at.len() + i] += 2.0 * penalty;
            }
        }
        self.probabilities_to_residuals();
        self.write_gradient(gradient);
        let mut value = loss / rows;
        for (i, at) in at.iter().enumerate() {
            let distance = at - self.identity[i];
            value += self.penalties[i] * distance * distance;
            gradient[i] += 2.0 * self.penalties[i] * distance;
        }
        value
    }
}

impl Large for CrossEntropy<'_> {
    /// For each class, the second derivatives by its own slopes and intercept; with a full matrix
    /// of many classes, whose blocks would hold k³ numbers, the diagonal alone.
    fn curvature(&mut self, at: &[f64]) -> Curvature {
        self.write_scores(at);
        self.scores_to_probabilities();
        let classes = self.classes();
        if self.shape == Shape::Full && classes > MOST_BLOCKS {
            return Curvature::Diagonal(self.full_diagonal());
        }
        let extended = self.extended_features();
        let block = |class| self.class_block(class, at.len() - classes, &extended);
        Curvature::Blocks((0..classes).map(block).collect())
    }
}

impl CrossEntropy<'_> {
    fn classes(&self) -> usize {
        self.features.ncols()
    }

    fn write_scores(&mut self, at: &[f64]) {
        let classes = self.classes();
        let (slopes, intercepts) = at.split_at(at.len() - classes);
        match self.shape {
            Shape::Scalar => {
                self.scores.assign(&self.features);
                self.scores.mapv_inplace(|score| score * slopes[0]);
            }
            Shape::Diagonal => {
                for (mut scores, features) in
                    self.scores.rows_mut().into_iter().zip(self.features.rows())
                {
                    for class in 0..classes {
                        scores[class] = slopes[class] * features[class];
                    }
                }
            }
            Shape::Full => {
                if let Ok(matrix) = ArrayView2::from_shape((classes, classes), slopes) {
                    ndarray::linalg::general_mat_mul(
                        1.0,
                        &self.features,
                        &matrix.t(),
                        0.0,
                        &mut self.scores,
                    );
                }
            }
        }
        for mut scores in self.scores.rows_mut() {
            scores.iter_mut().zip(intercepts).for_each(|(score, intercept)| *score += intercept);
        }
    }

    /// Returns the weighted sum of −ln g_Y.
    fn scores_to_probabilities(&mut self) -> f64 {
        let classes = self.classes();
        let mut loss = 0.0;
        let scores = self.scores.as_slice_mut().unwrap_or_default().chunks_exact_mut(classes);
        for ((scores, &label), weight) in scores.zip(self.labels).zip(&self.weights) {
            let observed = scores[label as usize];
            loss += weight * (softmax(scores) - observed);
        }
        loss
    }

    fn probabilities_to_residuals(&mut self) {
        let classes = self.classes();
        let rows = self.labels.len() as f64;
        let scores = self.scores.as_slice_mut().unwrap_or_default().chunks_exact_mut(classes);
        for ((probs, &label), weight) in scores.zip(self.labels).zip(&self.weights) {
            probs[label as usize] -= 1.0;
            probs.iter_mut().for_each(|residual| *residual *= weight / rows);
        }
    }

    fn write_gradient(&self, gradient: &mut [f64]) {
        let classes = self.classes();
        let (slopes, intercepts) = gradient.split_at_mut(gradient.len() - classes);
        for (intercept, sum) in intercepts.iter_mut().zip(self.scores.sum_axis(Axis(0))) {
            *intercept = sum;
        }
        match self.shape {
            Shape::Scalar => {
                slopes[0] = self.scores.iter().zip(&self.features).map(|(r, x)| r * x).sum();
            }
            Shape::Diagonal => {
                slopes.fill(0.0);
                for (residuals, features) in
                    self.scores.rows().into_iter().zip(self.features.rows())
                {
                    for class in 0..classes {
                        slopes[class] += residuals[class] * features[class];
                    }
                }
            }
            Shape::Full => {
                let product = self.scores.t().dot(&self.features);
                slopes.iter_mut().zip(&product).for_each(|(slope, value)| *slope = *value);
            }
        }
    }

    /// (x, 1) for each row.
    fn extended_features(&self) -> Array2<f64> {
        let (rows, classes) = self.features.dim();
        Array2::from_shape_fn((rows, classes + 1), |(row, i)| {
            if i < classes { self.features[[row, i]] } else { 1.0 }
        })
    }

    /// Σ w p(1 − p)(x, 1)(x, 1)ᵀ / n, of the features that this class's slopes multiply.
    fn class_block(&self, class: usize, slopes: usize, extended: &Array2<f64>) -> Block {
        let (rows, classes) = self.features.dim();
        let used: Vec<usize> = match self.shape {
            // The one slope belongs to no class in particular.
            Shape::Scalar => vec![classes],
            Shape::Diagonal => vec![class, classes],
            Shape::Full => (0..=classes).collect(),
        };
        let mine = extended.select(Axis(1), &used);
        let mut scaled = mine.clone();
        for (row, mut scaled) in scaled.rows_mut().into_iter().enumerate() {
            let p = self.scores[[row, class]];
            scaled *= self.weights[row] * p * (1.0 - p) / rows as f64;
        }
        let parameter = |&i: &usize| match self.shape {
            _ if i == classes => slopes + class,
            Shape::Full => class * classes + i,
            _ => i,
        };
        let parameters: Vec<usize> = used.iter().map(parameter).collect();
        let mut hessian = scaled.t().dot(&mine);
        for (i, &parameter) in parameters.iter().enumerate() {
            hessian[[i, i]] += 2.0 * self.penalties[parameter];
        }
        Block { parameters, hessian: hessian.iter().copied().collect() }
    }

    /// Σ w p_c(1 − p_c) x_d² / n for each slope, and without x for each intercept.
    fn full_diagonal(&self) -> Vec<f64> {
        let rows = self.labels.len() as f64;
        let mut variances = self.scores.mapv(|p| p * (1.0 - p) / rows);
        for (mut variances, weight) in variances.rows_mut().into_iter().zip(&self.weights) {
            variances *= *weight;
        }
        let slopes = variances.t().dot(&self.features.mapv(|x| x * x));
        let intercepts = variances.sum_axis(Axis(0));
        let data = slopes.iter().chain(&intercepts);
        data.zip(&self.penalties).map(|(data, penalty)| data + 2.0 * penalty).collect()
    }

    /// Σ w p_c(δ_cd − p_d)(x, 1)(x, 1)ᵀ / n for each pair of classes.
    fn full_hessian(&self, hessian: &mut [f64]) {
        let (rows, classes) = self.features.dim();
        let size = classes * classes + classes;
        let extended = self.extended_features();
        let mut scaled = extended.clone();
        // Where (slope of class c on feature i) and (intercept of class c) stand.
        let place = |class: usize, i: usize| {
            if i < classes { class * classes + i } else { classes * classes + class }
        };
        for c in 0..classes {
            for d in 0..=c {
                let factors: Array1<f64> = (0..rows)
                    .map(|row| {
                        let (p, q) = (self.scores[[row, c]], self.scores[[row, d]]);
                        self.weights[row] / rows as f64
                            * if c == d { p * (1.0 - p) } else { -p * q }
                    })
                    .collect();
                scaled.assign(&extended);
                scaled *= &factors.insert_axis(Axis(1));
                let block = scaled.t().dot(&extended);
                for i in 0..=classes {
                    for j in 0..=classes {
                        let (row, column) = (place(c, i), place(d, j));
                        hessian[row * size + column] = block[[i, j]];
                        hessian[column * size + row] = block[[i, j]];
                    }
                }
            }
        }
    }

    /// The same for one slope and one intercept a class: diag − Σ w v vᵀ / n with v = (p∘x, p).
    fn diagonal_hessian(&self, hessian: &mut [f64]) {
        let (rows, classes) = self.features.dim();
        let size = 2 * classes;
        let mut outer = Array2::zeros((rows, size));
        for row in 0..rows {
            let weight = self.weights[row] / rows as f64;
            let root = weight.sqrt();
            for c in 0..classes {
                let (p, x) = (self.scores[[row, c]], self.features[[row, c]]);
                outer[[row, c]] = root * p * x;
                outer[[row, classes + c]] = root * p;
                hessian[c * size + c] += weight * p * x * x;
                hessian[c * size + classes + c] += weight * p * x;
                hessian[(classes + c) * size + c] += weight * p * x;
                hessian[(classes + c) * size + classes + c] += weight * p;
            }
        }
        let product = outer.t().dot(&outer);
        hessian.iter_mut().zip(&product).for_each(|(entry, value)| *entry -= value);
    }

    /// One slope for all classes: the diagonal Hessian with the slopes' rows and columns added up.
    fn scalar_hessian(&self, hessian: &mut [f64]) {
        let classes = self.classes();
        let mut diagonal = vec![0.0; 4 * classes * classes];
        self.diagonal_hessian(&mut diagonal);
        let collapse = |i: usize| if i < classes { 0 } else { i - classes + 1 };
        for (position, value) in diagonal.into_iter().enumerate() {
            let (row, column) = (position / (2 * classes), position % (2 * classes));
            hessian[collapse(row) * (classes + 1) + collapse(column)] += value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Predictions, simulate};

    /// Gradient and Hessian against central differences, for every shape.
    #[test]
    fn derivatives_agree_with_differences() {
        let predictions = simulate("multiclass-overconfident-3", 40, 1).unwrap();
        let weights = (0..40).map(|row| 0.5 + (row % 3) as f64).collect();
        let sample = Sample::from(&predictions.with_weights(weights).unwrap());
        for shape in [Shape::Scalar, Shape::Diagonal, Shape::Full] {
            let size = shape.slopes(3) + 3;
            let mut objective = CrossEntropy {
                shape,
                labels: sample.labels(),
                weights: (0..40).map(|row| sample.weight(row)).collect(),
                features: sample.probs().mapv(f64::ln),
                scores: Array2::zeros((40, 3)),
                identity: vec![0.5; size],
                penalties: (0..size).map(|i| 0.01 * i as f64).collect(),
            };
            let at: Vec<f64> = (0..size).map(|i| 0.3 + 0.1 * (i as f64).sin()).collect();
            let (mut gradient, mut hessian) = (vec![0.0; size], vec![0.0; size * size]);
            objective.evaluate(&at, &mut gradient, Some(&mut hessian));
            let step = 1e-5;
            for i in 0..size {
                let shifted = |sign: f64| {
                    let mut shifted = at.clone();
                    shifted[i] += sign * step;
                    shifted
                };
                let (mut up, mut down) = (vec![0.0; size], vec![0.0; size]);
                let high = objective.evaluate(&shifted(1.0), &mut up, None);
                let low = objective.evaluate(&shifted(-1.0), &mut down, None);
                // Central differences of step 1e-5 err by about 1e-10.
                assert!(((high - low) / (2.0 * step) - gradient[i]).abs() < 1e-8, "{shape:?} {i}");
                for j in 0..size {
                    let slope = (up[j] - down[j]) / (2.0 * step);
                    let entry = hessian[i * size + j];
                    assert!((slope - entry).abs() < 1e-8, "{shape:?} {i} {j}: {slope} {entry}");
                }
            }
        }
    }

    #[test]
    fn one_class_in_training_gives_a_finite_map() {
        let probs = ndarray::array![[0.2, 0.8, 0.0], [0.3, 0.3, 0.4], [0.0, 0.0, 1.0]];
        let sample = Sample::from(&Predictions::new(probs, &[2, 2, 2]).unwrap());
        for shape in [Shape::Scalar, Shape::Diagonal, Shape::Full] {
            let features = sample.probs().mapv(crate::simplex::floored_ln);
            let map = LinearMap::fit(&sample, features, shape, Penalty::even(NO_PENALTY));
            assert!(map.converged() && map.is_sound(), "{shape:?}");
        }
    }
}
