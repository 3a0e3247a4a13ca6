//! The second reading: every row, added up.

use calipers::{Plan, Rows, Tally};

use super::about::{About, classes};
use super::draw::Pass;
use super::identified::{identities, keyed, located};
use crate::error::{Error, Result};
use crate::scan::{Book, Scan};

impl Pass<'_> {
    /// Reads every row of some or all of a plan's files, and adds up what the plan makes of it.
    ///
    /// # Errors
    /// What is wrong with a file, with its place; a file that the plan is not about.
    pub fn count(&self, plan: &Plan, about: &About) -> Result<Tally> {
        let places = about.places(self.inputs)?;
        let class_of = about.class_of();
        let scan = Scan::new(self.inputs, self.layout)
            .labels(Book::known(about.words(), true))
            .threads(self.threads);
        let states = scan.run(
            || (plan.tally(), Vec::new()),
            |(tally, names): &mut (Tally, Vec<String>), batch| {
                self.check()?;
                let labels = classes(&batch.labels, &class_of);
                // The book grows while other threads read.
                let newest =
                    batch.groups.iter().flatten().max().map_or(0, |&code| code as usize + 1);
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
                add().map_err(|error| located(&error, &batch, self.inputs))
            },
            self.seen,
        )?;
        let mut all = plan.tally();
        for (tally, _) in states {
            all.merge(&tally).map_err(|error| Error::unexpected(error.to_string()))?;
        }
        Ok(all)
    }
}
