//! Ten million predictions in single precision are not copied at the door: the system counts the memory
//! of a process, which nothing else may use meanwhile.

use calipers::Predictions;
use ndarray::Array1;

/// A line of what Linux says of this process, in bytes.
fn bytes(name: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: usize = line.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
    Some(kibibytes << 10)
}

pub fn the_door_takes_memory_for_labels_alone() {
    let rows = 10_000_000;
    let probs = Array1::from_shape_fn(rows, |row| (row % 1009) as f32 / 1009.0);
    let labels: Vec<u8> = (0..rows).map(|row| u8::from(row % 3 == 0)).collect();
    let Some(before) = bytes("VmRSS:") else {
        eprintln!("skipped: /proc/self/status is not there");
        return;
    };
    let predictions = Predictions::borrowed_binary(probs.view(), &labels).unwrap();
    let peak = bytes("VmHWM:").unwrap() - before;
    // Four bytes a label. The system counts in pages, and by batches of them: 2 MB are more than
    // either. A copy of the predictions would be 40 MB, in double precision 80.
    let expected = 4 * predictions.rows();
    println!("{:.1} MB for labels, {:.1} MB measured", expected as f64 / 1e6, peak as f64 / 1e6);
    assert!(peak.abs_diff(expected) < 2_000_000, "{peak} bytes");
}
