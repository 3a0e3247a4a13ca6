//! How do I measure more rows than fit in memory, on all cores?
//!
//! Draw a sample in a first pass and make a `Plan` of it; in a second pass every thread tallies its own shards, and
//! tallies merge. Sums are exact, so that any number of threads, in any order, comes to the same bits.

use std::error::Error;
use std::thread;

use calipers::{Estimator, Identities, Plan, Predictions, Probabilities, Result, Rows};
use calipers::{Sampler, Tally, simulate};

const SHARDS: u32 = 16;

/// Stands for reading a file: the rows of a shard.
fn shard(number: u32) -> Result<Predictions<'static>> {
    simulate("binary-overconfident", 10_000, u64::from(number))
}

/// Hands the rows of a shard to a function; its number and a row's place in it say who the row is.
fn with_rows(number: u32, work: impl FnOnce(&Rows) -> Result<()>) -> Result<()> {
    let read = shard(number)?;
    let probabilities = Probabilities::new(read.probs().into_owned())?;
    let who = Identities::Numbered { part: number, first: 0 };
    work(&Rows::new(&probabilities, read.labels(), who)?)
}

/// Tallies the shards of one of several threads.
fn tally(plan: &Plan, thread: u32, threads: u32) -> Result<Tally> {
    let mut tally = plan.tally();
    for number in (thread..SHARDS).step_by(threads as usize) {
        with_rows(number, |rows| tally.add(plan, rows))?;
    }
    Ok(tally)
}

fn main() -> std::result::Result<(), Box<dyn Error>> {
    let mut sampler = Sampler::new(20_000, 0);
    for number in 0..SHARDS {
        with_rows(number, |rows| sampler.add(rows))?;
    }
    let classes = ["no", "yes"].map(str::to_owned);
    let estimator = Estimator::new().metric("l1".parse()?);
    let plan = Plan::fit(&estimator, sampler.finish()?, &[0, 1], &classes, &[])?;

    let mut bits = Vec::new();
    for threads in [1, 4] {
        let tallies = thread::scope(|scope| {
            let plan = &plan;
            let start = |first| scope.spawn(move || tally(plan, first, threads));
            let started: Vec<_> = (0..threads).map(start).collect();
            started.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
        });
        let mut all = plan.tally();
        for tally in tallies {
            all.merge(&tally.map_err(|_| "a thread is gone")??)?;
        }
        let report = plan.finish(&all)?;
        let l1 = &report.estimates[0];
        println!("threads: {threads}, l1: {:.4} ± {:.4}", l1.value, l1.stderr);
        bits.push(l1.value.to_bits());
    }
    println!("the same bits: {}", bits[0] == bits[1]);
    Ok(())
}
