//! `calipers recalibrate`: probabilities corrected, not measured.

use std::io::Write;
use std::path::{Path, PathBuf};

use calipers::words::listed;
use calipers::{ModelNotes, Preserve, Sample, Stop, informed, preserving, recalibrator, with_pool};
use calipers_draw::text::{approximations, count, fit_notes, note};
use calipers_files::{
    Cells, FeatureColumns, FoldColumn, Format, Inputs, ScoreColumns, Sheet, SheetWriter, Table,
    Unlabelled, Wanted, each_table, is_pipe, read, write,
};
use clap::Subcommand;
use ndarray::Array2;

use super::explain::explain;
use super::many::{Files, fit_as_table, fits_as_table, say_sample};
use super::predict::predict;
use crate::args::{
    COLUMNS, ColumnArgs, MEASURE, ManyArgs, OUTPUT, RunningArgs, ScoreArgs, many_to_read, to_read,
    to_write,
};
use crate::error::{Failure, Result, say};
use crate::model::{KnownModel, text};
use crate::output;
use crate::progress::Progress;

/// Correct probabilities: fit a recalibrator to a file, apply it to others
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    step: Step,
}

/// The two steps of recalibration.
#[derive(Debug, Subcommand)]
enum Step {
    /// Learn from a file of predictions what they mean
    #[command(after_help = FIT_EXAMPLES)]
    Fit(Box<FitArgs>),
    /// Correct the probabilities of a file, which needs no labels
    #[command(after_help = APPLY_EXAMPLES)]
    Apply(ApplyArgs),
}

const FIT_EXAMPLES: &str = "\
Examples:
  calipers recalibrate fit validation.csv -o model.json
  calipers recalibrate fit validation.npz -o model.json --recalibrator isotonic
  calipers recalibrate fit validation.csv -o model.json --preserve accuracy

The model is JSON: numbers, the classes' names and the columns' names. Fit it to
predictions that the classifier was not trained on.";

const APPLY_EXAMPLES: &str = "\
Examples:
  calipers recalibrate apply model.json test.csv -o corrected.csv
  calipers recalibrate apply model.json test.parquet -o - | calipers estimate -
  calipers recalibrate apply model.json 'logs/*.parquet' -o corrected.parquet

All columns of the file are written as they were, but for those of the
predictions, which are corrected. Without --probs and --logits these are the
columns that the model was fitted to, if they are there.";

/// The settings of `calipers recalibrate fit`.
#[derive(Debug, clap::Args)]
struct FitArgs {
    #[arg(value_name = "FILE", help = to_read())]
    file: PathBuf,

    /// File to write the model to: JSON; - prints it
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,

    #[command(flatten)]
    columns: ColumnArgs,

    /// Columns of what else is known of each row, separated by commas, or '*' for every column that is
    /// nothing else: the model sees them beside the predictions, and asks for them when it is applied
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = COLUMNS)]
    features: Option<Vec<String>>,

    #[command(flatten)]
    many: ManyArgs,

    /// What learns the truth from the predictions, with parameters after a colon, such as
    /// kernel:bandwidth=0.05. `calipers recalibrators` lists what there is
    #[arg(long, value_name = "R", default_value = "auto", help_heading = MEASURE)]
    recalibrator: String,

    /// Change no decision: ranking (of two classes the order of rows, of more the order of classes in
    /// each row) or accuracy (the largest class of each row)
    #[arg(long, value_name = "ORDER", help_heading = MEASURE)]
    preserve: Option<Order>,

    /// Seed of everything random; the same seed gives the same model on any number of threads
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true, help_heading = MEASURE)]
    seed: u64,

    #[command(flatten)]
    running: RunningArgs,

    /// Say what was fitted, and what kept it quick
    #[arg(long, help_heading = OUTPUT)]
    verbose: bool,
}

/// What is not to change.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Order {
    Ranking,
    Accuracy,
}

impl From<Order> for Preserve {
    fn from(order: Order) -> Self {
        match order {
            Order::Ranking => Preserve::Ranking,
            Order::Accuracy => Preserve::Accuracy,
        }
    }
}

/// The settings of `calipers recalibrate apply`.
#[derive(Debug, clap::Args)]
struct ApplyArgs {
    /// The model that `calipers recalibrate fit`, or Python's `Recalibrator.save`, wrote
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    #[arg(value_name = "FILE", required = true, num_args = 1.., help = many_to_read())]
    files: Vec<PathBuf>,

    #[arg(short, long, value_name = "FILE", help = to_write())]
    output: PathBuf,

    #[command(flatten)]
    scores: ScoreArgs,

    #[command(flatten)]
    running: RunningArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    match &args.step {
        Step::Fit(args) => fit(args),
        Step::Apply(args) => apply(args),
    }
}

fn fit(args: &FitArgs) -> Result<()> {
    if args.columns.group.is_some() {
        return Err(Failure::input("--group: one model is fitted to all rows")
            .hint("to correct groups apart, fit a model to a file of each"));
    }
    if args.features.is_some() && args.preserve.is_some() {
        return Err(Failure::input(
            "--preserve: a model that sees features tells rows of one prediction apart",
        )
        .hint("fit it without --features, or without --preserve"));
    }
    let mut recalibrator = recalibrator(&args.recalibrator).map_err(|error| explain(&error))?;
    if args.features.is_some() {
        recalibrator = informed(recalibrator);
    }
    if let Some(order) = args.preserve {
        recalibrator = preserving(recalibrator, order.into());
    }
    let files = Files {
        paths: std::slice::from_ref(&args.file),
        columns: &args.columns,
        many: &args.many,
        folds: FoldColumn::Drawn,
        cluster: None,
        time: None,
        features: args.features.clone().map(FeatureColumns::from_iter),
        threads: args.running.threads.into(),
    };
    let progress = Progress::start(format!("reading {}", files.name()));
    let loaded = files.gather(args.seed, &progress, &say)?;
    drop(progress);
    say_sample(&loaded);
    let sample = Sample::from(&loaded.predictions);
    let threads = args.running.threads.into();
    let fitted = with_pool(threads, &Stop::new(), || recalibrator.fit(&sample, args.seed))
        .map_err(|error| explain(&error))?;
    let mut notes = fit_notes(&recalibrator.name(), fitted.as_ref());
    notes.extend(features_note(&fitted.features()));
    if let Some(kept) = fitted.kept_order() {
        let (log, brier) = (kept.log, kept.brier);
        notes.push(note(&format!(
            "keeping the order costs {log:.4} of log loss and {brier:.4} of Brier score on these rows"
        )));
    }
    if args.verbose {
        let (rows, classes) = (count(sample.rows(), "row"), sample.classes());
        let name = recalibrator.name();
        notes.push(note(&format!("{name} was fitted to {rows} of {classes} classes")));
        notes.extend(approximations(&fitted.approximations()));
    }
    notes.iter().for_each(|note| say(note));
    let about = ModelNotes {
        recalibrator: Some(recalibrator.name()),
        classes: Some(loaded.predictions.class_names().to_vec()),
        labels: None,
        features: Some(loaded.scores.len()),
        columns: Some(loaded.scores),
        logits: loaded.logits,
    };
    let text = text(fitted.as_ref(), &about)?;
    if args.output == Path::new("-") {
        return output::print(&text);
    }
    Ok(write(&args.output, |file| file.write_all(text.as_bytes()))?)
}

fn apply(args: &ApplyArgs) -> Result<()> {
    let format = Format::to_write(&args.output)?;
    let model = KnownModel::read(&args.model)?;
    let one = match args.files.as_slice() {
        [one] => Some(one),
        _ => None,
    };
    // What comes through a pipe can be found but once.
    let piped = one.filter(|one| is_pipe(one)).map(|_| Inputs::find(&args.files)).transpose()?;
    let mut table = match (one, piped) {
        (_, Some(piped)) if fit_as_table(&piped)? => piped.read(0, &wanted(&args.scores))?,
        (_, Some(piped)) => return apply_to_many(args, &model, &piped),
        (Some(one), None) if fits_as_table(one)? => read(one, &wanted(&args.scores))?,
        _ => return apply_to_many(args, &model, &Inputs::find(&args.files)?),
    };
    let columns = columns_of(&model, &table, &args.scores);
    let renormalise = args.scores.renormalise;
    let most = model.classes.len();
    let scores = Unlabelled::of_classes(&mut table, columns.as_ref(), renormalise, most, &say)?;
    let order = order(&model, &scores, &table)?;
    features_note(&model.fitted.features()).iter().for_each(|note| say(note));
    let g = corrected(&model, &table, &scores, &order, args.running.threads.into())?;
    let mut sheet = sheet(&table, &scores, &order, &model.classes, &g, false);
    if !format.holds_arrays() {
        leave_out_short(&mut sheet);
    }
    Ok(sheet.write(&args.output)?)
}

/// Corrects files a batch at a time, into one.
fn apply_to_many(args: &ApplyArgs, model: &KnownModel, inputs: &Inputs) -> Result<()> {
    let mut writer = SheetWriter::begin(&args.output)?;
    features_note(&model.fitted.features()).iter().for_each(|note| say(note));
    let progress = Progress::start("reading");
    // What was guessed of the first batch holds for all.
    let mut found: Option<(ScoreColumns, usize)> = None;
    let mut failure: Option<Failure> = None;
    let threads = args.running.threads.into();
    let renormalise = args.scores.renormalise;
    let mut one = |mut table: Table| -> Result<()> {
        let scores = match &found {
            Some((columns, count)) => {
                Unlabelled::of_columns(&mut table, Some(columns), renormalise, *count, &|_| {})?
            }
            None => {
                let (known, most) = (columns_of(model, &table, &args.scores), model.classes.len());
                Unlabelled::of_classes(&mut table, known.as_ref(), renormalise, most, &say)?
            }
        };
        let order = order(model, &scores, &table)?;
        let g = corrected(model, &table, &scores, &order, threads)?;
        let quiet = found.is_some();
        let names = scores.columns.iter().map(|&at| table.columns[at].name.clone()).collect();
        let columns = match scores.logits {
            true => ScoreColumns::Logits(names),
            false => ScoreColumns::Probs(names),
        };
        found = Some((columns, scores.count()));
        Ok(writer.append(&sheet(&table, &scores, &order, &model.classes, &g, quiet))?)
    };
    let done = each_table(inputs, &wanted(&args.scores), &mut |_, table| {
        one(table).map_err(|error| {
            failure = Some(error);
            calipers_files::Error::unexpected("")
        })
    });
    drop(progress);
    if let Some(failure) = failure {
        return Err(failure);
    }
    done?;
    Ok(writer.finish()?)
}

/// Everything, and the predictions by the name that they were asked for.
fn wanted(asked: &ScoreArgs) -> Wanted {
    let names = asked.columns().map(|columns| columns.names().to_vec());
    Wanted::new(names.unwrap_or_default(), true)
}

/// The columns that were asked for, or those that the model was fitted to if they are all there.
fn columns_of(model: &KnownModel, table: &Table, asked: &ScoreArgs) -> Option<ScoreColumns> {
    let there = |name: &String| table.columns.iter().any(|column| column.name == *name);
    asked.columns().or_else(|| {
        let columns = model.columns.clone().filter(|columns| columns.iter().all(there))?;
        Some(if model.logits {
            ScoreColumns::Logits(columns)
        } else {
            ScoreColumns::Probs(columns)
        })
    })
}

/// The model's class of each of the file's columns.
fn order(model: &KnownModel, scores: &Unlabelled, table: &Table) -> Result<Vec<usize>> {
    let (classes, found) = (&model.classes, scores.classes.as_deref());
    let refused = |found: &str| {
        Failure::input(format!(
            "{}: the model is of the classes {}, but {found}",
            table.source.name,
            listed(classes)
        ))
    };
    match (scores.count(), found) {
        // A single column is that of the second class, unless its name says that it is not.
        (1, Some([name])) if classes.len() == 2 && *name == classes[0] => {
            Err(refused(&format!("the only column is that of {name}")))
        }
        (1, _) if classes.len() == 2 => Ok(vec![1]),
        (count, _) if count != classes.len() => {
            Err(refused(&format!("there are {count} columns of predictions")))
        }
        (count, None) => Ok((0..count).collect()),
        (_, Some(names)) => {
            let place = |name: &String| classes.iter().position(|class| class == name);
            let places: Option<Vec<usize>> = names.iter().map(place).collect();
            let each_once = |places: &Vec<usize>| (0..classes.len()).all(|at| places.contains(&at));
            places
                .filter(each_once)
                .ok_or_else(|| refused(&format!("the columns are of {}", listed(names))))
        }
    }
}

/// g, one column a class of the model.
fn corrected(
    model: &KnownModel,
    table: &Table,
    scores: &Unlabelled,
    order: &[usize],
    threads: usize,
) -> Result<Array2<f64>> {
    let f = scores.f.probs();
    let mut sorted = Array2::zeros(f.dim());
    // A single column comes as two, in the model's order already.
    let whole = if order.len() == 1 { vec![0, 1] } else { order.to_vec() };
    for (column, &class) in f.columns().into_iter().zip(&whole) {
        sorted.column_mut(class).assign(&column);
    }
    predict(model, sorted.view(), table, threads)
}

/// Says which features a model sees, if it sees any.
fn features_note(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| {
        note(&format!("the model sees features beside the predictions: {}", listed(names)))
    })
}

/// What to write: the table, with g in the place of f.
fn sheet<'a>(
    table: &'a Table,
    scores: &Unlabelled,
    order: &[usize],
    classes: &[String],
    g: &'a Array2<f64>,
    quiet: bool,
) -> Sheet<'a> {
    let mut columns = Vec::with_capacity(table.columns.len());
    let mut left_out = Vec::new();
    for (at, column) in table.columns.iter().enumerate() {
        match scores.columns.iter().position(|&score| score == at) {
            // Probabilities under the name of a logit would mislead.
            Some(score) if !scores.is_matrix && !scores.logits => {
                columns.push((column.name.clone(), Cells::Class(order[score])));
            }
            Some(score) => {
                let classes_of = if scores.is_matrix { order } else { &order[score..=score] };
                let named = |&class: &usize| (format!("p_{}", classes[class]), Cells::Class(class));
                columns.extend(classes_of.iter().map(named));
            }
            None => match Cells::of(&column.values) {
                Some(cells) => columns.push((column.name.clone(), cells)),
                None => left_out.push(column.name.as_str()),
            },
        }
    }
    if !left_out.is_empty() && !quiet {
        say(&format!("note: left out, being neither numbers nor text: {}", listed(&left_out)));
    }
    Sheet { probs: g.view(), columns }
}

/// Leaves out the arrays of an archive that a table has no rows for: the names of the classes, which
/// are in its header already.
fn leave_out_short(sheet: &mut Sheet<'_>) {
    let rows = sheet.rows();
    let short = |(_, cells): &mut (String, Cells<'_>)| cells.rows().is_some_and(|own| own != rows);
    let left_out: Vec<String> = sheet.columns.extract_if(.., short).map(|(name, _)| name).collect();
    if !left_out.is_empty() {
        say(&format!("note: left out, without a row for each prediction: {}", listed(&left_out)));
    }
}
