//! `calipers report --index`: a page for each of many models, and one that lists them.

use std::fs;
use std::io::Write;
use std::path::Path;

use calipers_draw::text::note;
use calipers_draw::{Listed, index_page};
use calipers_files::words::{file_name, plain};
use calipers_files::{Inputs, write};

use super::{Args, draw};
use crate::error::{Failure, Result, say};

/// The page that lists the others.
const INDEX: &str = "index.html";

/// A page that was drawn, and is not written yet.
struct Drawn {
    listed: Listed,
    html: String,
}

/// Writes the pages to the directory of `--output`, the index last. All are drawn before: what cannot be
/// measured leaves an earlier index and its pages as they are.
pub fn run(args: &Args) -> Result<()> {
    if let Some(flag) = args.models.flag() {
        return Err(Failure::input(format!("{flag}: with --index every file is a model")));
    }
    let folder = &args.output;
    refuse_file(folder)?;
    let inputs = Inputs::find(&args.files)?;
    let paths: Vec<&Path> = (0..inputs.len()).map(|file| inputs.path(file)).collect();
    let (drawn, left_out) = drawn(args, &paths)?;
    for one in &left_out {
        say(&note(&format!("left out: {one}")));
    }
    if drawn.is_empty() {
        return Err(Failure::input("no file could be measured, so there is nothing to list"));
    }
    fs::create_dir_all(folder).map_err(|error| {
        Failure::input(format!("--output: {}: {}", file_name(folder), plain(&error)))
            .hint("with --index it is a directory")
    })?;
    let mut listed = Vec::with_capacity(drawn.len());
    for Drawn { listed: one, html } in drawn {
        write(&folder.join(&one.page), |file| file.write_all(html.as_bytes()))?;
        listed.push(one);
    }
    let html = index_page(&listed, &args.metrics.metric, &left_out);
    Ok(write(&folder.join(INDEX), |file| file.write_all(html.as_bytes()))?)
}

/// Refuses a place that is meant for one page.
fn refuse_file(folder: &Path) -> Result<()> {
    let page = folder.extension().is_some_and(|end| {
        ["html", "htm"].contains(&end.to_string_lossy().to_lowercase().as_str())
    });
    if folder == Path::new("-") || (page && !folder.is_dir()) {
        return Err(Failure::input(format!(
            "--output {}: with --index it is a directory: a page for every file, and {INDEX}",
            file_name(folder)
        )));
    }
    Ok(())
}

/// The page of every file, and what is wrong with those that are left out.
fn drawn(args: &Args, paths: &[&Path]) -> Result<(Vec<Drawn>, Vec<String>)> {
    let (mut drawn, mut left_out): (Vec<Drawn>, Vec<String>) = (Vec::new(), Vec::new());
    for (path, model) in paths.iter().zip(names(paths)) {
        let (seen, html) = match draw(args, &[path.to_path_buf()], Some(INDEX)) {
            Ok(drawn) => drawn,
            Err(failure) if args.many.skip_bad_files && failure.is_input() => {
                left_out.push(failure.to_string());
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let page = page_name(&model, &drawn);
        let report = seen.reports.into_iter().next();
        drawn.extend(report.map(|report| Drawn { listed: Listed { model, page, report }, html }));
    }
    Ok((drawn, left_out))
}

/// What tells the paths apart: without the folders that all are in.
fn names(paths: &[&Path]) -> Vec<String> {
    let parents = || paths.iter().map(|path| path.parent().unwrap_or_else(|| Path::new("")));
    let shared = parents().next().map_or_else(Default::default, |first| {
        first
            .ancestors()
            .find(|folder| parents().all(|parent| parent.starts_with(folder)))
            .map(Path::to_path_buf)
            .unwrap_or_default()
    });
    paths.iter().map(|path| file_name(path.strip_prefix(&shared).unwrap_or(path))).collect()
}

/// A name for a file and a link, which no other page has.
fn page_name(model: &str, before: &[Drawn]) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let safe: String =
        model.chars().map(|letter| if plain(letter) { letter } else { '_' }).take(100).collect();
    let safe = safe.trim_start_matches('.');
    let taken = |name: &String| {
        name.eq_ignore_ascii_case(INDEX)
            || before.iter().any(|one| one.listed.page.eq_ignore_ascii_case(name))
    };
    let numbered = (2..).map(|number| format!("{safe}-{number}.html"));
    let mut all = std::iter::once(format!("{safe}.html")).chain(numbered);
    all.find(|name| !taken(name)).unwrap_or_default()
}
