//! How do I measure an error that counts what it costs me?
//!
//! Implement `Distance`: any convex D_f(z) that is 0 and least at z = f, with its subgradient. Here a risk that is
//! understated costs five times as much as one that is overstated by the same amount.

use std::error::Error;

use calipers::{Distance, Estimator, Metric, simulate};

/// How far the probability of class 1 is from the truth, in costs.
#[derive(Debug)]
struct Cost {
    understated: f64,
    overstated: f64,
}

impl Distance for Cost {
    fn value(&self, f: &[f64], z: &[f64]) -> f64 {
        let missing = z[1] - f[1];
        if missing > 0.0 { self.understated * missing } else { -self.overstated * missing }
    }

    fn subgradient(&self, f: &[f64], z: &[f64], out: &mut [f64]) {
        let missing = z[1] - f[1];
        out.fill(0.0);
        if missing > 0.0 {
            out[1] = self.understated;
        } else if missing < 0.0 {
            out[1] = -self.overstated;
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let predictions = simulate("binary-overconfident", 5_000, 0)?;
    let report = Estimator::new()
        .metric("l1".parse()?)
        .metric(Metric::distance("understated", Cost { understated: 1.0, overstated: 0.0 }))
        .metric(Metric::distance("overstated", Cost { understated: 0.0, overstated: 1.0 }))
        .metric(Metric::distance("cost", Cost { understated: 5.0, overstated: 1.0 }))
        .estimate(&predictions)?;
    for error in &report.estimates {
        println!("{:11}  {:.3} ± {:.3}", error.metric, error.value, error.stderr);
    }
    Ok(())
}
