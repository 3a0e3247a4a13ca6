//! Predictions that are one number: f and whether it happened.

use crate::data::Predictions;
use crate::numeric::order::ascending;
use crate::numeric::simplex::argmax;
use crate::run::stop;

/// The rows of a two-class problem, ascending in f unless whoever measures them does not mind.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// The predictions.
    pub f: Vec<f64>,
    /// 1 where it happened, else 0.
    pub y: Vec<f64>,
}

/// The order of the rows of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// As they were given.
    AsGiven,
    /// By f.
    Ascending,
}

impl Line {
    /// Rows in ascending order of f.
    #[cfg(test)]
    pub fn new(rows: usize, f: impl Fn(usize) -> f64, happened: impl Fn(usize) -> bool) -> Self {
        Self::in_order(Order::Ascending, rows, f, happened)
    }

    fn in_order(
        order: Order,
        rows: usize,
        f: impl Fn(usize) -> f64,
        happened: impl Fn(usize) -> bool,
    ) -> Self {
        let y = |row: usize| f64::from(u8::from(happened(row)));
        match order {
            Order::AsGiven => Self { f: (0..rows).map(f).collect(), y: (0..rows).map(y).collect() },
            Order::Ascending => {
                let order: Vec<u32> = ascending(rows, &f);
                let rows = || order.iter().map(|&row| row as usize);
                Self { f: rows().map(f).collect(), y: rows().map(y).collect() }
            }
        }
    }

    /// "Is it this class?", by the probability of that class.
    pub fn of_class(predictions: &Predictions<'_>, class: usize, order: Order) -> Self {
        Self::in_order(
            order,
            predictions.rows(),
            |row| predictions.held().at(row, class),
            |row| predictions.labels()[row] as usize == class,
        )
    }

    /// "Is the most probable class the observed one?", by its probability.
    pub fn of_top(predictions: &Predictions<'_>, order: Order) -> Self {
        let mut buffer = vec![0.0; predictions.classes()];
        let best: Vec<(usize, f64)> = (0..predictions.rows())
            .take_while(|&row| !stop::requested_at(row))
            .map(|row| {
                let f = predictions.held().row(row, &mut buffer);
                let top = argmax(f);
                (top, f[top])
            })
            .collect();
        Self::in_order(
            order,
            best.len(),
            |row| best[row].1,
            |row| predictions.labels()[row] as usize == best[row].0,
        )
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.f.len()
    }

    /// Pairs (f, y).
    pub fn iter(&self) -> impl Iterator<Item = (f64, f64)> + Clone {
        self.f.iter().copied().zip(self.y.iter().copied())
    }

    /// Where the rows that share the prediction before this place end.
    #[allow(clippy::float_cmp, reason = "a tie is a prediction of the same bits")]
    pub fn end_of_tie(&self, place: usize) -> usize {
        match place.checked_sub(1) {
            None => 0,
            Some(last) => {
                let tied = self.f[place..].iter().take_while(|&&f| f == self.f[last]).count();
                place + tied
            }
        }
    }
}
