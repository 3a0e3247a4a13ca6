use proptest::prelude::*;

use super::sided::{Pivot, Sided};
use super::*;

/// A point of the simplex with k components, none of them tiny.
fn simplex(classes: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0.02f64..1.0, classes).prop_map(|raw| {
        let sum: f64 = raw.iter().sum();
        raw.into_iter().map(|value| value / sum).collect()
    })
}

fn pair_and_label() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, usize)> {
    (3usize..8).prop_flat_map(|classes| (simplex(classes), simplex(classes), 0..classes))
}

fn norm(f: &[f64], g: &[f64], p: f64) -> f64 {
    let steps = f.iter().zip(g).map(|(f, g)| (g - f).abs());
    if p.is_infinite() {
        steps.fold(0.0, f64::max)
    } else {
        steps.map(|step| step.powf(p)).sum::<f64>().powf(1.0 / p)
    }
}

/// A divergence of C from f.
type Divergence = fn(&[f64], &[f64]) -> f64;

fn losses() -> Vec<(Box<dyn ProperLoss>, Divergence)> {
    let kl = |f: &[f64], c: &[f64]| f.iter().zip(c).map(|(f, c)| c * (c / f).ln()).sum::<f64>();
    vec![
        (Box::new(Lp::new(1.0)), |f, c| norm(f, c, 1.0)),
        (Box::new(Lp::new(1.5)), |f, c| norm(f, c, 1.5)),
        (Box::new(Lp::new(2.0)), |f, c| norm(f, c, 2.0)),
        (Box::new(Lp::new(3.0)), |f, c| norm(f, c, 3.0)),
        (Box::new(Lp::new(40.0)), |f, c| norm(f, c, 40.0)),
        (Box::new(Linf), |f, c| norm(f, c, f64::INFINITY)),
        (Box::new(Brier), |f, c| norm(f, c, 2.0).powi(2)),
        (Box::new(Log { floor: 0.0 }), kl),
    ]
}

/// E_{Y~c} of the score of g.
fn expected(loss: &dyn ProperLoss, f: &[f64], g: &[f64], c: &[f64]) -> f64 {
    (0..c.len()).map(|label| c[label] * loss.score(f, g, label)).sum()
}

/// Of many classes, among which f and g agree, nearly agree, and rule out what the other does not.
#[test]
fn scores_of_many_classes_are_the_scores_of_each() {
    let rows = |power: i32| {
        let mut row: Vec<f64> = (1..=40).map(|class| f64::from(class).powi(power)).collect();
        (row[3], row[4]) = (0.0, 0.0);
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
        row
    };
    let (f, mut g) = (rows(2), rows(-2));
    for (class, share) in [(10, 1.0), (11, 1.0 + 1e-9), (12, 1.0 - 1e-15), (13, 0.0), (14, 0.3)] {
        g[class] = share * f[class];
    }
    g[3] = 1e-3;
    for floor in [0.0, 1e-6] {
        let loss = Log { floor };
        let mut together = vec![0.0; 40];
        loss.class_scores(&f, &g, &mut together);
        for (label, &score) in together.iter().enumerate() {
            let apart = loss.score(&f, &g, label);
            // Infinite or 0 alike, or logarithms and a quotient that are rounded once each.
            let same = score.total_cmp(&apart).is_eq();
            let allowed = 2e-16 + 2e-15 * apart.abs();
            assert!(same || (score - apart).abs() <= allowed, "{label}: {score} {apart}");
        }
    }
}

proptest! {
    /// With g = C the expected score is the divergence; with any other g it is no more: the loss
    /// is proper. Rounding of a few operations on numbers of order 1 is below 1e-12.
    #[test]
    fn scores_estimate_their_divergence_and_never_overstate_it(
        (f, c, g) in (3usize..8).prop_flat_map(|k| (simplex(k), simplex(k), simplex(k)))
    ) {
        for (number, (loss, divergence)) in losses().into_iter().enumerate() {
            let truth = divergence(&f, &c);
            let best = expected(loss.as_ref(), &f, &c, &c);
            prop_assert!((best - truth).abs() < 1e-12, "{number}: {best} {truth}");
            prop_assert!(expected(loss.as_ref(), &f, &g, &c) <= truth + 1e-12, "{number}");
        }
    }

    #[test]
    fn the_score_is_exactly_zero_at_f((f, _, label) in pair_and_label()) {
        for (loss, _) in losses() {
            prop_assert_eq!(loss.score(&f, &f, label).to_bits(), 0f64.to_bits());
        }
    }

    /// A step of 2⁻²⁰ to 2⁻⁴⁰ along a direction that f + step represents exactly: the Lp score
    /// depends on the direction alone, so it must not change in any digit that matters.
    #[test]
    fn nothing_is_lost_as_g_approaches_f(power in 20i32..40, p in 1.01f64..60.0, label in 0usize..4) {
        let f = [0.125, 0.25, 0.5, 0.125];
        let direction = [3.0, -1.0, -4.0, 2.0];
        let step = |size: f64| -> Vec<f64> {
            f.iter().zip(direction).map(|(f, d)| f + d * size).collect()
        };
        let near = Lp::new(p).score(&f, &step(2f64.powi(-power)), label);
        let far = Lp::new(p).score(&f, &step(2f64.powi(-6)), label);
        prop_assert!((near - far).abs() < 1e-14, "{near} {far}");
    }

    /// ln g − ln f and ‖f − Y‖² − ‖g − Y‖² keep their relative accuracy for tiny steps.
    #[test]
    fn brier_and_log_keep_their_digits(power in 20i32..45) {
        let size = 2f64.powi(-power);
        let (f, g) = ([0.25, 0.25, 0.5], [0.25 + size, 0.25, 0.5 - size]);
        let log = Log { floor: 0.0 }.score(&f, &g, 0);
        // ln(1 + 4 size) = 4 size − 8 size² + O(size³).
        let series = 4.0 * size - 8.0 * size * size;
        prop_assert!((log / series - 1.0).abs() < 1e-11, "{log:e} {series:e}");
        let brier = Brier.score(&f, &g, 0);
        // (0.75² + 0.25² + 0.5²) − ((0.75 − s)² + 0.25² + (0.5 − s)²) = 2.5 s − 2 s².
        let exact = 2.5 * size - 2.0 * size * size;
        prop_assert!((brier / exact - 1.0).abs() < 1e-11, "{brier:e} {exact:e}");
    }

    #[test]
    fn two_classes_have_one_lp_score(f in 0.0f64..=1.0, g in 0.0f64..=1.0, p in 1.0f64..20.0, label in 0usize..2) {
        let (f, g) = ([1.0 - f, f], [1.0 - g, g]);
        let l1 = Lp::new(1.0).score(&f, &g, label);
        prop_assert_eq!(Lp::new(p).score(&f, &g, label).to_bits(), l1.to_bits());
        prop_assert_eq!(Linf.score(&f, &g, label).to_bits(), l1.to_bits());
    }

    /// Two classes have one number to get right: with g = C the expected score is |C₁ − f₁|, its
    /// square, or KL(C ‖ f), and with another g no more. Exactly 0 at g = f, be it the negative zero
    /// that a product with a negative number is.
    #[test]
    fn two_classes_measure_the_scalar(f in 0.02f64..0.98, c in 0.02f64..0.98, g in 0.02f64..0.98) {
        let pair = |p: f64| [1.0 - p, p];
        let step = (c - f).abs();
        let kl = c * (c / f).ln() + (1.0 - c) * ((1.0 - c) / (1.0 - f)).ln();
        let truths = [step, step, step, step, step, step, step * step, kl];
        for (number, ((loss, _), truth)) in losses().into_iter().zip(truths).enumerate() {
            let best = expected(loss.as_ref(), &pair(f), &pair(c), &pair(c));
            prop_assert!((best - truth).abs() < 1e-12, "{number}: {best} {truth}");
            let other = expected(loss.as_ref(), &pair(f), &pair(g), &pair(c));
            prop_assert!(other <= truth + 1e-12, "{number}: {other} {truth}");
            for label in 0..2 {
                let at_f = loss.score(&pair(f), &pair(f), label);
                prop_assert_eq!(at_f.abs().to_bits(), 0f64.to_bits(), "{}", number);
            }
        }
    }

    /// The order of the classes does not matter to any score.
    #[test]
    fn classes_may_be_permuted((f, g, label) in pair_and_label(), by in 0usize..8) {
        let classes = f.len();
        let rotate = |row: &[f64]| -> Vec<f64> {
            (0..classes).map(|class| row[(class + by) % classes]).collect()
        };
        let moved = (label + classes * 8 - by) % classes;
        for (loss, _) in losses() {
            let (one, other) =
                (loss.score(&f, &g, label), loss.score(&rotate(&f), &rotate(&g), moved));
            prop_assert!((one - other).abs() < 1e-13, "{one} {other}");
        }
    }

    /// All classes' scores at once are those of one class after another: for the norms the same sum
    /// in another order, so to rounding.
    #[test]
    fn scores_of_all_classes_are_the_scores_of_each(
        (f, g, _) in pair_and_label(), p in 1.0f64..9.0, f1 in 0.0f64..=1.0, g1 in 0.0f64..=1.0
    ) {
        let mut all = losses();
        all.push((Box::new(Lp::new(p)), |_, _| 0.0));
        all.push((Box::new(DistanceLoss(std::sync::Arc::new(Euclid))), |_, _| 0.0));
        let (f2, g2) = (vec![1.0 - f1, f1], vec![1.0 - g1, g1]);
        // So near to f that powers of the steps underflow where they are not scaled first.
        let (f3, g3) = (vec![0.25, 0.25, 0.5], vec![0.25 + 2f64.powi(-40), 0.25, 0.5 - 2f64.powi(-40)]);
        for (f, g) in [(&f, &g), (&f, &f), (&f2, &g2), (&f3, &g3)] {
            for (number, (loss, _)) in all.iter().enumerate() {
                let mut together = vec![0.0; f.len()];
                loss.class_scores(f, g, &mut together);
                for (label, &score) in together.iter().enumerate() {
                    let apart = loss.score(f, g, label);
                    let same = score.total_cmp(&apart).is_eq() || (score - apart).abs() < 1e-13;
                    prop_assert!(same, "{number}: {score} {apart}");
                }
            }
        }
    }

    /// A distance given through the trait and the loss that is built in agree.
    #[test]
    fn a_distance_given_by_hand_is_the_norm((f, g, label) in pair_and_label()) {
        let by_hand = DistanceLoss(std::sync::Arc::new(Euclid)).score(&f, &g, label);
        let built_in = Lp::new(2.0).score(&f, &g, label);
        prop_assert!((by_hand - built_in).abs() < 1e-12, "{by_hand} {built_in}");
        let zero = DistanceLoss(std::sync::Arc::new(Euclid)).score(&f, &f, label);
        prop_assert_eq!(zero.to_bits(), 0f64.to_bits());
    }
}

#[derive(Debug)]
struct Euclid;

impl Distance for Euclid {
    fn value(&self, f: &[f64], z: &[f64]) -> f64 {
        norm(f, z, 2.0)
    }

    fn subgradient(&self, f: &[f64], z: &[f64], out: &mut [f64]) {
        let length = self.value(f, z);
        for class in 0..f.len() {
            out[class] = (z[class] - f[class]) / length;
        }
    }
}

#[test]
fn underflowing_powers_do_not_break_large_exponents() {
    let step = 2f64.powi(-40);
    let score = Lp::new(1e6).score(&[0.25, 0.25, 0.5], &[0.25 + step, 0.25, 0.5 - step], 0);
    // ‖d‖ is 2^(1/p) times the largest component, so both moved ones carry half of the gradient:
    // ½(1 − 0.25) + ½·0.5, up to 2^(1/p).
    assert!((score - 0.625).abs() < 1e-5, "{score}");
}

#[test]
fn ties_of_the_largest_component_share_the_gradient() {
    let score = Linf.score(&[0.25, 0.25, 0.5], &[0.5, 0.25, 0.25], 0);
    assert!((score - 0.5 * (0.75 + 0.5)).abs() < 1e-15, "{score}");
}

#[test]
fn infinities_are_signed_and_agreement_is_zero_even_at_zero() {
    let log = Log { floor: 0.0 };
    assert!(log.score(&[0.0, 1.0], &[0.1, 0.9], 0) >= f64::INFINITY);
    assert!(log.score(&[0.1, 0.9], &[0.0, 1.0], 0) <= f64::NEG_INFINITY);
    assert_eq!(log.score(&[0.0, 1.0], &[0.0, 1.0], 0).to_bits(), 0f64.to_bits());
}

#[test]
fn sides_split_at_a_half_or_below_certainty() {
    let sided = |side, pivot| Sided { side, pivot, inner: Box::new(Lp::new(1.0)) };
    let pair = |p: f64| [1.0 - p, p];
    // (f, g, over-confident with two classes, over-confident at the top)
    let cases = [
        (0.8, 0.6, true, true),
        (0.8, 0.9, false, false),
        (0.2, 0.4, true, false),
        (0.2, 0.1, false, true),
        (0.5, 0.7, false, false),
        (0.5, 0.3, false, true),
        (0.8, 0.2, true, true),
    ];
    for (f, g, half, top) in cases {
        for (pivot, expected) in [(Pivot::Half, half), (Pivot::Certainty, top)] {
            let over = sided(Side::Over, pivot).score(&pair(f), &pair(g), 1);
            let under = sided(Side::Under, pivot).score(&pair(f), &pair(g), 1);
            let whole = Lp::new(1.0).score(&pair(f), &pair(g), 1);
            assert_eq!((over + under).to_bits(), whole.to_bits());
            assert_eq!(over.abs() > 0.0, expected, "{f} {g} {pivot:?}");
        }
    }
}

/// The gradient of |d| is taken as 0 at d = 0: a class that g leaves where it was neither pulls nor is
/// pulled.
#[test]
fn a_class_that_does_not_move_has_no_slope() {
    let (f, g) = ([0.25, 0.25, 0.5], [0.5, 0.25, 0.25]);
    // ⟨(1, 0, −1), Y − f⟩ = Y₀ − Y₂ − 0.25 + 0.5.
    for (label, expected) in [1.25, 0.25, -0.75].into_iter().enumerate() {
        let score = Lp::new(1.0).score(&f, &g, label);
        assert!((score - expected).abs() < 1e-15, "{label}: {score}");
    }
}

/// ln(g/f) = ln 2e-20 where 1 + (g − f)/f would round to 0, and its mirror image.
#[test]
fn the_log_score_keeps_its_digits_far_from_f() {
    let (half, tiny) = ([0.5, 0.5], [1e-20, 1.0]);
    let log = Log { floor: 0.0 };
    let exact = 2e-20f64.ln();
    for (score, exact) in
        [(log.score(&half, &tiny, 0), exact), (log.score(&tiny, &half, 0), -exact)]
    {
        assert!((score / exact - 1.0).abs() < 1e-15, "{score} {exact}");
    }
}

/// Mixed with that much of f, no g scores less than the logarithm of the share; the other losses are
/// bounded as they are.
#[test]
fn only_the_log_loss_is_hedged() {
    let log = Log { floor: 0.0 };
    let hedge = log.hedge();
    assert!(hedge > 0.0 && hedge < 0.1, "most of g is kept: {hedge}");
    let (f, g) = ([0.25, 0.75], [0.0, 1.0]);
    let mixed = [hedge * f[0], 1.0 - hedge * f[0]];
    assert!(log.score(&f, &g, 0) <= f64::NEG_INFINITY);
    assert!((log.score(&f, &mixed, 0) - hedge.ln()).abs() < 1e-14);
    let bounded: [&dyn ProperLoss; 4] =
        [&Lp::new(1.5), &Linf, &Brier, &DistanceLoss(std::sync::Arc::new(Euclid))];
    for loss in bounded {
        assert_eq!(loss.hedge().to_bits(), 0f64.to_bits());
    }
    let sided = |inner: Box<dyn ProperLoss>| Sided { side: Side::Over, pivot: Pivot::Half, inner };
    assert_eq!(sided(Box::new(log)).hedge().to_bits(), hedge.to_bits());
    assert_eq!(sided(Box::new(Brier)).hedge().to_bits(), 0f64.to_bits());
}

#[test]
fn every_loss_says_what_g_is_for() {
    let log = Log { floor: 0.0 };
    let distance = DistanceLoss(std::sync::Arc::new(Euclid));
    let directions: [&dyn ProperLoss; 3] = [&Lp::new(2.0), &Linf, &distance];
    assert!(directions.iter().all(|loss| loss.purpose() == Purpose::Direction));
    assert_eq!((Brier.purpose(), log.purpose()), (Purpose::Squared, Purpose::Log));
    let sided = |inner: Box<dyn ProperLoss>| Sided { side: Side::Over, pivot: Pivot::Half, inner };
    assert_eq!(sided(Box::new(log)).purpose(), Purpose::Log);
    assert_eq!(sided(Box::new(Linf)).purpose(), Purpose::Direction);
}

/// A distance that wants to see seven rows at once, and is otherwise like [`Euclid`].
#[derive(Debug)]
struct Sevens;

impl Distance for Sevens {
    fn value(&self, f: &[f64], z: &[f64]) -> f64 {
        Euclid.value(f, z)
    }

    fn subgradient(&self, f: &[f64], z: &[f64], out: &mut [f64]) {
        Euclid.subgradient(f, z, out);
    }

    fn block(&self) -> usize {
        7
    }
}

/// Rows of a block are scored as they would be one by one, to the last bit, g = f among them.
#[test]
fn a_block_is_scored_row_by_row() {
    let f = ndarray::array![[0.25, 0.25, 0.5], [0.5, 0.25, 0.25], [0.125, 0.75, 0.125]];
    let g = ndarray::array![[0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [0.25, 0.25, 0.5]];
    let distance = DistanceLoss(std::sync::Arc::new(Euclid));
    let seven = DistanceLoss(std::sync::Arc::new(Sevens));
    assert_eq!((Brier.block(), distance.block(), seven.block()), (1, 1, 7));
    let mut all: Vec<Box<dyn ProperLoss>> = losses().into_iter().map(|(loss, _)| loss).collect();
    all.extend([Box::new(distance) as Box<dyn ProperLoss>, Box::new(seven)]);
    for (number, loss) in all.iter().enumerate() {
        let mut block = ndarray::Array2::from_elem((3, 3), f64::NAN);
        loss.block_scores(f.view(), g.view(), block.view_mut());
        for row in 0..3 {
            let mut alone = [f64::NAN; 3];
            loss.class_scores(&f.row(row).to_vec(), &g.row(row).to_vec(), &mut alone);
            let bits = |scores: &[f64]| scores.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&block.row(row).to_vec()), bits(&alone), "{number}");
        }
    }
}
