//! Any parts, any order, any engine: one set of bits; and what the bits say.

use proptest::prelude::*;

use super::*;
use crate::data::{Predictions, Probabilities};
use crate::estimate::{Estimator, Report};
use crate::{Error, recalibrator, simulate};

/// A stream in memory, to be handed over in any parts.
struct Stream {
    f: Vec<Vec<f64>>,
    labels: Vec<u32>,
    weights: Option<Vec<f64>>,
    groups: Option<(Vec<u32>, Vec<String>)>,
    keys: Vec<u64>,
}

impl Stream {
    fn of(predictions: &Predictions<'_>) -> Self {
        let f = predictions.probs().rows().into_iter().map(|row| row.to_vec()).collect();
        let keys = (0..predictions.rows()).map(|row| identity(&row.to_string())).collect();
        let labels = predictions.labels().to_vec();
        Self { f, labels, weights: None, groups: None, keys }
    }

    /// Hands over some rows.
    fn block<R>(&self, some: &[usize], keyed: bool, work: impl FnOnce(&Rows<'_>) -> R) -> R {
        let classes = self.f[0].len();
        let cells: Vec<f64> = some.iter().flat_map(|&row| self.f[row].clone()).collect();
        let table = ndarray::Array2::from_shape_vec((some.len(), classes), cells).unwrap();
        let f = Probabilities::new(table).unwrap();
        let pick = |from: &[u32]| -> Vec<u32> { some.iter().map(|&row| from[row]).collect() };
        let labels = pick(&self.labels);
        let keys: Vec<u64> = some.iter().map(|&row| self.keys[row]).collect();
        let identities = match keyed {
            true => Identities::Keyed(&keys),
            false => Identities::Numbered { part: 0, first: some[0] as u64 },
        };
        let mut rows = Rows::new(&f, &labels, identities).unwrap();
        let weights: Option<Vec<f64>> =
            self.weights.as_ref().map(|all| some.iter().map(|&row| all[row]).collect());
        if let Some(weights) = &weights {
            rows = rows.weights(weights).unwrap();
        }
        let codes = self.groups.as_ref().map(|(codes, _)| pick(codes));
        if let (Some(codes), Some((_, names))) = (&codes, &self.groups) {
            rows = rows.groups(codes, names).unwrap();
        }
        work(&rows)
    }

    fn classes(&self) -> Vec<String> {
        (0..self.f[0].len()).map(|class| class.to_string()).collect()
    }

    /// What samplers that begin as this one draw from the parts.
    fn drawn(&self, begun: &Sampler, parts: &[Vec<usize>], keyed: bool) -> Drawn {
        let samplers = parts.iter().map(|part| {
            let mut sampler = begun.clone();
            self.block(part, keyed, |rows| sampler.add(rows)).unwrap();
            sampler
        });
        let whole = samplers.reduce(|mut all, one| {
            all.merge(one).unwrap();
            all
        });
        whole.unwrap().finish().unwrap()
    }

    fn plan(&self, asked: &Estimator, sample: usize, parts: &[Vec<usize>], keyed: bool) -> Plan {
        let drawn = self.drawn(&Sampler::new(sample, 0), parts, keyed);
        let classes = self.classes();
        let class_of: Vec<u32> = (0..classes.len() as u32).collect();
        let groups = self.groups.as_ref().map_or(&[][..], |(_, names)| names);
        Plan::fit(asked, drawn, &class_of, &classes, groups).unwrap()
    }

    fn tally(&self, plan: &Plan, parts: &[Vec<usize>], keyed: bool) -> Tally {
        let mut tally = plan.tally();
        for part in parts {
            let mut own = plan.tally();
            self.block(part, keyed, |rows| own.add(plan, rows)).unwrap();
            // By way of bytes, as from another machine.
            tally.merge(&Tally::from_bytes(&own.to_bytes().unwrap()).unwrap()).unwrap();
        }
        tally
    }

    fn report(&self, asked: &Estimator, sample: usize, parts: &[Vec<usize>]) -> Report {
        let plan = self.plan(asked, sample, parts, true);
        plan.finish(&self.tally(&plan, parts, true)).unwrap()
    }

    /// The rows in order, in so many parts.
    fn parts(&self, count: usize) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..self.labels.len()).collect();
        all.chunks(all.len().div_ceil(count)).map(<[usize]>::to_vec).collect()
    }
}

fn quick() -> Estimator {
    Estimator::new().recalibrator(recalibrator("affine").unwrap()).draws(20)
}

fn weighted(mut stream: Stream) -> Stream {
    let weights = (0..stream.labels.len()).map(|row| 0.25 + (row % 7) as f64);
    stream.weights = Some(weights.collect());
    stream
}

fn grouped(mut stream: Stream) -> Stream {
    let codes = (0..stream.labels.len()).map(|row| (row % 40 / 15) as u32);
    let names = ["north", "south", "west"].map(str::to_owned).to_vec();
    stream.groups = Some((codes.collect(), names));
    stream
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Rows that are shuffled and cut anywhere give the report's JSON to the last digit, for two classes
    /// and more, with weights and groups and without.
    #[test]
    fn any_parts_in_any_order_give_the_same_bits(
        order in Just((0..900usize).collect::<Vec<_>>()).prop_shuffle(),
        parts in 1usize..30,
        kind in 0usize..4,
    ) {
        let name = ["binary-overconfident", "multiclass-overconfident-3"][kind % 2];
        let mut stream = Stream::of(&simulate(name, 900, 3).unwrap());
        if kind > 1 {
            stream = grouped(weighted(stream));
        }
        let asked = quick().metrics(["l1", "log", "top-brier"].map(|name| name.parse().unwrap()));
        let expected = stream.report(&asked, 300, &stream.parts(1)).to_json();
        let cut: Vec<Vec<usize>> =
            order.chunks(order.len().div_ceil(parts)).map(<[usize]>::to_vec).collect();
        prop_assert_eq!(stream.report(&asked, 300, &cut).to_json(), expected);
    }
}

/// A sample that is everything is the estimate in memory, bit for bit, scores included; and numbered rows
/// keep their order.
#[test]
fn a_sample_of_everything_is_the_estimate() {
    for name in ["binary-overconfident", "multiclass-overconfident-3"] {
        let predictions = simulate(name, 700, 1).unwrap();
        let stream = grouped(weighted(Stream::of(&predictions)));
        let (codes, names) = stream.groups.clone().unwrap();
        let groups: Vec<&String> = codes.iter().map(|&code| &names[code as usize]).collect();
        let predictions = predictions.with_weights(stream.weights.clone().unwrap()).unwrap();
        let predictions = predictions.with_groups(&groups).unwrap();
        let asked = quick().bracket(true);
        let expected = asked.estimate(&predictions).unwrap();
        for parts in [1, 7] {
            let parts = stream.parts(parts);
            let plan = stream.plan(&asked, 700, &parts, false);
            let report = plan.finish(&stream.tally(&plan, &parts, false)).unwrap();
            assert_eq!(report.to_json(), expected.to_json());
            assert!(report.estimates[0].scores == expected.estimates[0].scores);
        }
    }
}

/// A plan that went over the wire scores to the same bits.
#[test]
fn a_plan_is_the_same_after_a_journey() {
    for name in ["binary-overconfident", "multiclass-overconfident-3"] {
        let stream = grouped(weighted(Stream::of(&simulate(name, 900, 5).unwrap())));
        let asked = quick().metric("classwise-l1".parse().unwrap()).metric("log".parse().unwrap());
        let plan = stream.plan(&asked, 300, &stream.parts(1), true).with_notes("files".to_owned());
        let again = Plan::from_bytes(&plan.to_bytes().unwrap()).unwrap();
        assert_eq!(again.notes(), "files");
        let tally = stream.tally(&again, &stream.parts(3), true);
        let expected = plan.finish(&stream.tally(&plan, &stream.parts(2), true)).unwrap();
        assert_eq!(again.finish(&tally).unwrap().to_json(), expected.to_json());
        // Bytes that are cut or changed are refused, and nothing worse.
        let bytes = plan.to_bytes().unwrap();
        for end in (0..bytes.len()).step_by(97) {
            assert!(Plan::from_bytes(&bytes[..end]).is_err());
        }
        let bytes = tally.to_bytes().unwrap();
        for end in (0..bytes.len()).step_by(31) {
            assert!(Tally::from_bytes(&bytes[..end]).is_err());
        }
    }
}

/// The scores of the rest, cell by cell, against those of each row by the slow way: through the g of the
/// plan as any recalibrator's.
#[test]
fn cells_score_as_rows_do() {
    let stream = Stream::of(&simulate("binary-overconfident", 6_000, 2).unwrap());
    let names = ["l1", "brier", "log", "over-l1", "top-l2", "classwise-brier"];
    let asked = quick().metrics(names.map(|name| name.parse().unwrap()));
    let parts = stream.parts(1);
    let plan = stream.plan(&asked, 1_000, &parts, true);
    let report = plan.finish(&stream.tally(&plan, &parts, true)).unwrap();
    let ranks = super::identity::Ranks::new(0);
    let rest: Vec<usize> =
        (0..6_000).filter(|&row| plan.sampled(ranks, stream.keys[row]).is_none()).collect();
    assert_eq!(rest.len(), 5_000);
    let cells: Vec<f64> = rest.iter().flat_map(|&row| stream.f[row].clone()).collect();
    let f = ndarray::Array2::from_shape_vec((rest.len(), 2), cells).unwrap();
    let labels: Vec<u32> = rest.iter().map(|&row| stream.labels[row]).collect();
    let scorers = plan.scorers().unwrap();
    let scored = plan.maps.as_ref().unwrap().score(&scorers, f.view(), &labels).unwrap();
    for (place, one) in report.estimates.iter().enumerate() {
        let rest: f64 = scored[place].iter().map(|one| one.plain.score).sum();
        let sample = plan.facts.report.estimates[place].value * 1_000.0;
        let expected = (rest + sample) / 6_000.0;
        // A cell is 2⁻¹¹ of the smaller probability wide, and errors of its shape are of second order.
        assert!((one.value - expected).abs() < 2e-6, "{}: {} {expected}", one.metric, one.value);
    }
}

/// Rows that are missing, or that come twice, are noticed, because the sample is not met once.
#[test]
fn rows_that_are_missing_or_counted_twice_are_noticed() {
    let stream = Stream::of(&simulate("binary-overconfident", 900, 4).unwrap());
    let parts = stream.parts(9);
    let plan = stream.plan(&quick(), 200, &parts, true);
    let refused = |parts: &[Vec<usize>]| {
        plan.finish(&stream.tally(&plan, parts, true)).unwrap_err().to_string()
    };
    assert!(refused(&parts[1..]).starts_with("rows are missing: of the 200 rows"));
    let twice = [&parts[..], &parts[..1]].concat();
    assert!(refused(&twice).starts_with("rows were counted twice"));
    let other = stream.plan(&quick().seed(1), 100, &parts, true);
    let mixed = other.finish(&stream.tally(&plan, &parts, true)).unwrap_err();
    assert_eq!(mixed.to_string(), "the tally is of another plan");
}

#[test]
fn a_key_that_two_rows_have_is_refused() {
    let mut stream = Stream::of(&simulate("binary-overconfident", 50, 4).unwrap());
    stream.keys[7] = stream.keys[30];
    let mut sampler = Sampler::new(60, 0);
    stream.block(&stream.parts(1)[0], true, |rows| sampler.add(rows)).unwrap();
    let identity = stream.keys[7];
    assert_eq!(sampler.finish().unwrap_err(), Error::Key { identity });
}

/// Who knows how many rows there are draws the same ones. Who was told a wrong number draws a sample still:
/// of the lowest ranks, and not taken for everything.
#[test]
fn a_sampler_that_knows_the_total_draws_the_same_rows() {
    let stream = Stream::of(&simulate("binary-overconfident", 5_000, 4).unwrap());
    let parts = stream.parts(7);
    let told = |most: usize, total: u64| {
        stream.drawn(&Sampler::new(most, 3).expecting(total), &parts, true)
    };
    for most in [1, 40, 4_999, 5_000, 9_000] {
        let (blind, told) = (stream.drawn(&Sampler::new(most, 3), &parts, true), told(most, 5_000));
        let about = |drawn: &Drawn| (drawn.rows(), drawn.fingerprint(), drawn.is_everything());
        assert_eq!(about(&blind), about(&told), "{most}");
        assert_eq!(told.seen(), 5_000);
    }
    let fewer = told(400, 50_000);
    // About a tenth of 400 + 6·20 + 40: a tenth of the ranks that may be in it.
    assert!((30..100).contains(&fewer.rows()) && !fewer.is_everything());
    let lost = told(9_000, 5_000_000);
    assert!(lost.rows() < 100 && !lost.is_everything());
}

/// Rows outside the sample do not share folds: at a thousand times the sample the bound is that of
/// independent rows.
#[test]
fn the_bound_of_a_long_stream_is_that_of_independent_rows() {
    let stream = Stream::of(&simulate("binary-overconfident", 60_000, 6).unwrap());
    let report = stream.report(&quick().metric("l1".parse().unwrap()), 600, &stream.parts(4));
    let l1 = &report.estimates[0];
    // l1's scores are at most 1 in size, and those of labels near a coin's throw about 0.4.
    let alone = l1.stderr * (60_000f64).sqrt();
    assert!((0.3..0.5).contains(&alone), "{alone}");
    assert!((l1.value - 1.6449 * l1.stderr - l1.lower).abs() < 2e-5);
}

/// Groups that are large enough have a g of their own, which finds what cancels over all rows; small ones
/// are scored by that of all rows.
#[test]
fn groups_are_scored_by_their_own_map() {
    let n = 40_000;
    let mut stream = Stream::of(&simulate("binary-calibrated", n, 8).unwrap());
    let mut codes = Vec::new();
    let mut moved = [0.0; 2];
    for row in 0..n {
        // North is told a tenth too little, south a tenth too much; west has a few rows of either.
        let code = if row % 1_000 == 0 { 2 } else { (row % 2) as u32 };
        let shift = if row % 2 == 0 { -0.1 } else { 0.1 };
        let p = (stream.f[row][1] + shift).clamp(0.0, 1.0);
        moved[row % 2] += (p - stream.f[row][1]).abs() / (n / 2) as f64;
        stream.f[row] = vec![1.0 - p, p];
        codes.push(code);
    }
    stream.groups = Some((codes, ["north", "south", "west"].map(str::to_owned).to_vec()));
    let isotonic = recalibrator("isotonic").unwrap();
    let asked = quick().recalibrator(isotonic).metric("l1".parse().unwrap());
    let report = stream.report(&asked, 4_000, &stream.parts(3));
    let groups = report.groups.unwrap().groups;
    let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["north", "south", "west"]);
    assert_eq!(groups.iter().map(|group| group.rows).sum::<usize>(), n);
    for (group, moved) in groups[..2].iter().zip(moved) {
        let l1 = &group.estimates.as_ref().unwrap()[0];
        // How far predictions were moved, to three standard errors of 20,000 rows.
        let distance = (l1.value - moved).abs();
        assert!(distance < 3.0 * l1.stderr && moved > 0.03, "{}: {l1:?} {moved}", group.name);
    }
    let west = &groups[2].estimates.as_ref().unwrap()[0];
    assert!(west.p_value.is_none() && west.lower <= 0.0 && west.rows == 40, "{west:?}");
}

/// Arrays of more rows than are learnt from go the way of a stream of numbered rows: the same bits, on any
/// number of threads; and all rows are learnt from where that is asked for.
#[test]
fn arrays_are_estimated_as_the_stream_that_holds_them() {
    for name in ["binary-overconfident", "multiclass-overconfident-3"] {
        let predictions = simulate(name, 3_000, 4).unwrap();
        let mut stream = Stream::of(&predictions);
        // Powers of 2: weights are scaled to their largest, which is then no rounding.
        let weights: Vec<f64> = (0..3_000).map(|row| [1.0, 2.0, 4.0][row % 3]).collect();
        let names = ["north", "south"].map(str::to_owned);
        let codes: Vec<u32> = (0..3_000).map(|row| u32::from(row % 5 == 1)).collect();
        let groups: Vec<&str> = codes.iter().map(|&code| names[code as usize].as_str()).collect();
        let predictions = predictions.with_groups(&groups).unwrap();
        let predictions = predictions.with_weights(weights.clone()).unwrap();
        stream.weights = Some(weights);
        stream.groups = Some((codes, names.to_vec()));
        let plan = stream.plan(&quick(), 700, &stream.parts(1), false);
        let expected = plan.finish(&stream.tally(&plan, &stream.parts(1), false)).unwrap();
        for threads in [1, 3] {
            let found = quick().sample(700).threads(threads).estimate(&predictions).unwrap();
            assert_eq!((found.rows, found.sample), (3_000, Some(700)));
            assert_eq!(found.to_json(), expected.to_json(), "{name} {threads}");
        }
        let whole = quick().sample(3_000).estimate(&predictions).unwrap();
        assert_eq!(whole.sample, None);
        assert_eq!(whole.to_json(), quick().estimate(&predictions).unwrap().to_json());
    }
}

#[test]
fn arrays_keep_the_folds_that_they_were_given_and_say_how_many_rows_were_renormalised() {
    let table = simulate("multiclass-overconfident-3", 900, 4).unwrap();
    let single = table.probs().mapv(|p| (p * 1.001) as f32);
    let predictions = Predictions::borrowed(single.view(), table.labels()).unwrap();
    let ids: Vec<i64> = (0..900).map(|row| row / 300).collect();
    let asked = quick().fold_plan(crate::Folds::from_ids(&ids).unwrap());
    let found = asked.clone().sample(300).estimate(&predictions).unwrap();
    assert_eq!((found.folds, found.renormalised_rows), (3, 900));
    let short = asked.fold_plan(crate::Folds::Given { ids: vec![0, 1], count: 2 });
    assert!(matches!(short.sample(300).estimate(&predictions), Err(Error::Length { .. })));
    assert!(matches!(quick().sample(0).estimate(&predictions), Err(Error::Setting { .. })));
    assert!(matches!(quick().sample(2).estimate(&predictions), Err(Error::TooFewRows { .. })));
}
