//! Borrowed predictions give the estimates of owned ones, to the last bit.
use calipers::{Estimator, Metric, Predictions, Real, Sample, recalibrator, simulate};
use ndarray::{Array2, Axis, ShapeBuilder, Slice};

/// Every bit that comes out: estimates of several scopes, and what a fit sees.
fn bits(predictions: &Predictions<'_>) -> Vec<u64> {
    let names = ["l1", "log", "top-l2", "classwise-brier"];
    let metrics = names.map(|name| name.parse::<Metric>().unwrap());
    let mut bits = vec![predictions.renormalised_rows() as u64];
    for name in ["isotonic", "logistic", "boost"] {
        let estimator = Estimator::new().metrics(metrics.clone());
        let report =
            estimator.recalibrator(recalibrator(name).unwrap()).estimate(predictions).unwrap();
        let all = report.estimates.iter();
        bits.extend(all.flat_map(|one| one.scores.iter().chain([&one.value])).map(|v| v.to_bits()));
    }
    bits.extend(Sample::from(predictions).probs().iter().map(|value| value.to_bits()));
    bits
}

/// Compares layouts, with weights of which some are 0.
fn assert_same<T: Real>(table: &Array2<T>, labels: &[u32]) {
    let weights: Vec<f64> = (0..labels.len()).map(|row| (row % 4) as f64).collect();
    let weighted =
        |predictions: Predictions<'_>| bits(&predictions.with_weights(weights.clone()).unwrap());
    let owned = weighted(Predictions::new(table.mapv(Into::into), labels).unwrap());
    let (rows, classes) = table.dim();
    // Backwards, with every number three times.
    let gaps = Array2::from_shape_fn((3 * rows, classes), |(row, class)| {
        table[[rows - 1 - row / 3, classes - 1 - class]]
    });
    let mut backwards = gaps.view();
    backwards.slice_axis_inplace(Axis(0), Slice::new(0, None, -3));
    backwards.slice_axis_inplace(Axis(1), Slice::new(0, None, -1));
    let columns = Array2::from_shape_fn((rows, classes).f(), |at| table[at]);
    for view in [table.view(), backwards, columns.view()] {
        let borrowed = weighted(Predictions::borrowed(view, labels).unwrap());
        assert_eq!(borrowed, owned, "{:?}", view.strides());
    }
}

/// So many classes, by multiplying rows of ten or fewer.
fn table(classes: usize) -> (Array2<f64>, Vec<u32>) {
    let setting = match classes {
        2 => "binary-overconfident",
        3 => "multiclass-overconfident-3",
        _ => "multiclass-overconfident-10",
    };
    let predictions = simulate(setting, 150, 3).unwrap();
    let (probs, labels) = (predictions.probs(), predictions.labels());
    let parts = classes / probs.ncols();
    let share =
        |class: usize| (1 + class / probs.ncols()) as f64 / (parts * (parts + 1) / 2) as f64;
    let wide = Array2::from_shape_fn((150, classes), |(row, class)| {
        probs[[row, class % probs.ncols()]] * share(class)
    });
    let ten = probs.ncols() as u32;
    (wide, labels.iter().zip(0..).map(|(label, row)| label + ten * (row % parts as u32)).collect())
}

#[test]
fn any_layout_and_precision_gives_the_bits_of_owned_numbers() {
    // Two classes, more, and so many that sums are kept.
    for classes in [2, 3, 20] {
        let (mut probs, labels) = table(classes);
        assert_same(&probs, &labels);
        assert_same(&probs.mapv(|p| p as f32), &labels);
        // Some rows that are to be divided by their sums.
        probs.rows_mut().into_iter().step_by(7).for_each(|mut row| row *= 0.9996);
        assert_same(&probs, &labels);
    }
}

#[test]
fn a_single_column_gives_the_bits_of_two() {
    let (mut probs, labels) = table(2);
    // What single precision rounds to, so that both precisions mean the same numbers.
    probs.column_mut(1).mapv_inplace(|p| f64::from(p as f32));
    let ones = probs.column(1).to_owned();
    probs.column_mut(0).zip_mut_with(&ones, |zero, one| *zero = 1.0 - one);
    let expected = bits(&Predictions::new(probs.clone(), &labels).unwrap());
    let slice = ones.to_vec();
    assert_eq!(bits(&Predictions::binary(&slice, &labels).unwrap()), expected);
    assert_eq!(bits(&Predictions::borrowed_binary(probs.column(1), &labels).unwrap()), expected);
    let single = probs.mapv(|p| p as f32);
    assert_eq!(bits(&Predictions::borrowed_binary(single.column(1), &labels).unwrap()), expected);
}
