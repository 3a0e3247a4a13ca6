//! Runs a property on drawn cases, and counts them.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::strategy::Strategy;
use proptest::test_runner::{
    Config, FileFailurePersistence, RngAlgorithm, TestCaseError, TestRng, TestRunner,
};

/// What a case comes to.
pub type Held = Result<(), TestCaseError>;

/// A property: what it says, of how many recalibrators and metrics, in how many cases.
pub struct Property {
    pub says: &'static str,
    /// Where failing cases are kept: beside this source file.
    pub file: &'static str,
    pub recalibrators: usize,
    pub metrics: usize,
    /// How many cases an ordinary run has.
    pub cases: u32,
}

/// How many fits or estimates were compared.
#[derive(Default)]
pub struct Compared(AtomicU64);

impl Compared {
    pub fn one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A whole number that an environment variable gives.
fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

impl Property {
    /// Fails with the least case that it does not hold for.
    ///
    /// `CALIPERS_PROPERTY_TIMES` multiplies the cases, `CALIPERS_PROPERTY_SEED` draws others, and the file that
    /// `CALIPERS_PROPERTY_TABLE` names gets a line.
    pub fn holds<S: Strategy>(self, drawn: S, check: impl Fn(S::Value, &Compared) -> Held) {
        let cases = self.cases * number("CALIPERS_PROPERTY_TIMES", 1) as u32;
        let config = Config {
            cases,
            failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
            source_file: Some(self.file),
            // A step of shrinking fits every recalibrator: a minute of them is enough.
            max_shrink_time: 60_000,
            ..Config::default()
        };
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number("CALIPERS_PROPERTY_SEED", 0).to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let compared = Compared::default();
        let mut runner = TestRunner::new_with_rng(config, rng);
        let outcome = runner.run(&drawn, |drawn| check(drawn, &compared));
        self.write(cases, compared.0.into_inner(), outcome.is_err());
        if let Err(error) = outcome {
            panic!("{}: {error}", self.says);
        }
    }

    fn write(&self, cases: u32, compared: u64, failed: bool) {
        let Ok(path) = std::env::var("CALIPERS_PROPERTY_TABLE") else { return };
        let Self { says, recalibrators, metrics, .. } = self;
        let failed = u8::from(failed);
        let line = format!("{says},{recalibrators},{metrics},{cases},{compared},{failed}\n");
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        // One write, so that tests that end together do not write into each other's lines.
        file.write_all(line.as_bytes()).unwrap();
    }
}
