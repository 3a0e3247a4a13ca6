//! What is measured of answers with confidences, whichever harness they are of.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use calipers::words::{listed, visible};
use calipers::{Estimator, Report};
use calipers_draw::text::{self, Face, note};
use calipers_draw::{Page, Run};
use calipers_files::{Answers, ModelAnswers};
use serde_json::{Map, Value, json};

use super::explain::explain;
use super::harness::{asked, check_page, left_out_json, nothing, remarks};
use crate::args::{ColumnArgs, ListFormat, MethodArgs, MetricArgs, OUTPUT};
use crate::error::{Failure, Result, say};
use crate::output::{self, look};
use crate::progress::Progress;

/// What is measured unless it is said. Not the log loss: who says 100 % and is wrong once has an infinite one.
const DEFAULTS: [&str; 3] = ["l1", "over-l1", "brier"];

/// What is asked of answers with confidences.
#[derive(Debug, clap::Args)]
pub struct AnswersArgs {
    /// Tasks to measure, separated by commas [default: all]
    #[arg(long, value_name = "TASKS", value_delimiter = ',')]
    pub task: Vec<String>,

    /// Model to measure [default: all]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,

    #[command(flatten)]
    pub metrics: MetricArgs,

    #[command(flatten)]
    pub method: MethodArgs,

    /// Write a page with figures, too, of one model: .html
    #[arg(short, long, value_name = "HTML", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// How to print the errors
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ListFormat,
}

/// Reads answers, measures each model, prints.
pub fn run(args: &AnswersArgs, read: impl FnOnce(&[String]) -> Result<Answers>) -> Result<()> {
    check_page(args.output.as_ref())?;
    let stated =
        ColumnArgs { correct_column: Some("right answers".to_owned()), ..ColumnArgs::default() };
    let estimator = asked(&args.metrics, &DEFAULTS, &args.method, &stated)?;
    let start = Instant::now();
    let progress = Progress::start("reading");
    let mut answers = read(&args.task)?;
    choose(&mut answers, args)?;
    let estimator = progress.watch(estimator, args.method.draws, "on to the next");
    let mut reports: Vec<(&str, Report)> = Vec::new();
    for model in &answers.models {
        let report = estimator.estimate(&model.predictions()?).map_err(|error| explain(&error))?;
        reports.push((&model.name, report));
    }
    if let (Some(path), [model]) = (&args.output, answers.models.as_slice()) {
        let mut run = Run::new(concat!("calipers ", env!("CARGO_PKG_VERSION")), 0.0);
        run.notes = said(&answers);
        draw(path, model, &estimator, run, start)?;
    }
    drop(progress);
    match args.format {
        ListFormat::Json => {
            output::print(&output::pretty(&as_json(&answers, &reports)))?;
            said(&answers).iter().for_each(|one| say(one));
            Ok(())
        }
        ListFormat::Table => output::print(&table(&answers, &reports)),
    }
}

/// Leaves the models that are asked for.
fn choose(answers: &mut Answers, args: &AnswersArgs) -> Result<()> {
    if answers.models.is_empty() {
        return Err(nothing(&answers.left_out));
    }
    let names: Vec<_> = answers.models.iter().map(|model| visible(&model.name)).collect();
    let names = listed(&names);
    if let Some(name) = &args.model {
        answers.models.retain(|model| model.name == *name);
        if answers.models.is_empty() {
            return Err(Failure::input(format!("--model {name}: there is no such model"))
                .hint(format!("there are {names}")));
        }
    }
    match answers.models.len() {
        several if several > 1 && args.output.is_some() => Err(Failure::input(format!(
            "--output: a page is of one model, and there are {several}"
        ))
        .hint(format!("--model says which one: {names}"))),
        _ => Ok(()),
    }
}

/// Writes the page of a model.
fn draw(
    path: &Path,
    model: &ModelAnswers,
    estimator: &Estimator,
    mut run: Run,
    start: Instant,
) -> Result<()> {
    let predictions = model.predictions()?;
    let seen = estimator
        .examine(&[(model.name.as_str(), &predictions)])
        .map_err(|error| explain(&error))?;
    run.seconds = start.elapsed().as_secs_f64();
    let html = Page::new(&seen, run).html();
    Ok(calipers_files::write(path, |file| file.write_all(html.as_bytes()))?)
}

/// What a reader should know of what was not read.
fn said(answers: &Answers) -> Vec<String> {
    let mut all = remarks(&answers.left_out, answers.earlier);
    let rows =
        [(answers.unsure, "without a confidence"), (answers.unclear, "neither right nor wrong")];
    for (count, what) in rows.into_iter().filter(|(count, _)| *count > 0) {
        all.push(note(&format!("{} {what} left out", text::count(count, "answer"))));
    }
    all
}

fn table(answers: &Answers, reports: &[(&str, Report)]) -> String {
    let one = |(name, report): &(&str, Report)| {
        let notes = text::notes(report, Face::CommandLine);
        text::report(report, Some(&visible(name)), false, &notes, look())
    };
    let mut parts: Vec<String> = reports.iter().map(one).collect();
    let remarks: String = said(answers).iter().map(|one| format!("{one}\n")).collect();
    parts.extend(Some(remarks).filter(|remarks| !remarks.is_empty()));
    parts.join("\n")
}

fn as_json(answers: &Answers, reports: &[(&str, Report)]) -> Value {
    let models: Map<String, Value> =
        reports.iter().map(|(name, report)| ((*name).to_owned(), report.to_json())).collect();
    json!({
        "models": models,
        "left_out": left_out_json(&answers.left_out),
        "earlier_files": answers.earlier,
        "without_confidence": answers.unsure,
        "neither_right_nor_wrong": answers.unclear,
    })
}
