//! `calipers recalibrate`: probabilities corrected, not measured.

use std::path::Path;

use calipers::labels::listed;
use calipers::{ModelNotes, Sample, Stop, recalibrator, with_pool};
use calipers_draw::text::fit_notes;
use ndarray::Array2;

use super::measure::{explain, rows};
use crate::args::{ApplyArgs, FitArgs, RecalibrateCommand, ScoreArgs};
use crate::columns::{FoldSource, Unlabelled, unlabelled};
use crate::error::{Failure, Result, say};
use crate::format::Format;
use crate::input::{Table, Wanted, read};
use crate::model::{KnownModel, text};
use crate::output::sheet::{Cells, Sheet};
use crate::output::{self, file};

/// Runs the command.
pub fn recalibrate(command: &RecalibrateCommand) -> Result<()> {
    match command {
        RecalibrateCommand::Fit(args) => fit(args),
        RecalibrateCommand::Apply(args) => apply(args),
    }
}

fn fit(args: &FitArgs) -> Result<()> {
    if args.columns.group.is_some() {
        return Err(Failure::input("--group: one model is fitted to all rows")
            .hint("to correct groups apart, fit a model to a file of each"));
    }
    let recalibrator = recalibrator(&args.recalibrator).map_err(|error| explain(&error))?;
    let loaded = rows(&args.file, &args.columns, &FoldSource::Shuffled)?;
    let sample = Sample::from(&loaded.predictions);
    let threads = args.running.threads.into();
    let fitted = with_pool(threads, &Stop::new(), || recalibrator.fit(&sample, args.seed))
        .map_err(|error| explain(&error))?;
    fit_notes(&recalibrator.name(), fitted.as_ref()).iter().for_each(|note| say(note));
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
    file::write(&args.output, |file| std::io::Write::write_all(file, text.as_bytes()))
}

fn apply(args: &ApplyArgs) -> Result<()> {
    let format = Format::to_write(&args.output)?;
    let model = KnownModel::read(&args.model)?;
    let mut table = read(&args.file, &Wanted::default())?;
    let columns = columns_of(&model, &table, &args.scores);
    let scores = unlabelled(&mut table, &columns, &say)?;
    let order = order(&model, &scores, &table)?;
    let g = corrected(&model, &scores, &order, args.running.threads.into())?;
    let sheet = sheet(&table, &scores, &order, &model.classes, &g);
    sheet.write(&args.output, format)
}

/// The columns that were asked for, or those that the model was fitted to if they are all there.
fn columns_of(model: &KnownModel, table: &Table, asked: &ScoreArgs) -> ScoreArgs {
    let unsaid = asked.probs.is_none() && asked.logits.is_none();
    let there = |name: &String| table.columns.iter().any(|column| column.name == *name);
    let fitted_to = model.columns.as_ref().filter(|columns| columns.iter().all(there));
    if let Some(columns) = fitted_to.filter(|_| unsaid) {
        let (probs, logits) = (Some(columns.clone()), None);
        let (probs, logits) = if model.logits { (logits, probs) } else { (probs, logits) };
        return ScoreArgs { probs, logits };
    }
    ScoreArgs { probs: asked.probs.clone(), logits: asked.logits.clone() }
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
    with_pool(threads, &Stop::new(), || model.fitted.predict(sorted.view()))
        .map_err(|error| explain(&error))
}

/// What to write: the table, with g in the place of f.
fn sheet<'a>(
    table: &'a Table,
    scores: &Unlabelled,
    order: &[usize],
    classes: &[String],
    g: &'a Array2<f64>,
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
    if !left_out.is_empty() {
        say(&format!("note: left out, being neither numbers nor text: {}", listed(&left_out)));
    }
    Sheet { probs: g.view(), columns }
}
