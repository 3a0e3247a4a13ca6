//! The command line: what can be asked for, and the help texts.

mod recalibrate;

use std::path::PathBuf;

use calipers::{BinaryNorm, Test};
use clap::{Args, Parser, Subcommand, ValueEnum};

pub use recalibrate::{ApplyArgs, FitArgs, RecalibrateCommand};

/// How far a classifier's probabilities are from the truth.
///
/// calipers estimates the calibration error of a file of predictions: how far the probabilities
/// that a classifier gave are from the frequencies with which the classes turned out. The
/// estimate needs no bins, and in expectation it never exceeds the true error.
#[derive(Debug, Parser)]
#[command(name = "calipers", version, subcommand_required = true, max_term_width = 80)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The sub-commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Estimate the calibration errors of a file of predictions
    #[command(after_help = ESTIMATE_EXAMPLES)]
    Estimate(Box<EstimateArgs>),
    /// Stop a build whose model is shown to be calibrated worse than allowed
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<CheckArgs>),
    /// Compare several models on the same labels
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(Box<CompareArgs>),
    /// Write a page that shows how far the probabilities are from the truth
    #[command(after_help = REPORT_EXAMPLES)]
    Report(Box<ReportArgs>),
    /// Draw a figure as SVG or PNG
    #[command(after_help = PLOT_EXAMPLES)]
    Plot(Box<PlotArgs>),
    /// Measure calibration as others do: ECE and its kin, and classical tests
    #[command(after_help = NEIGHBOURS_EXAMPLES)]
    Neighbours(Box<NeighboursArgs>),
    /// Correct probabilities: fit a recalibrator to a file, apply it to others
    #[command(subcommand)]
    Recalibrate(Box<RecalibrateCommand>),
    /// Draw predictions whose calibration error is known, to try things out
    #[command(
        after_help = SIMULATE_EXAMPLES,
        override_usage = "calipers simulate <NAME> -n <N> [--seed <S>] -o <FILE>"
    )]
    Simulate(SimulateArgs),
    /// List the metrics: what can be measured
    Metrics(ListArgs),
    /// List the recalibrators: what the truth is learnt with
    Recalibrators(ListArgs),
}

const ESTIMATE_EXAMPLES: &str = "\
Examples:
  calipers estimate predictions.csv
  calipers estimate predictions.parquet --label animal --probs p_cat,p_dog
  calipers estimate logits.npz --metric l1,top-l1,log --log-floor 1e-12
  cut -d, -f2- table.csv | calipers estimate - --metric l1 --format json

Files are CSV or TSV with a header line, Parquet, Arrow IPC (Feather), or NPZ
with the arrays probs (or logits) and labels, and weights, groups, folds and
classes if there are. Without --label and --probs the columns are guessed, and
what was guessed is said on standard error.

Labels are the classes' names, which are the names of the probability columns
without a prefix such as p_, or the columns' positions from 0, or true and false.";

const CHECK_EXAMPLES: &str = "\
Examples:
  calipers check predictions.parquet --max l1=0.02
  calipers check predictions.csv --max top-l1=0.03,brier=0.001 --junit report.xml

The exit status is 1 if the lower confidence bound of an error is above its
limit, 0 if none is, and 2 if something is wrong with the input. So a build is
only stopped by what the data show; what they leave open is said.";

const COMPARE_EXAMPLES: &str = "\
Examples:
  calipers compare old.csv new.csv
  calipers compare a.parquet b.parquet c.parquet --metric l1,brier --format json

The files hold the same rows in the same order, with the same labels.";

const REPORT_EXAMPLES: &str = "\
Examples:
  calipers report predictions.parquet -o report.html
  calipers report old.csv new.csv -o comparison.html --metric l1,log

The page is one file that asks for nothing else: it can be mailed, kept, printed.
Several files hold the same rows in the same order, with the same labels.";

const PLOT_EXAMPLES: &str = "\
Examples:
  calipers plot reliability predictions.csv -o figure.svg
  calipers plot reliability animals.csv --class cat --bins -o cat.png
  calipers plot contribution predictions.csv -o where.svg

Of more than two classes the most probable one is drawn, unless --class names
another. reliability is g, the estimated truth, over f, what was predicted;
contribution is where the l1 error comes from along f.";

const NEIGHBOURS_EXAMPLES: &str = "\
Examples:
  calipers neighbours                       lists what there is
  calipers neighbours predictions.csv
  calipers neighbours predictions.csv --measure ece:bins=20,by=mass,smooth
  calipers neighbours ten.parquet --measure top-ece,classwise-ece,skce

One-dimensional measures of more than two classes take a scope: top- for the
most probable class, classwise- for the mean over classes, marginal- for their
mean under the measure's power.";

const SIMULATE_EXAMPLES: &str = "\
Examples:
  calipers simulate binary-overconfident -n 10000 -o predictions.csv
  calipers simulate binary-under -n 1000 -o - | calipers estimate -

The file holds the column label, then one probability a class: p_0, p_1, ...
(NPZ: the arrays probs and labels). calipers simulate alone lists the names.";

/// The settings of `calipers estimate`.
#[derive(Debug, Args)]
pub struct EstimateArgs {
    /// The predictions: .csv, .tsv, .parquet, .arrow, .feather or .npz; - is CSV on standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub metrics: MetricArgs,

    #[command(flatten)]
    pub method: MethodArgs,

    /// Add the in-sample estimates, which err upwards as the others err downwards
    #[arg(long, help_heading = MEASURE)]
    pub bracket: bool,

    /// Split the mean brier and log losses into miscalibration, discrimination and uncertainty
    #[arg(long, help_heading = OUTPUT)]
    pub decompose: bool,

    /// How to print the estimates
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ReportFormat,

    /// Leave out the small diagram that ends the table in a terminal
    #[arg(long, help_heading = OUTPUT)]
    pub plain: bool,

    /// Say on standard error how long reading and estimating took
    #[arg(long, help_heading = OUTPUT)]
    pub timings: bool,
}

/// The settings of `calipers check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The predictions: .csv, .tsv, .parquet, .arrow, .feather or .npz; - is CSV on standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// What may not be exceeded, such as l1=0.02; repeat it or separate by commas
    #[arg(long, value_name = "M=LIMIT", value_delimiter = ',', required = true, help_heading = MEASURE)]
    pub max: Vec<String>,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub method: MethodArgs,

    /// Write the outcome as JUnit XML, for systems that show it beside other tests
    #[arg(long, value_name = "XML", help_heading = OUTPUT)]
    pub junit: Option<PathBuf>,

    /// How to print the outcome
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ListFormat,
}

/// The settings of `calipers compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The predictions of two models or more, one file each
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub metrics: MetricArgs,

    #[command(flatten)]
    pub method: MethodArgs,

    /// How to print the comparison
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ListFormat,
}

/// The settings of `calipers report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The predictions: .csv, .tsv, .parquet, .arrow, .feather or .npz; - is CSV on standard input;
    /// several files are several models, which are compared
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    pub files: Vec<PathBuf>,

    /// File to write: .html; - prints it
    #[arg(short, long, value_name = "HTML")]
    pub output: PathBuf,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub metrics: MetricArgs,

    #[command(flatten)]
    pub method: MethodArgs,

    /// Add the in-sample estimates, which err upwards as the others err downwards
    #[arg(long, help_heading = MEASURE)]
    pub bracket: bool,
}

/// The settings of `calipers plot`.
#[derive(Debug, Args)]
pub struct PlotArgs {
    /// What to draw
    #[arg(value_enum, value_name = "KIND")]
    pub kind: PlotKind,

    /// The predictions: .csv, .tsv, .parquet, .arrow, .feather or .npz; - is CSV on standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// File to write: .svg or .png; - prints SVG
    #[arg(short, long, value_name = "FIGURE")]
    pub output: PathBuf,

    /// The class to look at [default: class 1 of two, else the most probable one]
    #[arg(long, value_name = "NAME", help_heading = MEASURE)]
    pub class: Option<String>,

    /// Draw the frequencies in 15 bins, too
    #[arg(long, help_heading = OUTPUT)]
    pub bins: bool,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub method: MethodArgs,
}

/// The settings of `calipers neighbours`.
#[derive(Debug, Args)]
pub struct NeighboursArgs {
    /// The predictions: .csv, .tsv, .parquet, .arrow, .feather or .npz; - is CSV on standard input;
    /// leave it out for a list of the measures
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    #[command(flatten)]
    pub columns: ColumnArgs,

    /// What to measure, with parameters after a colon, such as ece:bins=20; repeat it or separate by
    /// commas [default: all that measure such predictions]
    #[arg(long, value_name = "M", help_heading = MEASURE)]
    pub measure: Vec<String>,

    /// Labels drawn from the predictions where a test needs it; 0 for no such test [default: 999,
    /// fewer for much data]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = MEASURE)]
    pub draws: Option<usize>,

    /// Seed of the drawings
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true, help_heading = MEASURE)]
    pub seed: u64,

    #[command(flatten)]
    pub running: RunningArgs,

    /// How to print the measures
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ReportFormat,
}

/// How to run.
#[derive(Debug, Args)]
pub struct RunningArgs {
    /// Threads to use; 0 for one a core
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u16).range(0..=1024),
        help_heading = OUTPUT
    )]
    pub threads: u16,
}

/// What to measure.
#[derive(Debug, Args)]
pub struct MetricArgs {
    /// What to measure; repeat it or separate by commas. `calipers metrics` lists what there is
    /// [default: l1,l2,brier,log]
    #[arg(long, value_name = "M", value_delimiter = ',', help_heading = MEASURE)]
    pub metric: Vec<String>,
}

/// How to measure.
#[derive(Debug, Args)]
pub struct MethodArgs {
    /// What learns the truth from the predictions, with parameters after a colon, such as
    /// kernel:bandwidth=0.05. `calipers recalibrators` lists what there is
    #[arg(long, value_name = "R", default_value = "auto", help_heading = MEASURE)]
    pub recalibrator: String,

    /// How the error of two classes is measured: of class 1 alone, or of both columns
    #[arg(long, value_enum, default_value_t, value_name = "NORM", help_heading = MEASURE)]
    pub binary: Binary,

    /// Let no probability count as less than this in the log metrics, which a zero makes infinite
    #[arg(long, value_name = "EPS", allow_negative_numbers = true, help_heading = MEASURE)]
    pub log_floor: Option<f64>,

    /// Confidence of the lower bounds
    #[arg(
        long,
        value_name = "C",
        default_value_t = 0.95,
        allow_negative_numbers = true,
        help_heading = MEASURE
    )]
    pub confidence: f64,

    /// Labels drawn from the predictions for the p-value; 0 for none [default: 999, fewer for much
    /// data]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = MEASURE)]
    pub draws: Option<usize>,

    /// Where the test behind the p-value looks: at simple functions of the prediction, or, fitted to
    /// every drawing, where the recalibrator does
    #[arg(long, value_enum, default_value_t, value_name = "TEST", help_heading = MEASURE)]
    pub test: TestKind,

    /// Folds of the cross-validation, shuffled by the seed [default: 5]
    #[arg(long, value_name = "K", allow_negative_numbers = true, help_heading = FOLDS)]
    pub folds: Option<usize>,

    /// Column that says which fold a row belongs to, instead of shuffled folds
    #[arg(long, value_name = "COL", conflicts_with = "folds", help_heading = FOLDS)]
    pub fold_column: Option<String>,

    /// Draw the folds this often and average
    #[arg(long, value_name = "R", default_value_t = 1, allow_negative_numbers = true, help_heading = FOLDS)]
    pub repeats: usize,

    /// Seed of everything random; the same seed gives the same digits on any number of threads
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true, help_heading = FOLDS)]
    pub seed: u64,

    #[command(flatten)]
    pub running: RunningArgs,
}

const COLUMNS: &str = "Columns";
const MEASURE: &str = "What to measure";
const FOLDS: &str = "Cross-validation";
const OUTPUT: &str = "Running and printing";

/// Which columns hold what.
#[derive(Debug, Default, Args)]
pub struct ColumnArgs {
    /// Column of the observed classes [default: label, y or target]
    #[arg(long, value_name = "COL", help_heading = COLUMNS)]
    pub label: Option<String>,

    #[command(flatten)]
    pub scores: ScoreArgs,

    /// Column of the rows' weights; only their ratios matter
    #[arg(long, value_name = "COL", help_heading = COLUMNS)]
    pub weight: Option<String>,

    /// Column that says which group a row belongs to: errors within groups are added
    #[arg(long, value_name = "COL", help_heading = COLUMNS)]
    pub group: Option<String>,
}

/// Which columns hold the predictions.
#[derive(Debug, Default, Args)]
pub struct ScoreArgs {
    /// Columns of the probabilities, separated by commas, one a class; a single one is the
    /// probability of class 1 [default: every other column of numbers from 0 to 1]
    #[arg(
        long,
        value_name = "COLS",
        value_delimiter = ',',
        conflicts_with = "logits",
        help_heading = COLUMNS
    )]
    pub probs: Option<Vec<String>>,

    /// Columns of logits instead of probabilities; a single one is the logit of class 1
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = COLUMNS)]
    pub logits: Option<Vec<String>>,
}

/// The settings of `calipers simulate`.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The setting; leave it out for a list
    // Nothing is required by clap, so that a name left out or misspelt gives the list.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,

    /// How many rows to draw
    #[arg(short = 'n', long = "rows", value_name = "N", allow_negative_numbers = true)]
    pub rows: Option<usize>,

    /// Seed of the draws
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,

    /// File to write: .csv, .tsv, .parquet, .arrow, .feather, .ipc or .npz; - prints CSV
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The settings of the commands that list what there is.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// How to print the list
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: ListFormat,
}

// The variants below have no doc comments: clap would turn them into a second, longer help.

/// How a report is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    // For people.
    #[default]
    Table,
    // For programs: everything.
    Json,
    // For spreadsheets: one line a metric.
    Csv,
}

/// How a list is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    // For people.
    #[default]
    Table,
    // For programs.
    Json,
}

/// What a plot shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlotKind {
    // g over f.
    Reliability,
    // The parts of l1 along f.
    Contribution,
}

/// Where the test behind the p-value looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TestKind {
    // At correlations of the residuals with simple functions of the prediction.
    #[default]
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
