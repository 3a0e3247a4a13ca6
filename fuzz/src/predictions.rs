//! The doors of [`Predictions`]: shapes, numbers, labels, weights and groups of every kind.

use calipers::Predictions;
use ndarray::{Array1, Array2, s};

use crate::bytes::Bytes;
use crate::sound;

/// Makes predictions of the bytes by one of the doors; what is accepted must be sound.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let door = bytes.below(7);
    let (rows, classes) = (bytes.below(9), bytes.below(6));
    // As many labels as rows, but for one time in eight.
    let count = if bytes.below(8) == 7 { bytes.below(12) } else { rows };
    let labels: Vec<i64> = (0..count)
        .map(|_| {
            if bytes.below(16) == 15 {
                i64::from(bytes.byte()) - 128
            } else {
                bytes.below(classes.max(1)) as i64
            }
        })
        .collect();
    let shares = bytes.below(4) > 0;
    let mut table = Array2::from_shape_simple_fn((rows, classes), || bytes.float());
    if shares {
        // Rows that sum to 1, or nearly, are rare by chance.
        for mut row in table.rows_mut() {
            let sum = row.sum();
            row.mapv_inplace(|value| value / sum);
        }
    }
    let single = table.mapv(|value| value as f32);
    let column: Array1<f64> = table.iter().copied().collect();
    let made = match door {
        0 => Predictions::new(table.clone(), &labels),
        1 => Predictions::borrowed(single.view(), &labels),
        2 => Predictions::borrowed(table.slice(s![..;-1, ..]), &labels),
        3 => Predictions::binary(column.to_vec(), &labels),
        4 => Predictions::borrowed_binary(column.slice(s![..;2]), &labels),
        5 => Predictions::from_logits(table.view(), &labels),
        _ => Predictions::from_logits(single.view(), &labels),
    };
    let Ok(mut predictions) = made else { return };
    if bytes.below(2) == 1 {
        let weights = (0..predictions.rows()).map(|_| bytes.float()).collect();
        let Ok(weighted) = predictions.with_weights(weights) else { return };
        predictions = weighted;
    }
    if bytes.below(2) == 1 {
        let groups: Vec<String> =
            (0..predictions.rows()).map(|_| bytes.below(3).to_string()).collect();
        let Ok(grouped) = predictions.with_groups(&groups) else { return };
        predictions = grouped;
    }
    if bytes.below(2) == 1 {
        let names = (0..predictions.classes()).map(|_| bytes.below(40).to_string());
        let Ok(named) = predictions.with_class_names(names.collect::<Vec<_>>()) else { return };
        predictions = named;
    }
    sound::check(&predictions);
}
