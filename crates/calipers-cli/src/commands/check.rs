//! `calipers check`: does the data show that an error is above its limit?

use std::io::Write;
use std::path::PathBuf;

use calipers::{Estimate, Report};
use serde_json::{Map, Value, json};

use super::measure::{estimator, explain, metrics, predictions};
use crate::args::{ColumnArgs, ListFormat, MEASURE, MethodArgs, OUTPUT, to_read};
use crate::error::{Failure, Result, say};
use crate::exit::Exit;
use crate::output::{self, junit, notes, style};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  calipers check predictions.parquet --max l1=0.02
  calipers check predictions.csv --max top-l1=0.03,brier=0.001 --junit report.xml

The exit status is 1 if the lower confidence bound of an error is above its
limit, 0 if none is, and 2 if something is wrong with the input. So a build is
only stopped by what the data show; what they leave open is said.";

/// Stop a build whose model is shown to be calibrated worse than allowed
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[arg(value_name = "FILE", help = to_read())]
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

/// Runs the command; the exit status says how it went.
pub fn run(args: &Args) -> Result<Exit> {
    let limits = limits(&args.max)?;
    let metrics = metrics(limits.iter().map(|(name, _)| name.as_str()))?;
    let mut estimator = estimator(metrics, &args.method)?;
    if args.format == ListFormat::Table {
        // The table has no p-values.
        estimator = estimator.draws(0);
    }
    let loaded = predictions(&args.file, &args.columns, &args.method)?;
    let plan = loaded.folds.unwrap_or_default();
    let (estimator, progress) = Progress::watch(estimator.fold_plan(plan));
    let report = estimator.estimate(&loaded.predictions).map_err(|error| explain(&error))?;
    drop(progress);
    let file = args.file.display().to_string();
    let outcomes: Vec<Outcome> = limits
        .iter()
        .filter_map(|(name, limit)| report.get(name).map(|one| Outcome::new(one, *limit, &report)))
        .collect();
    if let Some(path) = &args.junit {
        let cases = outcomes.iter().map(|one| junit::Case {
            name: format!("{} <= {}", one.metric, one.limit),
            failure: (one.verdict == Verdict::Above).then(|| one.sentence()),
            output: one.sentence(),
        });
        let text = junit::suite(&file, &cases.collect::<Vec<_>>());
        calipers_files::write(path, |out| out.write_all(text.as_bytes()))?;
    }
    let failed = outcomes.iter().any(|one| one.verdict == Verdict::Above);
    let text = match args.format {
        ListFormat::Table => table(&report, &file, &outcomes),
        ListFormat::Json => output::json::pretty(&to_json(&report, &outcomes, failed)),
    };
    output::print(&text)?;
    notes(&report).iter().for_each(|note| say(note));
    Ok(if failed { Exit::CheckFailed } else { Exit::Fine })
}

/// What the data say about a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The lower bound is above the limit.
    Above,
    /// The estimate is above it, the bound is not.
    Undecided,
    /// Not even the estimate is above it.
    NotAbove,
}

struct Outcome {
    metric: String,
    limit: f64,
    value: f64,
    lower: f64,
    verdict: Verdict,
    /// About how many rows would decide.
    rows: Option<usize>,
}

impl Outcome {
    fn new(one: &Estimate, limit: f64, report: &Report) -> Self {
        let verdict = if one.lower > limit {
            Verdict::Above
        } else if one.value > limit {
            Verdict::Undecided
        } else {
            Verdict::NotAbove
        };
        let rows = (verdict == Verdict::Undecided)
            .then(|| one.rows_to_show(limit, report.confidence))
            .flatten();
        let metric = one.metric.clone();
        Self { metric, limit, value: one.value, lower: one.lower, verdict, rows }
    }

    fn sentence(&self) -> String {
        match (self.verdict, self.rows) {
            (Verdict::Above, _) => {
                format!("above the limit by at least {}", style::decimal(self.lower - self.limit))
            }
            (Verdict::Undecided, Some(rows)) => {
                format!("undecided; about {} rows would tell", style::thousands(rows))
            }
            (Verdict::Undecided, None) => "undecided".to_owned(),
            (Verdict::NotAbove, _) => "not shown to be above".to_owned(),
        }
    }
}

/// `l1=0.02` and so on; a metric may have one limit.
fn limits(given: &[String]) -> Result<Vec<(String, f64)>> {
    let mut limits: Vec<(String, f64)> = Vec::new();
    for text in given {
        let text = text.trim();
        let Some((name, limit)) = text.split_once('=') else {
            return Err(Failure::input(format!("--max {text}: a limit is missing"))
                .hint(format!("write it as --max {text}=0.02")));
        };
        // The name as it is printed, so that `l1.0` is `l1`.
        let name =
            metrics(std::iter::once(name))?.first().map_or_else(String::new, ToString::to_string);
        let limit = limit.trim().parse::<f64>().ok().filter(|limit| *limit >= 0.0);
        let Some(limit) = limit.filter(|limit| limit.is_finite()) else {
            return Err(Failure::input(format!(
                "--max {text}: the limit is not a number of at least 0"
            )));
        };
        if limits.iter().any(|(already, _)| *already == name) {
            return Err(Failure::input(format!("--max {text}: {name} has a limit already")));
        }
        limits.push((name, limit));
    }
    Ok(limits)
}

fn table(report: &Report, file: &str, outcomes: &[Outcome]) -> String {
    let mut text = output::table::heading(report, file);
    text.push_str("\n\n");
    let lower = output::table::lower_name(report.confidence);
    let mut table = style::table(&["metric", "limit", "estimate", &lower, "verdict"]);
    let column = |number: fn(&Outcome) -> f64| {
        style::aligned(&outcomes.iter().map(|one| style::decimal(number(one))).collect::<Vec<_>>())
    };
    let (limits, values) = (column(|one| one.limit), column(|one| one.value));
    let lowers = column(|one| one.lower);
    for (row, one) in outcomes.iter().enumerate() {
        let cells = [&one.metric, &limits[row], &values[row], &lowers[row], &one.sentence()];
        table.add_row(cells.map(String::as_str));
    }
    text.push_str(&style::render(table));
    let above: Vec<&str> = outcomes
        .iter()
        .filter(|one| one.verdict == Verdict::Above)
        .map(|one| one.metric.as_str())
        .collect();
    text.push('\n');
    if above.is_empty() {
        text.push_str("passed: no error is shown to be above its limit\n");
    } else {
        text.push_str(&format!("failed: {}\n", above.join(", ")));
    }
    text
}

fn to_json(report: &Report, outcomes: &[Outcome], failed: bool) -> Value {
    let checks: Map<String, Value> = outcomes
        .iter()
        .map(|one| {
            let verdict = match one.verdict {
                Verdict::Above => "above",
                Verdict::Undecided => "undecided",
                Verdict::NotAbove => "not above",
            };
            let fields =
                json!({ "limit": one.limit, "verdict": verdict, "rows_to_tell": one.rows });
            (one.metric.clone(), fields)
        })
        .collect();
    json!({ "passed": !failed, "checks": checks, "report": report.to_json() })
}
