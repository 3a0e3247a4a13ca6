//! `calipers compare`: several models on the same labels.

use std::path::PathBuf;

use calipers::{Comparison, Difference, Folds, Predictions};

use super::measure::{estimator, explain, metrics, predictions};
use crate::args::{ColumnArgs, ListFormat, MethodArgs, MetricArgs, OUTPUT};
use crate::error::{Failure, Result};
use crate::output::{self, style};
use crate::progress::Progress;

/// Models by the names of their files.
pub type Models = Vec<(String, Predictions<'static>)>;

const EXAMPLES: &str = "\
Examples:
  calipers compare old.csv new.csv
  calipers compare a.parquet b.parquet c.parquet --metric l1,brier --format json

The files hold the same rows in the same order, with the same labels.";

/// Compare several models on the same labels
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
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

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let metrics = metrics(args.metrics.metric.iter().map(String::as_str))?;
    let estimator = estimator(metrics, &args.method)?;
    let (models, plan) = load_models(&args.files, &args.columns, &args.method)?;
    let (estimator, progress) = Progress::watch(estimator.fold_plan(plan));
    let named: Vec<(&str, &Predictions<'_>)> =
        models.iter().map(|(name, predictions)| (name.as_str(), predictions)).collect();
    let comparison = estimator.compare(&named).map_err(|error| explain(&error))?;
    drop(progress);
    let text = match args.format {
        ListFormat::Table => table(&comparison, args.method.confidence),
        ListFormat::Json => output::json::pretty(&comparison.to_json()),
    };
    output::print(&text)
}

/// Reads the files of one model or several, by their names, and the folds that they share.
pub fn load_models(
    files: &[PathBuf],
    columns: &ColumnArgs,
    method: &MethodArgs,
) -> Result<(Models, Folds)> {
    let mut models: Models = Vec::new();
    let mut plan: Option<Folds> = None;
    for file in files {
        let name = file.display().to_string();
        if models.iter().any(|(already, _)| *already == name) {
            return Err(Failure::input(format!("{name}: the file is named twice")));
        }
        let loaded = predictions(file, columns, method)?;
        let own = loaded.folds.unwrap_or_default();
        if plan.as_ref().is_some_and(|plan| *plan != own) {
            return Err(Failure::input(format!(
                "{name}: its folds are not those of the first file"
            ))
            .hint("all models are compared on the same folds; --folds 5 draws them"));
        }
        plan = Some(own);
        models.push((name, loaded.predictions));
    }
    Ok((models, plan.unwrap_or_default()))
}

/// One table a metric: the models, then what differs.
fn table(comparison: &Comparison, confidence: f64) -> String {
    let mut text = String::new();
    for (number, name) in comparison.models.iter().enumerate() {
        text.push_str(&format!("{}  {name}\n", letter(number)));
    }
    let lower = output::table::lower_name(confidence);
    for metric in comparison.reports.first().iter().flat_map(|report| &report.estimates) {
        let name = &metric.metric;
        let own: Vec<_> = comparison.reports.iter().filter_map(|report| report.get(name)).collect();
        let mut table = style::table(&[name, "estimate", "std. error", &lower, "p_value"]);
        let column = |numbers: Vec<Option<f64>>| {
            let texts = numbers.into_iter().map(|one| one.map_or_else(String::new, style::decimal));
            style::aligned(&texts.collect::<Vec<_>>())
        };
        let values = column(own.iter().map(|one| Some(one.value)).collect());
        let errors = column(own.iter().map(|one| Some(one.stderr)).collect());
        let lowers = column(own.iter().map(|one| Some(one.lower)).collect());
        let p_values = column(own.iter().map(|one| one.p_value).collect());
        for number in 0..own.len() {
            let name = letter(number);
            let cells =
                [&name, &values[number], &errors[number], &lowers[number], &p_values[number]];
            table.add_row(cells.map(String::as_str));
        }
        text.push('\n');
        text.push_str(&style::render(table));
        for one in comparison.differences.iter().filter(|one| one.metric == *name) {
            text.push_str(&sentence(one, confidence));
            text.push('\n');
        }
    }
    text
}

/// In so many words.
fn sentence(one: &Difference, confidence: f64) -> String {
    let (first, second) = (letter(one.first), letter(one.second));
    let numbers = format!(
        "{} ({} to {}), p = {}",
        style::decimal(one.value),
        style::decimal(one.interval.0),
        style::decimal(one.interval.1),
        style::decimal(one.p_value)
    );
    if !one.is_clear(confidence) {
        return format!(
            "{first} and {second} are not shown to differ: {first} - {second} = {numbers}"
        );
    }
    let (worse, better) = if one.value > 0.0 { (&first, &second) } else { (&second, &first) };
    format!("{worse} is worse than {better}: {first} - {second} = {numbers}")
}

/// A, B, …, Z, A1, B1, …
fn letter(number: usize) -> String {
    let letter = char::from(b'A' + (number % 26) as u8);
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}
