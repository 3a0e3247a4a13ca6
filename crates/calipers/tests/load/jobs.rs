//! What is estimated: a bit of everything.

use calipers::{Estimator, Predictions, recalibrator, simulate};

/// An estimate, and what comes of it.
pub struct Job {
    predictions: Predictions<'static>,
    estimator: Estimator,
    answer: String,
}

impl Job {
    fn new(setting: &str, rows: usize, name: &str, threads: usize, draws: usize) -> Self {
        let predictions = simulate(setting, rows, rows as u64).unwrap();
        let own = recalibrator(name).unwrap();
        let estimator = Estimator::new().recalibrator(own).threads(threads).draws(draws);
        let mut job = Self { predictions, estimator, answer: String::new() };
        job.answer = job.estimate();
        job
    }

    /// The report, whose numbers are written so that they tell every bit.
    fn estimate(&self) -> String {
        self.estimator.estimate(&self.predictions).unwrap().to_json().to_string()
    }

    /// Estimates again: whether the answer is the same.
    pub fn again(&self) -> bool {
        self.estimate() == self.answer
    }

    /// The job of a worker at a time; workers start at different ones, so that all are under way at
    /// any time.
    pub fn chosen(jobs: &[Self], worker: usize, turn: usize) -> &Self {
        &jobs[(worker * 5 + turn) % jobs.len()]
    }
}

/// Jobs of every size: 50 to 500 rows, two classes and three, on one thread, two, and as many as there
/// are cores, with and without a p-value.
pub fn all() -> Vec<Job> {
    let names = [
        "auto",
        "temperature",
        "isotonic",
        "logistic",
        "kernel",
        "partition",
        "bins-mass",
        "boost:trees=3",
        "identity",
    ];
    let mut jobs = Vec::new();
    for (at, name) in names.into_iter().enumerate() {
        for (classes, setting) in
            ["binary-overconfident", "multiclass-overconfident-3"].iter().enumerate()
        {
            let rows = 50 + (at * 2 + classes) * 450 / (names.len() * 2 - 1);
            let draws = if at % 2 == 0 { 99 } else { 0 };
            jobs.push(Job::new(setting, rows, name, (at + classes) % 3, draws));
        }
    }
    // The default, at the largest size and the smallest.
    jobs.push(Job::new("binary-overconfident", 500, "auto", 0, 999));
    jobs.push(Job::new("multiclass-overconfident-3", 500, "auto", 0, 999));
    jobs
}
