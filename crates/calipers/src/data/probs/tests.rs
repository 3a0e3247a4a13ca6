use ndarray::{ArrayView1, Axis, ShapeBuilder, Slice};
use proptest::prelude::*;

use super::values::sealed::Sealed;
use super::*;
use crate::Predictions;

/// Every so many rows and columns; backwards, if negative.
fn stepped<T>(table: &Array2<T>, steps: [isize; 2]) -> ArrayView2<'_, T> {
    let mut view = table.view();
    for (axis, step) in steps.into_iter().enumerate() {
        view.slice_axis_inplace(Axis(axis), Slice::new(0, None, step));
    }
    view
}

/// The same numbers in other shapes of memory, with the steps at which they are there: column after
/// column, with gaps, backwards with gaps.
fn layouts(table: &Array2<f64>) -> [(Array2<f64>, [isize; 2]); 3] {
    let (rows, classes) = table.dim();
    let mut columns = Array2::zeros((rows, classes).f());
    columns.assign(table);
    // What lies between must not be looked at.
    let gaps = Array2::from_shape_fn((2 * rows, 3 * classes), |(row, column)| {
        let there = row % 2 == 0 && column % 3 == 0;
        if there { table[[row / 2, column / 3]] } else { f64::NAN }
    });
    let (last_row, last_column) = (2 * rows - 1, 3 * classes - 1);
    let backwards = Array2::from_shape_fn(gaps.dim(), |(row, column)| {
        gaps[[last_row - row, last_column - column]]
    });
    [(columns, [1, 1]), (gaps, [2, 3]), (backwards, [-2, -3])]
}

fn bits<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
    values.into_iter().map(|value| value.to_bits()).collect()
}

/// Every way of reading, and the count of rows that were off; or what was wrong.
type Outcome = std::result::Result<(Vec<u64>, usize), String>;

fn read(checked: Result<(Probs<'_>, usize)>, rows: usize) -> Outcome {
    let (probs, off) = checked.map_err(|error| error.to_string())?;
    let table = bits(&probs.table());
    let mut buffer = vec![0.0; probs.classes()];
    let by_row: Vec<u64> =
        (0..rows).flat_map(|row| bits(probs.view().row(row, &mut buffer))).collect();
    let mut by_read = Vec::new();
    for row in 0..rows {
        probs.read(row, &mut buffer);
        by_read.extend(bits(&buffer));
    }
    let cells = (0..rows).flat_map(|row| (0..probs.classes()).map(move |class| (row, class)));
    let by_cell: Vec<u64> = cells.map(|(row, class)| probs.at(row, class).to_bits()).collect();
    assert!(table == by_row && table == by_read && table == by_cell, "four ways of reading");
    Ok((table, off))
}

/// Rows of the simplex, of which some sum to 1 only nearly, and some hold a fault.
fn tables() -> impl Strategy<Value = Array2<f64>> {
    // More and fewer classes than those from which on sums are kept.
    (1usize..12, 2usize..24).prop_flat_map(|(rows, classes)| {
        let cells = prop::collection::vec(0u32..50, rows * classes);
        let scales = prop::sample::select(vec![1.0, 1.0, 1.0 + 1e-9, 0.9965, 1.0004]);
        let scales = prop::collection::vec(scales, rows);
        let faults = prop::sample::select(vec![f64::NAN, f64::INFINITY, -0.25, 1.5, 0.9]);
        let fault = prop::option::weighted(0.3, (0..rows * classes, faults));
        (cells, scales, fault).prop_map(move |(cells, scales, fault)| {
            let mut table = Array2::from_shape_vec((rows, classes), cells).unwrap();
            table.column_mut(0).mapv_inplace(|cell| cell + 1);
            let mut table = table.mapv(f64::from);
            for (mut row, scale) in table.rows_mut().into_iter().zip(scales) {
                let sum = row.sum();
                row.mapv_inplace(|value| value / sum * scale);
            }
            if let Some((at, value)) = fault {
                table[[at / classes, at % classes]] = value;
            }
            table
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn borrowed_numbers_in_any_layout_are_read_as_owned_ones(table in tables()) {
        let rows = table.nrows();
        let owned = read(Probs::owned(table.clone()), rows);
        prop_assert_eq!(&read(Probs::borrowed(f64::table(table.view())), rows), &owned);
        for (memory, steps) in layouts(&table) {
            let view = stepped(&memory, steps);
            prop_assert_eq!(&read(Probs::borrowed(f64::table(view)), rows), &owned);
            prop_assert_eq!(&read(Probs::owned(view.to_owned()), rows), &owned);
        }
    }

    #[test]
    fn single_precision_is_read_as_if_it_had_been_widened_before(table in tables()) {
        let rows = table.nrows();
        let single = table.mapv(|value| value as f32);
        let owned = read(Probs::owned(single.mapv(f64::from)), rows);
        prop_assert_eq!(&read(Probs::borrowed(f32::table(single.view())), rows), &owned);
        for (memory, steps) in layouts(&table) {
            let memory = memory.mapv(|value| value as f32);
            let view = stepped(&memory, steps);
            prop_assert_eq!(&read(Probs::borrowed(f32::table(view)), rows), &owned);
        }
    }

    /// One column against the table of two that it stands for.
    #[test]
    fn a_single_column_is_read_as_its_pair(
        numbers in prop::collection::vec(prop::sample::select(vec![0.0, 1e-9, 0.1, 0.3, 0.7, 1.0, 1.0 + f64::EPSILON, 1.0005, 1.0035]), 1..20),
        fault in prop::option::weighted(0.3, (0usize..20, prop::sample::select(vec![f64::NAN, -0.5, 1.005, f64::INFINITY]))),
    ) {
        let mut numbers: Vec<f64> = numbers;
        let rows = numbers.len();
        if let Some((at, value)) = fault {
            numbers[at % rows] = value;
        }
        let labels = vec![1; rows];
        let outcome = |predictions: Result<Predictions<'_>>| -> Outcome {
            let predictions = predictions.map_err(|error| error.to_string())?;
            Ok((bits(&predictions.probs()), predictions.renormalised_rows()))
        };
        for widened in [numbers.clone(), numbers.iter().map(|&p| f64::from(p as f32)).collect()] {
            let bad = widened.iter().position(|p| !(0.0..=1.0 + SUM_TOLERANCE).contains(p));
            let expected = match bad {
                None => {
                    let both = Array2::from_shape_fn((rows, 2), |(row, class)| {
                        if class == 1 { widened[row] } else { (1.0 - widened[row]).max(0.0) }
                    });
                    outcome(Predictions::new(both, &labels))
                }
                Some(row) => {
                    let error = check_probability(row, 1, widened[row]).unwrap_err();
                    Err(error.to_string())
                }
            };
            prop_assert_eq!(&outcome(Predictions::binary(&widened, &labels)), &expected);
            prop_assert_eq!(&outcome(Predictions::binary(widened.clone(), &labels)), &expected);
            // A column among others, backwards.
            let table = Array2::from_shape_fn((rows, 3), |(row, column)| {
                if column == 1 { widened[rows - 1 - row] } else { -1.0 }
            });
            let column = stepped(&table, [-1, 1]).index_axis_move(Axis(1), 1);
            prop_assert_eq!(&outcome(Predictions::borrowed_binary(column, &labels)), &expected);
        }
        let single: Vec<f32> = numbers.iter().map(|&p| p as f32).collect();
        let widened: Vec<f64> = single.iter().map(|&p| p.into()).collect();
        let expected = outcome(Predictions::binary(&widened, &labels));
        let backwards = Array2::from_shape_fn((rows, 2), |(row, _)| single[rows - 1 - row]);
        let column = stepped(&backwards, [-1, 1]).index_axis_move(Axis(1), 1);
        prop_assert_eq!(&outcome(Predictions::borrowed_binary(column, &labels)), &expected);
    }
}

#[test]
fn sums_are_kept_only_where_they_are_needed() {
    let kept = |table: &Array2<f64>| {
        Probs::borrowed(f64::table(table.view())).unwrap().0.sums.map_or(0, |sums| sums.len())
    };
    let even = |classes: usize, sum: f64| Array2::from_elem((5, classes), sum / classes as f64);
    assert_eq!(kept(&even(32, 1.0)), 0, "nothing is to be divided");
    assert_eq!(kept(&even(32, 1.0005)), 5);
    assert_eq!(kept(&even(16, 1.0005)), 0, "rows that are added up again");
}

proptest! {
    #[test]
    fn shares_are_read_as_if_they_had_been_checked_one_by_one(
        shares in prop::collection::vec(
            prop_oneof![
                0.0..=1.0,
                Just(0.0),
                Just(-0.0),
                Just(1.0),
                Just(f64::MIN_POSITIVE),
                Just(f64::EPSILON / 3.0),
                Just(1.0 - f64::EPSILON / 2.0),
            ],
            1..20,
        ),
    ) {
        let column = || Values::DoubleColumn(ArrayView1::from(&shares).into());
        prop_assert!(column().are_shares());
        let quick = read(Ok((Probs::shares(column()), 0)), shares.len());
        prop_assert_eq!(quick, read(Probs::borrowed(column()), shares.len()));
    }
}

#[test]
fn what_is_no_share_is_looked_at() {
    for other in [-f64::MIN_POSITIVE, 1.0 + f64::EPSILON, f64::NAN, f64::INFINITY] {
        let column = [0.5, other];
        assert!(!Values::DoubleColumn(ArrayView1::from(&column).into()).are_shares());
    }
}
