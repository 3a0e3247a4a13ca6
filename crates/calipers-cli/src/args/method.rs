//! How to measure.

use calipers::{BinaryNorm, Estimator, Test};
use clap::{Args, ValueEnum};

use super::{FittingArgs, MEASURE};

/// How to measure.
#[derive(Debug, Args)]
pub struct MethodArgs {
    #[command(flatten)]
    pub fitting: FittingArgs,

    #[command(flatten)]
    pub bounds: BoundArgs,

    /// Labels drawn from the predictions for the p-value; 0 for none [default: 999, fewer for much
    /// data]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = MEASURE)]
    pub draws: Option<usize>,

    /// Where the test behind the p-value looks: at simple functions of the prediction, or, fitted to
    /// every drawing, where the recalibrator does [default: score]
    #[arg(long, value_enum, value_name = "TEST", help_heading = MEASURE)]
    pub test: Option<TestKind>,
}

/// What an error is, and how sure its bounds are.
#[derive(Debug, Args)]
pub struct BoundArgs {
    /// How the error of two classes is measured: of class 1 alone, or of both columns
    #[arg(long, value_enum, default_value_t, value_name = "NORM", help_heading = MEASURE)]
    pub binary: Binary,

    /// Let no probability count as less than this in the log metrics, which a zero makes infinite
    #[arg(long, value_name = "EPS", allow_negative_numbers = true, help_heading = MEASURE)]
    pub log_floor: Option<f64>,

    /// Confidence of the bounds
    #[arg(
        long,
        value_name = "C",
        default_value_t = 0.95,
        allow_negative_numbers = true,
        help_heading = MEASURE
    )]
    pub confidence: f64,
}

impl BoundArgs {
    /// An estimator of such errors.
    pub fn ask(&self, estimator: Estimator) -> Estimator {
        let estimator = estimator.confidence(self.confidence).binary(self.binary.into());
        match self.log_floor {
            Some(floor) => estimator.log_floor(floor),
            None => estimator,
        }
    }
}

// The variants below have no doc comments: clap would turn them into a second, longer help.

/// Where the test behind the p-value looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestKind {
    // At correlations of the residuals with simple functions of the prediction.
    Score,
    // Where the recalibrator does.
    Refit,
}

impl From<TestKind> for Test {
    fn from(kind: TestKind) -> Self {
        match kind {
            TestKind::Score => Test::Score,
            TestKind::Refit => Test::Refit,
        }
    }
}

/// How the error of two classes is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Binary {
    // |f1 - C1|, the error of class 1.
    #[default]
    Scalar,
    // The norm over both columns: 2^(1/p) times the scalar, twice the scalar for brier.
    Vector,
}

impl From<Binary> for BinaryNorm {
    fn from(binary: Binary) -> Self {
        match binary {
            Binary::Scalar => BinaryNorm::Scalar,
            Binary::Vector => BinaryNorm::Vector,
        }
    }
}
