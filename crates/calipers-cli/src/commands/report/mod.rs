//! `calipers report`: read, estimate, and write a page.

mod index;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use calipers::{Examination, Predictions};
use calipers_draw::{Page, Run};
use calipers_files::words::file_name;

use super::explain::explain;
use super::measure::{estimator, metrics};
use super::models::{Asked, Models};
use crate::args::{
    AnswerArgs, Binary, ColumnArgs, FeatureArgs, MEASURE, ManyArgs, MethodArgs, MetricArgs,
    ModelArgs, to_read,
};
use crate::error::{Failure, Result};
use crate::output;
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  calipers report predictions.parquet -o report.html
  calipers report old.csv new.csv -o comparison.html --metric l1,log
  calipers report models/ --index -o pages/

The page is one file that asks for nothing else: it can be mailed, kept, printed.
Several files hold the same rows in the same order, with the same labels. With
--index every file is a model with rows of its own: each gets a page, and
index.html lists them.";

/// Write a page that shows how far the probabilities are from the truth
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[arg(
        value_name = "FILE",
        required = true,
        num_args = 1..,
        help = format!("{}; several files are several models, which are compared", to_read())
    )]
    pub files: Vec<PathBuf>,

    /// File to write: .html; - prints it; with --index the directory of all pages
    #[arg(short, long, value_name = "HTML")]
    pub output: PathBuf,

    /// Write a page for every file, of directories too, and index.html, which lists them
    #[arg(long)]
    pub index: bool,

    #[command(flatten)]
    pub columns: ColumnArgs,

    #[command(flatten)]
    pub models: ModelArgs,

    #[command(flatten)]
    pub features: FeatureArgs,

    #[command(flatten)]
    pub many: ManyArgs,

    #[command(flatten)]
    pub metrics: MetricArgs,

    #[command(flatten)]
    pub method: MethodArgs,

    #[command(flatten)]
    pub answer: AnswerArgs,

    /// Add the in-sample estimates, which err upwards as the others err downwards
    #[arg(long, help_heading = MEASURE)]
    pub bracket: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    if args.index {
        return index::run(args);
    }
    if let Some(extension) = args.output.extension()
        && !["html", "htm"].contains(&extension.to_string_lossy().to_lowercase().as_str())
    {
        return Err(Failure::input(format!("{}: a page ends in .html", file_name(&args.output))));
    }
    if args.features.features.is_some() && (args.files.len() > 1 || args.models.flag().is_some()) {
        return Err(Failure::input("--features: models are compared by their predictions alone")
            .hint("write a page of each model"));
    }
    let (_, html) = draw(args, &args.files, None)?;
    if args.output == Path::new("-") {
        return output::print(&html);
    }
    Ok(calipers_files::write(&args.output, |file| file.write_all(html.as_bytes()))?)
}

/// What is seen in files of models that are compared, and the page that shows it, which leads to an `index`
/// if there is one.
fn draw(args: &Args, paths: &[PathBuf], index: Option<&str>) -> Result<(Examination, String)> {
    let metrics = metrics(args.metrics.metric.iter().map(String::as_str))?;
    let estimator =
        args.answer.ask(estimator(metrics, &args.method, &args.columns)?.bracket(args.bracket));
    let start = Instant::now();
    let progress = Progress::start("reading");
    let said = |line: &str| progress.say(line);
    let asked = Asked {
        paths,
        columns: &args.columns,
        models: &args.models,
        features: &args.features,
        many: &args.many,
        fitting: &args.method.fitting,
    };
    let (mut models, plan) = asked.load(&progress, &said)?;
    for (name, _) in models.iter_mut().filter(|(name, _)| name == "-") {
        *name = "standard input".to_owned();
    }
    let inputs: Vec<String> = models.iter().map(|(name, _)| name.clone()).collect();
    call_by_file_names(&mut models);
    let estimator = progress.watch(
        estimator.fold_plan(plan),
        args.method.draws,
        "on to figures, groups and models",
    );
    let named: Vec<(&str, &Predictions<'_>)> =
        models.iter().map(|(name, predictions)| (name.as_str(), predictions)).collect();
    let seen = estimator.examine(&named).map_err(|error| explain(&error))?;
    drop(progress);
    let program = concat!("calipers ", env!("CARGO_PKG_VERSION"));
    let mut run = Run::new(program, start.elapsed().as_secs_f64());
    run.inputs = inputs;
    run.vector = args.method.bounds.binary == Binary::Vector;
    let page = Page::new(&seen, run);
    let html = match index {
        Some(index) => page.listed_html(index),
        None => page.html(),
    };
    Ok((seen, html))
}

/// Leaves out the folders, where the files' names alone tell the models apart.
fn call_by_file_names(models: &mut Models) {
    let short = |name: &str| {
        let file = Path::new(name).file_name();
        file.map_or_else(|| name.to_owned(), |file| file.to_string_lossy().into_owned())
    };
    let names: BTreeSet<String> = models.iter().map(|(name, _)| short(name)).collect();
    if names.len() == models.len() {
        models.iter_mut().for_each(|(name, _)| *name = short(name));
    }
}
