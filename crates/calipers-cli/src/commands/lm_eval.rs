//! `calipers lm-eval`: what lm-evaluation-harness wrote of language models.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use calipers::words::{thousands, visible};
use calipers::{Comparison, Estimator, Predictions, Report};
use calipers_draw::text::{self, Face, note};
use calipers_draw::{Page, Run, leaderboard_page};
use calipers_files::{LmEval, ModelRuns, Questions};
use serde_json::{Map, Value, json};

use super::compare::BoardFormat;
use super::explain::explain;
use super::harness::{asked, check_page, left_out_json, nothing, remarks};
use crate::args::{ColumnArgs, MethodArgs, MetricArgs, OUTPUT};
use crate::error::{Failure, Result, say};
use crate::output::{self, look};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  lm_eval --tasks arc_easy,mmlu --log_samples --output_path results/ ...
  calipers lm-eval results/
  calipers lm-eval results/ --task arc_easy --metric top-l1,top-over-l1
  calipers lm-eval results/ --task mmlu,'blimp_*'
  calipers lm-eval results/ --format json
  calipers lm-eval results/ -o report.html

Of every multiple-choice task the probabilities are the softmax of the options'
log-likelihoods, over the options that a question has. Errors are of all tasks
together and of each, with bounds that hold together; several models are listed
by the error found in the questions that all of them answered. Tasks whose
answers are written, or of which several or none are right, and files that are
damaged, are named and left out. One model in several directories is several.";

/// What is measured unless it is said: of the answer given, and of all options.
const DEFAULTS: [&str; 2] = ["top-l1", "l1"];

/// Measure language models from the samples of lm-evaluation-harness
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Directories that lm_eval --log_samples --output_path wrote to, or its samples_*.jsonl
    #[arg(value_name = "DIR", required = true, num_args = 1..)]
    pub paths: Vec<PathBuf>,

    /// Tasks to measure, groups of them, or patterns with *, separated by commas [default: all]
    #[arg(long, value_name = "TASKS", value_delimiter = ',')]
    pub task: Vec<String>,

    #[command(flatten)]
    pub metrics: MetricArgs,

    #[command(flatten)]
    pub method: MethodArgs,

    /// Write a page with figures, too: .html
    #[arg(short, long, value_name = "HTML", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// How to print the errors; csv and html are the leaderboard of several models
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: BoardFormat,
}

/// A model, with its answers to the questions that all models answered.
type Shared<'a> = (&'a str, Predictions<'static>);

/// The models that were measured: each with all of its questions, and all with those that they share.
struct Found {
    names: Vec<String>,
    reports: Vec<Report>,
    /// The comparison of several, and how many questions it is of.
    compared: Option<(Comparison, usize)>,
    /// What else a reader should know.
    notes: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    check_page(args.output.as_ref())?;
    let estimator = asked(&args.metrics, &DEFAULTS, &args.method, &ColumnArgs::default())?;
    let start = Instant::now();
    let progress = Progress::start("reading");
    let read = LmEval::read(&args.paths, &args.task)?;
    if read.models.is_empty() {
        return Err(nothing(&read.left_out));
    }
    if read.models.len() < 2 && matches!(args.format, BoardFormat::Csv | BoardFormat::Html) {
        return Err(Failure::input(
            "--format: a leaderboard is of several models, and there is one",
        )
        .hint("--format json has everything; -o writes a page"));
    }
    let models = shared(&read.models)?;
    check_shared(args, models.as_deref())?;
    let estimator = progress.watch(estimator, args.method.draws, "on to the next");
    let found = measure(&read, models.as_deref(), &estimator)?;
    if let (Some(path), Some(models)) = (&args.output, &models) {
        let seen = estimator.examine(&named(models)).map_err(|error| explain(&error))?;
        let program = concat!("calipers ", env!("CARGO_PKG_VERSION"));
        let mut run = Run::new(program, start.elapsed().as_secs_f64());
        run.notes.clone_from(&found.notes);
        let html = Page::new(&seen, run).html();
        calipers_files::write(path, |file| file.write_all(html.as_bytes()))?;
    }
    drop(progress);
    let text = match (args.format, &found.compared) {
        (BoardFormat::Json, _) => output::pretty(&json(&read, &found)),
        (BoardFormat::Csv, Some((compared, _))) => text::leaderboard_csv(compared),
        (BoardFormat::Html, Some((compared, _))) => leaderboard_page(compared),
        _ => table(&found),
    };
    output::print(&text)?;
    if args.format != BoardFormat::Table {
        found.notes.iter().for_each(|one| say(one));
    }
    Ok(())
}

/// Measures each model, and compares several on what they share.
fn measure(read: &LmEval, shared: Option<&[Shared<'_>]>, estimator: &Estimator) -> Result<Found> {
    let explained = |error: calipers::Error| explain(&error);
    let mut reports = Vec::new();
    for model in &read.models {
        let own = model.questions.predictions(model.questions.most_options())?;
        reports.push(estimator.estimate(&own).map_err(explained)?);
    }
    let names = read.models.iter().map(|model| model.name.clone()).collect();
    let mut notes = remarks(&read.left_out, read.earlier);
    let compared = match shared.filter(|models| models.len() > 1) {
        Some(models) => {
            let rows = models.first().map_or(0, |(_, one)| one.rows());
            Some((estimator.compare(&named(models)).map_err(explained)?, rows))
        }
        None => {
            notes.extend(shared.is_none().then(|| note(&apart(&read.models))));
            None
        }
    };
    Ok(Found { names, reports, compared, notes })
}

fn named<'a>(models: &'a [Shared<'a>]) -> Vec<(&'a str, &'a Predictions<'static>)> {
    models.iter().map(|(name, one)| (*name, one)).collect()
}

/// Refuses what is of models together, if they have no question in common.
fn check_shared(args: &Args, shared: Option<&[Shared<'_>]>) -> Result<()> {
    let together = matches!(args.format, BoardFormat::Csv | BoardFormat::Html);
    let flag = match (together, &args.output) {
        (true, _) => "--format",
        (_, Some(_)) => "--output",
        _ => return Ok(()),
    };
    match shared {
        Some(_) => Ok(()),
        None => Err(Failure::input(format!(
            "{flag}: the models have no question in common, so they cannot be compared"
        ))
        .hint("name the directory of one model; --format json has each alone")),
    }
}

/// Why models that have no question in common are not compared: two of which that is so, if there are two.
fn apart(models: &[ModelRuns]) -> String {
    let mut pairs = models
        .iter()
        .enumerate()
        .flat_map(|(at, one)| models.iter().skip(at + 1).map(move |other| (one, other)));
    let strangers = pairs
        .find(|(one, other)| one.questions.shared_with(&other.questions).0.is_empty())
        .map(|(one, other)| format!("{} and {}", visible(&one.name), visible(&other.name)));
    let strangers = strangers.unwrap_or_else(|| "all of them together".to_owned());
    format!("{strangers} have no question in common, so the models are not compared")
}

/// The models with the questions that all of them answered, if there are any.
fn shared(models: &[ModelRuns]) -> Result<Option<Vec<Shared<'_>>>> {
    let all: Vec<Questions> = models
        .iter()
        .map(|model| {
            let others = models.iter().map(|other| &other.questions);
            others.fold(model.questions.clone(), |left, other| left.shared_with(other))
        })
        .collect();
    if all.iter().any(|own| own.0.is_empty()) {
        return Ok(None);
    }
    let options = all.iter().map(Questions::most_options).max().unwrap_or(0);
    let named = models.iter().zip(&all);
    let read = named.map(|(model, own)| Ok((model.name.as_str(), own.predictions(options)?)));
    read.collect::<Result<_>>().map(Some)
}

fn table(found: &Found) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (name, report) in found.names.iter().zip(&found.reports) {
        let notes = text::notes(report, Face::CommandLine);
        parts.push(text::report(report, Some(&visible(name)), false, &notes, look()));
    }
    if let Some((compared, rows)) = &found.compared {
        parts.push(format!(
            "{} questions that all models answered:\n\n{}",
            thousands(*rows),
            text::leaderboard(compared, look())
        ));
    }
    let notes: String = found.notes.iter().map(|one| format!("{one}\n")).collect();
    parts.extend(Some(notes).filter(|notes| !notes.is_empty()));
    parts.join("\n")
}

fn json(read: &LmEval, found: &Found) -> Value {
    let named = found.names.iter().cloned();
    let models: Map<String, Value> = named.zip(found.reports.iter().map(Report::to_json)).collect();
    let mut json = json!({ "models": models });
    if let Some((compared, rows)) = &found.compared {
        json["shared"] = json!(rows);
        json["differences"] = compared.to_json()["differences"].take();
        json["leaderboard"] = text::leaderboard_json(compared);
    } else if found.names.len() > 1 {
        json["shared"] = json!(0);
    }
    json["left_out"] = left_out_json(&read.left_out);
    json["earlier_files"] = json!(read.earlier);
    json
}
