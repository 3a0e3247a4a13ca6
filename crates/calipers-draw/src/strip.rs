//! A reliability diagram for a terminal: a few lines of letters.

use calipers::{Figure, Mark, Role};

/// How many letters wide the diagram is.
const COLUMNS: usize = 60;

/// How many lines the curve has; each has four dots above each other.
const LINES: usize = 3;

/// The dots of a Braille letter, from the top: left column, right column.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// g − f over f in three lines, the density of f in a fourth, and an axis; nothing if the figure has
/// no curve.
pub fn strip(figure: &Figure) -> String {
    let Some(Mark::Line { x, y }) = figure.layer(Role::Truth).map(|layer| &layer.mark) else {
        return String::new();
    };
    let widest = x.iter().zip(y).map(|(x, y)| (y - x).abs()).fold(0.02, f64::max);
    // Rounded up to two hundredths, so that the scale is easy to read.
    let reach = (widest * 50.0 - 1e-9).ceil() / 50.0;
    let rows = 4 * LINES;
    let mut letters = vec![vec![0u32; COLUMNS]; LINES];
    let mut dot = |column: usize, row: usize| {
        letters[row / 4][column / 2] |= DOTS[column % 2][row % 4];
    };
    let row_of = |gap: f64| {
        let way = 0.5 - 0.5 * gap / reach;
        ((way * rows as f64) as usize).min(rows - 1)
    };
    let mut before: Option<usize> = None;
    for column in 0..2 * COLUMNS {
        let f = (column as f64 + 0.5) / (2 * COLUMNS) as f64;
        // The identity is dotted.
        if column % 4 == 0 {
            dot(column, row_of(0.0));
        }
        let Some(g) = between(x, y, f) else {
            before = None;
            continue;
        };
        let row = row_of(g - f);
        let from = before.unwrap_or(row);
        (from.min(row)..=from.max(row)).for_each(|row| dot(column, row));
        before = Some(row);
    }
    let mut text = String::new();
    for (line, letters) in letters.iter().enumerate() {
        let label = match line {
            0 => format!("{reach:+.2}"),
            1 => "g - f".to_owned(),
            _ => format!("{:+.2}", -reach),
        };
        let drawn: String =
            letters.iter().map(|dots| char::from_u32(0x2800 + dots).unwrap_or(' ')).collect();
        text.push_str(&format!("{label:>7} {drawn}\n"));
    }
    text.push_str(&format!("{:>7} {}\n", "rows", density(figure)));
    let middle = "f, what was predicted";
    let room = COLUMNS - 2 - middle.chars().count();
    let left = room / 2;
    text.push_str(&format!(
        "{:>7} 0{}{middle}{}1\n",
        "",
        " ".repeat(left),
        " ".repeat(room - left)
    ));
    text
}

/// One block a column, as high as the root of how many rows there are; a trace of rows is seen.
fn density(figure: &Figure) -> String {
    let Some(Mark::Bars { top, .. }) = figure.layer(Role::Density).map(|layer| &layer.mark) else {
        return String::new();
    };
    let largest = top.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let block = |column: usize| {
        let share = top[column * top.len() / COLUMNS] / largest;
        let height = (8.0 * share.sqrt()).ceil() as usize;
        BLOCKS[height.min(8)]
    };
    (0..COLUMNS).map(block).collect::<String>().trim_end().to_owned()
}

/// The curve at a point, if it reaches there.
fn between(x: &[f64], y: &[f64], at: f64) -> Option<f64> {
    let after = x.partition_point(|&x| x < at);
    if after == 0 || after == x.len() {
        return None;
    }
    let (from, to) = (x[after - 1], x[after]);
    let way = if to > from { (at - from) / (to - from) } else { 0.0 };
    Some(y[after - 1] + way * (y[after] - y[after - 1]))
}

#[cfg(test)]
mod tests {
    use calipers::{Estimator, View, recalibrator, simulate};

    use super::*;

    #[test]
    fn a_strip_has_five_lines_and_says_which_way_g_lies() {
        let predictions = simulate("binary-overconfident", 2000, 0).unwrap();
        let figure = |name: &str| {
            let estimator = Estimator::new().recalibrator(recalibrator(name).unwrap());
            estimator.reliability(&predictions, View::Class(1)).unwrap()
        };
        let lines = |name| strip(&figure(name)).lines().map(str::to_owned).collect::<Vec<_>>();
        let over = lines("temperature");
        assert_eq!(over.len(), 5);
        assert!(over.iter().all(|line| line.chars().count() <= 80));
        // Over-confident: g is above f on the left, and below it on the right.
        let full = |line: &str, from: usize| {
            line.chars().skip(8 + from).take(20).filter(|&letter| letter != '\u{2800}').count()
        };
        assert!(full(&over[0], 0) > 10 && full(&over[0], 40) == 0, "{over:#?}");
        assert!(full(&over[2], 40) > 10 && full(&over[2], 0) == 0);
        // The identity stays in the middle.
        let calibrated = lines("identity");
        assert_eq!((full(&calibrated[0], 20), full(&calibrated[2], 20)), (0, 0));
    }
}
