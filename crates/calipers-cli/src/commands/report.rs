//! `calipers report`: read, estimate, and write a page.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use calipers::Predictions;
use calipers_draw::{Page, Run};

use super::compare::{Models, load_models};
use super::measure::{estimator, explain, metrics};
use crate::args::{Binary, ReportArgs};
use crate::error::{Failure, Result};
use crate::output;
use crate::progress::Progress;

/// Runs the command.
pub fn report(args: &ReportArgs) -> Result<()> {
    if let Some(extension) = args.output.extension()
        && !["html", "htm"].contains(&extension.to_string_lossy().to_lowercase().as_str())
    {
        return Err(Failure::input(format!("{}: a page ends in .html", args.output.display())));
    }
    let metrics = metrics(args.metrics.metric.iter().map(String::as_str))?;
    let estimator = estimator(metrics, &args.method)?.bracket(args.bracket);
    let start = Instant::now();
    let (mut models, plan) = load_models(&args.files, &args.columns, &args.method)?;
    for (name, _) in models.iter_mut().filter(|(name, _)| name == "-") {
        *name = "standard input".to_owned();
    }
    let inputs: Vec<String> = models.iter().map(|(name, _)| name.clone()).collect();
    call_by_file_names(&mut models);
    let (estimator, progress) = Progress::watch(estimator.fold_plan(plan));
    let named: Vec<(&str, &Predictions<'_>)> =
        models.iter().map(|(name, predictions)| (name.as_str(), predictions)).collect();
    let seen = estimator.examine(&named).map_err(|error| explain(&error))?;
    drop(progress);
    let program = concat!("calipers ", env!("CARGO_PKG_VERSION"));
    let mut run = Run::new(program, start.elapsed().as_secs_f64());
    run.inputs = inputs;
    run.vector = args.method.binary == Binary::Vector;
    let html = Page::new(&seen, run).html();
    if args.output == Path::new("-") {
        return output::print(&html);
    }
    output::file::write(&args.output, |file| file.write_all(html.as_bytes()))
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
