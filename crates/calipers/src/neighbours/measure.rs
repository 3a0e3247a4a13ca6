//! Measuring with several neighbours, and what comes out.

use serde_json::{Map, Value, json};

use super::neighbour::Neighbour;
use super::registry::TABLE;
use super::rule::{Chance, Outcome};
use super::sums::NeighbourSums;
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::estimate::number;
use crate::estimate::score_test::automatic_draws;
use crate::run::{Stop, pooled, stop};

/// Measures calibration as others do.
///
/// Defaults: every neighbour that these predictions have, save those whose cost grows with the
/// square of the rows where there are more than 20,000; seed 0; as many drawings as an
/// [`Estimator`](crate::Estimator) makes; as many threads as the machine has cores. Weights are
/// refused: the measures are defined for rows that count alike.
///
/// ```
/// use calipers::{Neighbours, simulate};
///
/// let predictions = simulate("binary-calibrated", 2_000, 0)?;
/// let found = Neighbours::new().ask("ece:bins=100".parse()?).measure(&predictions)?;
/// // Nothing is wrong with these predictions, but a hundred bins say otherwise.
/// assert!(found.get("ece:bins=100").unwrap().value.unwrap() > 0.05);
/// # Ok::<(), calipers::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    asked: Vec<Neighbour>,
    seed: u64,
    draws: Option<usize>,
    threads: usize,
    stop: Option<Stop>,
}

/// More rows than this, and a cost that grows with their square must be asked for.
const MOST_ROWS_SQUARED: usize = 20_000;

/// Up to so many rows, what needs but a sort is done before a second thread would have started.
const FEW_ROWS: usize = 20_000;

impl Neighbours {
    /// The default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks a neighbour, once however often it is named. Without any, all are asked that measure such
    /// predictions.
    #[must_use]
    pub fn ask(mut self, neighbour: Neighbour) -> Self {
        if self.asked.iter().all(|already| already.to_string() != neighbour.to_string()) {
            self.asked.push(neighbour);
        }
        self
    }

    /// Asks several neighbours.
    #[must_use]
    pub fn ask_all(self, neighbours: impl IntoIterator<Item = Neighbour>) -> Self {
        neighbours.into_iter().fold(self, Self::ask)
    }

    /// The seed of the drawings.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How often labels are drawn from the predictions where a test needs it; 0 for no such test.
    #[must_use]
    pub fn draws(mut self, draws: usize) -> Self {
        self.draws = Some(draws);
        self
    }

    /// How many threads to use; 0 for as many as there are cores, or one where more would not be
    /// worth starting.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The number of threads that [`measure`](Self::measure) starts for such predictions; 0 for as many
    /// as there are cores.
    pub fn threads_for(&self, rows: usize, classes: usize) -> usize {
        let quadratic =
            self.asked.is_empty() || self.asked.iter().any(|one| one.is_quadratic(classes));
        if self.threads == 0 && !quadratic && rows <= FEW_ROWS { 1 } else { self.threads }
    }

    /// A handle by which it can be stopped.
    #[must_use]
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Measures.
    ///
    /// # Errors
    /// Weights, a neighbour that measures no such predictions, or [`Error::Stopped`] by the handle.
    pub fn measure(&self, predictions: &Predictions<'_>) -> Result<Measurements> {
        let threads = self.threads_for(predictions.rows(), predictions.classes());
        pooled(threads, self.stop.as_ref(), || self.measure_here(predictions, None))
    }

    /// What is to be added up over all rows of a stream, of which these are a sample; then
    /// [`measure_stream`](Self::measure_stream).
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn sums(&self, sample: &Predictions<'_>) -> Result<NeighbourSums> {
        let (asked, _) = self.checked(sample)?;
        Ok(NeighbourSums::new(&asked, sample.classes()))
    }

    /// Measures a stream of so many rows: all of them where sums are all that it takes, and the sample
    /// where rows must be sorted or paired. Each [`Measurement`] says how many rows it is of.
    ///
    /// # Errors
    /// As [`measure`](Self::measure); sums of more or fewer rows, unless there is nothing to add up.
    pub fn measure_stream(
        &self,
        sample: &Predictions<'_>,
        rows: u64,
        all: &NeighbourSums,
    ) -> Result<Measurements> {
        if !all.is_empty() && all.rows() != rows {
            let reason = format!("of {rows} rows, {} were added up", all.rows());
            return Err(Error::Tally { reason });
        }
        let threads = self.threads_for(sample.rows(), sample.classes());
        let found = pooled(threads, self.stop.as_ref(), || self.measure_here(sample, Some(all)))?;
        Ok(Measurements { rows: rows as usize, sample: Some(sample.rows()), ..found })
    }

    /// What to measure, and what is left out, if such predictions can be measured.
    fn checked(&self, predictions: &Predictions<'_>) -> Result<(Vec<Neighbour>, Vec<String>)> {
        if predictions.weights().is_some() {
            return Err(Error::Setting {
                name: "weight",
                reason: "these measures are defined for rows that count alike".to_owned(),
            });
        }
        let (asked, left_out) = self.asked_or_default(predictions)?;
        asked.iter().try_for_each(|neighbour| neighbour.check(predictions))?;
        Ok((asked, left_out))
    }

    /// Measures on the threads that call.
    fn measure_here(
        &self,
        predictions: &Predictions<'_>,
        all: Option<&NeighbourSums>,
    ) -> Result<Measurements> {
        let (asked, left_out) = self.checked(predictions)?;
        let automatic = || automatic_draws(predictions.rows(), predictions.classes());
        let chance = Chance { seed: self.seed, draws: self.draws.unwrap_or_else(automatic) };
        let mut found = Vec::with_capacity(asked.len());
        for neighbour in &asked {
            let summed = all.and_then(|all| Some((all.found(neighbour)?, all.rows() as usize)));
            let (outcome, rows) = summed
                .unwrap_or_else(|| (neighbour.measure(predictions, &chance), predictions.rows()));
            found.push(Measurement::of(neighbour, outcome, rows));
            stop::check()?;
        }
        Ok(Measurements {
            rows: predictions.rows(),
            sample: None,
            classes: predictions.class_names().to_vec(),
            seed: self.seed,
            found,
            left_out,
        })
    }

    /// What to measure, and what is left out because it would take long.
    fn asked_or_default(
        &self,
        predictions: &Predictions<'_>,
    ) -> Result<(Vec<Neighbour>, Vec<String>)> {
        if !self.asked.is_empty() {
            return Ok((self.asked.clone(), Vec::new()));
        }
        let many = predictions.classes() > 2;
        let names = TABLE.iter().flat_map(|entry| (entry.usual)(many));
        let all = names.map(|name| name.parse()).collect::<Result<Vec<Neighbour>>>()?;
        let costly = predictions.rows() > MOST_ROWS_SQUARED;
        let (left_out, asked): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|neighbour| costly && neighbour.is_quadratic(predictions.classes()));
        Ok((asked, left_out.iter().map(Neighbour::to_string).collect()))
    }
}

/// What one neighbour says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Measurement {
    /// The neighbour's name.
    pub name: String,
    /// The error or the statistic; none where such rows have none.
    pub value: Option<f64>,
    /// The p-value of "this model is calibrated", of those that are tests.
    pub p_value: Option<f64>,
    /// What else there is to know, by name.
    pub details: Vec<(&'static str, f64)>,
    /// Why there is no value.
    pub reason: Option<String>,
    /// How many rows it is of: of a stream all of them, or those of the sample.
    pub rows: usize,
}

impl Measurement {
    fn of(neighbour: &Neighbour, outcome: Outcome, rows: usize) -> Self {
        let name = neighbour.to_string();
        match outcome {
            Ok(found) => Self {
                name,
                value: Some(found.value),
                p_value: found.p_value,
                details: found.details,
                reason: None,
                rows,
            },
            Err(reason) => Self {
                name,
                value: None,
                p_value: None,
                details: Vec::new(),
                reason: Some(reason),
                rows,
            },
        }
    }

    /// A detail, by its name.
    pub fn detail(&self, name: &str) -> Option<f64> {
        self.details.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("value".into(), self.value.map_or(Value::Null, number));
        if let Some(p_value) = self.p_value {
            fields.insert("p_value".into(), number(p_value));
        }
        for (name, value) in &self.details {
            fields.insert((*name).into(), number(*value));
        }
        if let Some(reason) = &self.reason {
            fields.insert("reason".into(), json!(reason));
        }
        Value::Object(fields)
    }
}

/// What the neighbours say of some predictions.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Measurements {
    /// The number of rows.
    pub rows: usize,
    /// How many of them are in the sample, if they are a stream.
    pub sample: Option<usize>,
    /// The classes' names.
    pub classes: Vec<String>,
    /// The seed.
    pub seed: u64,
    /// What each said, in the order in which they were asked.
    pub found: Vec<Measurement>,
    /// Those that were not asked because of their cost with so many rows.
    pub left_out: Vec<String>,
}

impl Measurements {
    /// What a neighbour said, by its name.
    pub fn get(&self, name: &str) -> Option<&Measurement> {
        self.found.iter().find(|one| one.name == name)
    }

    /// All as JSON; infinite values are the strings `"inf"` and `"-inf"`. Of a stream there is the size of
    /// the sample (`sample`), and for each measure the number of rows that it is of (`n`).
    pub fn to_json(&self) -> Value {
        let measure = |one: &Measurement| {
            let mut fields = one.to_json();
            if self.sample.is_some() {
                fields["n"] = one.rows.into();
            }
            (one.name.clone(), fields)
        };
        let measures: Map<String, Value> = self.found.iter().map(measure).collect();
        let mut all = json!({
            "n": self.rows,
            "classes": self.classes,
            "seed": self.seed,
            "measures": measures,
            "left_out": self.left_out,
        });
        if let Some(sample) = self.sample {
            all["sample"] = sample.into();
        }
        all
    }
}
