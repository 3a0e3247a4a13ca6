//! How do I turn a CSV file into a page that explains itself?
//!
//! `calipers-files` reads the file and guesses its columns, `calipers` examines the predictions, and `calipers-draw`
//! writes a page of HTML, with its figures, that asks the network for nothing.

use std::error::Error;
use std::fs;

use calipers::Estimator;
use calipers_draw::text::{Face, Look, notes, report};
use calipers_draw::{Page, Run};

fn main() -> Result<(), Box<dyn Error>> {
    let file = "data/cells_lgbm.csv";
    let predictions = calipers_files::predictions(file)?;
    let seen = Estimator::new().best(true).examine(&[("segmented cells", &predictions)])?;
    let found = &seen.reports[0];
    let (look, notes) = (Look::command_line(false), notes(found, Face::CommandLine));
    print!("{}", report(found, Some(file), false, &notes, look));

    let page = Page::new(&seen, Run::new("page_of_a_file", 0.0)).html();
    let path = std::env::temp_dir().join("calipers_cookbook.html");
    fs::write(&path, &page)?;
    println!("\nA page with {} figures.", page.matches("<svg").count());
    fs::remove_file(path)?; // You would keep it.
    Ok(())
}
