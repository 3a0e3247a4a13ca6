use super::*;
use crate::data::Predictions;
use crate::loss::Scope;
use crate::numeric::random::derive_seed;

/// A number in [0, 1) for each row and purpose.
fn draw(row: usize, stream: u64) -> f64 {
    (derive_seed(stream, &[row as u64]) >> 11) as f64 / (1u64 << 53) as f64
}

/// Two numbers, of which one is missing at times, and a category; labels are drawn from f.
fn calibrated(rows: usize, seed: u64) -> (Predictions<'static>, Features) {
    let at = |row: usize, stream: u64| draw(row, derive_seed(seed, &[stream]));
    let f: Vec<f64> = (0..rows).map(|row| 0.05 + 0.9 * at(row, 0).powi(2)).collect();
    let labels: Vec<usize> = (0..rows).map(|row| usize::from(at(row, 1) < f[row])).collect();
    let some = |row: usize| if at(row, 2) < 0.1 { f64::NAN } else { at(row, 3) };
    let levels: Vec<_> =
        (0..rows).map(|row| Some(["a", "b", "c", "d"][(at(row, 5) * 4.0) as usize])).collect();
    let features = Features::new()
        .number("some", (0..rows).map(some).collect())
        .and_then(|all| all.number("all", (0..rows).map(|row| at(row, 4)).collect()))
        .and_then(|all| all.category("level", &levels))
        .unwrap();
    (Predictions::binary(f, &labels).unwrap(), features)
}

/// What one drawing says of a combination, segment by segment and row by row.
fn slowly(coded: &[&Coded], f: &[f64], weights: &[f64], labels: &[bool]) -> f64 {
    let mut all = vec![Vec::new()];
    for own in coded {
        let longer = |before: Vec<usize>| {
            (0..own.ranges.len()).map(move |next| [before.clone(), vec![next]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    let (mut sum, mut total) = (0.0, 0.0);
    for places in all {
        let ranges: Vec<_> =
            coded.iter().zip(&places).map(|(own, &place)| own.ranges[place]).collect();
        let inside = |row: &usize| {
            coded
                .iter()
                .zip(&ranges)
                .all(|(own, range)| (range.from..range.to).contains(&usize::from(own.of_row[*row])))
        };
        let rows: Vec<usize> = (0..f.len()).filter(inside).collect();
        let sum_of = |of: &dyn Fn(usize) -> f64| rows.iter().map(|&row| of(row)).sum::<f64>();
        let variance = sum_of(&|row| weights[row].powi(2) * f[row] * (1.0 - f[row]));
        if variance < 3.0 || rows.len() < 10 {
            continue;
        }
        let apart = sum_of(&|row| weights[row] * (f64::from(labels[row]) - f[row]));
        let cubes =
            sum_of(&|row| weights[row].powi(3) * f[row] * (1.0 - f[row]) * (1.0 - 2.0 * f[row]));
        let (z, g) = (apart / variance.sqrt(), cubes / variance.powf(1.5) / 6.0);
        let h = z - g * z * z + g * g * z.powi(3) / 3.0 + g;
        let weight: f64 = ranges.iter().map(|range| range.weight).product();
        sum += weight * (4.5 * h.abs() - 4.5 * 4.5 / 2.0).exp();
        total += weight;
    }
    sum / total
}

/// Against segments counted one by one, with and without weights, in the first and in a later drawing.
#[test]
fn combinations_are_what_their_segments_say() {
    let (predictions, features) = calibrated(600, 1);
    for weighted in [false, true] {
        let weights: Vec<f64> = (0..600).map(|row| 0.5 + draw(row, 77)).collect();
        let own = predictions.clone();
        let own = if weighted { own.with_weights(weights).unwrap() } else { own };
        let problem = Problem::new(&own, Scope::Canonical, 0);
        let rows = Rows::of(&problem);
        let classes = Class::all(&rows);
        let drawings = Drawings::all(&rows, 3, 9);
        let scan =
            Scan { rows: &rows, classes: &classes, drawings: &drawings, features: &features };
        let weights: Vec<f64> = (0..600).map(|row| rows.weight(row)).collect();
        for of in [vec![0], vec![2], vec![0, 1], vec![1, 2], vec![0, 1, 2]] {
            let coded = scan.coded(of.len() - 1);
            let found = scan.outcomes(&coded, std::slice::from_ref(&of)).remove(0);
            assert_eq!(found.len(), 3);
            let coded: Vec<&Coded> = of.iter().map(|&feature| &coded[feature]).collect();
            for (draw, found) in found.iter().enumerate() {
                let labels: Vec<bool> =
                    drawings[0].of_class[0].iter().map(|lanes| lanes[draw] == 1).collect();
                let expected = slowly(&coded, &classes[0].f, &weights, &labels);
                // Single precision, and e to five digits.
                let apart = (found.segments / expected - 1.0).abs();
                assert!(apart < 1e-3, "{of:?} {draw}: {} {expected}", found.segments);
            }
        }
    }
}

/// The labels observed come first, and others are drawn as often as f says.
#[test]
fn labels_are_drawn_from_f() {
    let (predictions, _) = calibrated(3_000, 2);
    let rows = Rows::of(&Problem::new(&predictions, Scope::Canonical, 0));
    let drawings = Drawings::all(&rows, 45, 3);
    assert_eq!((drawings.len(), drawings[0].count, drawings[1].count), (2, 40, 5));
    let observed = drawings[0].of_class[0].iter().map(|lanes| u32::from(lanes[0]));
    assert!(observed.eq(predictions.labels().iter().copied()));
    let expected: f64 = predictions.probs().column(1).sum();
    for lane in 1..40 {
        let count: f64 = drawings[0].of_class[0].iter().map(|lanes| f64::from(lanes[lane])).sum();
        // Five standard deviations of at most sqrt(n)/2.
        assert!(
            (count - expected).abs() < 5.0 * 0.5 * 3_000f64.sqrt(),
            "{lane}: {count} {expected}"
        );
    }
}

/// Exact: of calibrated data sets, 5 % have p-values up to 0.05. 400 sets: a standard error of 1.1 %.
#[test]
fn calibrated_models_are_seldom_rejected() {
    let rejected = |seed: &u64| {
        let (predictions, features) = calibrated(250, *seed);
        let problem = Problem::new(&predictions, Scope::Canonical, 0);
        p_value(&problem, &features, Some(39), *seed).unwrap().p_value <= 0.05
    };
    let rejected = (0..400u64).filter(rejected).count();
    assert!((6..=36).contains(&rejected), "{rejected}");
}

/// One row in eight is off, where two features say so: f alone cannot show it.
#[test]
fn a_hidden_segment_is_seen() {
    let (_, features) = calibrated(4_000, 5);
    let at = |row: usize, stream: u64| draw(row, derive_seed(5, &[stream]));
    let f: Vec<f64> = (0..4_000).map(|row| 0.05 + 0.9 * at(row, 0).powi(2)).collect();
    let label = |row: usize| {
        let inside = at(row, 4) > 0.5 && (at(row, 5) * 4.0) as usize == 2;
        usize::from(at(row, 1) < if inside { (f[row] + 0.15).min(1.0) } else { f[row] - 0.02 })
    };
    let labels: Vec<usize> = (0..4_000).map(label).collect();
    let predictions = Predictions::binary(f, &labels).unwrap();
    let problem = Problem::new(&predictions, Scope::Canonical, 0);
    let tested = p_value(&problem, &features, None, 0).unwrap();
    assert!((tested.p_value - 0.005).abs() < 1e-12, "{}", tested.p_value);
}
