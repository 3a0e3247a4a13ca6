//! `calipers report --index`: a page for each of many models, and one that lists them.

use std::fs;
use std::io::Write;
use std::path::Path;

use calipers_draw::text::note;
use calipers_draw::{Listed, index_page};
use calipers_files::Inputs;
use calipers_files::words::{file_name, plain};

use super::{Args, draw};
use crate::error::{Failure, Result, say};

/// The page that lists the others.
const INDEX: &str = "index.html";

/// Writes the pages to the directory of `--output`, the index last.
pub fn run(args: &Args) -> Result<()> {
    if let Some(flag) = args.models.flag() {
        return Err(Failure::input(format!("{flag}: with --index every file is a model")));
    }
    let folder = &args.output;
    let inputs = Inputs::find(&args.files)?;
    let paths: Vec<&Path> = (0..inputs.len()).map(|file| inputs.path(file)).collect();
    fs::create_dir_all(folder).map_err(|error| {
        Failure::input(format!("--output: {}: {}", file_name(folder), plain(&error)))
            .hint("with --index it is a directory")
    })?;
    let (mut listed, mut left_out): (Vec<Listed>, Vec<String>) = (Vec::new(), Vec::new());
    for (path, model) in paths.iter().zip(names(&paths)) {
        let (seen, html) = match draw(args, &[path.to_path_buf()]) {
            Ok(drawn) => drawn,
            Err(failure) if args.many.skip_bad_files && failure.is_input() => {
                left_out.push(failure.to_string());
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let page = page_name(&model, &listed);
        calipers_files::write(&folder.join(&page), |file| file.write_all(html.as_bytes()))?;
        let report = seen.reports.into_iter().next();
        listed.extend(report.map(|report| Listed { model, page, report }));
    }
    for one in &left_out {
        say(&note(&format!("left out: {one}")));
    }
    if listed.is_empty() {
        return Err(Failure::input("no file could be measured, so there is nothing to list"));
    }
    let html = index_page(&listed, &args.metrics.metric, &left_out);
    Ok(calipers_files::write(&folder.join(INDEX), |file| file.write_all(html.as_bytes()))?)
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
fn page_name(model: &str, before: &[Listed]) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let safe: String =
        model.chars().map(|letter| if plain(letter) { letter } else { '_' }).take(100).collect();
    let safe = safe.trim_start_matches('.');
    let taken = |name: &String| {
        name.eq_ignore_ascii_case(INDEX)
            || before.iter().any(|one| one.page.eq_ignore_ascii_case(name))
    };
    let numbered = (2..).map(|number| format!("{safe}-{number}.html"));
    let mut all = std::iter::once(format!("{safe}.html")).chain(numbered);
    all.find(|name| !taken(name)).unwrap_or_default()
}
