//! The second reading: every row, added up.

use calipers::{Plan, Rows, Tally};

use super::about::About;
use super::identified::{identities, keyed, located};
use crate::error::{Error, Result};
use crate::scan::{Book, Inputs, Layout, Scan};

/// Reads every row of some or all of a plan's files, and adds up what the plan makes of it. `seen` is told of
/// the rows and bytes that were read since it was last told.
///
/// # Errors
/// What is wrong with a file, with its place; a file that the plan is not about.
pub fn count(
    inputs: &Inputs,
    layout: &Layout,
    plan: &Plan,
    about: &About,
    threads: usize,
    seen: &(dyn Fn(u64, u64) + Sync),
) -> Result<Tally> {
    let places = about.places(inputs)?;
    let class_of = about.class_of();
    let scan = Scan::new(inputs, layout).labels(Book::known(about.words(), true)).threads(threads);
    let states = scan.run(
        || (plan.tally(), Vec::new()),
        |(tally, names): &mut (Tally, Vec<String>), batch| {
            let labels: Vec<u32> = batch
                .labels
                .iter()
                .map(|&code| class_of.get(code as usize).copied().unwrap_or(u32::MAX))
                .collect();
            // The book grows while other threads read.
            let newest = batch.groups.iter().flatten().max().map_or(0, |&code| code as usize + 1);
            if newest > names.len() {
                *names = scan.group_book().words().into_iter().map(|word| word.text).collect();
            }
            let keys = keyed(&batch);
            let who = identities(&batch, keys.as_deref(), places[batch.file]);
            let mut add = || -> calipers::Result<()> {
                let mut rows = Rows::new(&batch.f, &labels, who)?;
                if let Some(weights) = &batch.weights {
                    rows = rows.weights(weights)?;
                }
                if let Some(groups) = &batch.groups {
                    rows = rows.groups(groups, names)?;
                }
                tally.add(plan, &rows)
            };
            add().map_err(|error| located(&error, &batch, inputs))
        },
        seen,
    )?;
    let mut all = plan.tally();
    for (tally, _) in states {
        all.merge(&tally).map_err(|error| Error::unexpected(error.to_string()))?;
    }
    Ok(all)
}
