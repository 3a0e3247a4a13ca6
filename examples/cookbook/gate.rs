//! How does a build of mine stop a badly calibrated model?
//!
//! Exit with 1 where a lower bound is above its limit, as `calipers check` does: the error is then shown to be too
//! large, with 95 % confidence. Where the estimate is above and the bound is not, say how many rows would decide.

use std::error::Error;
use std::process::ExitCode;

use calipers::Estimator;

const LIMITS: [(&str, f64); 3] = [("l1", 0.05), ("brier", 0.005), ("under-l1", 0.02)];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let predictions = calipers_files::predictions("data/cells_lgbm.csv")?;
    let mut estimator = Estimator::new();
    for (metric, _) in LIMITS {
        estimator = estimator.metric(metric.parse()?);
    }
    let report = estimator.estimate(&predictions)?;

    let mut failed = false;
    for (error, (metric, limit)) in report.estimates.iter().zip(LIMITS) {
        let verdict = if error.lower > limit {
            failed = true;
            format!("FAILED: at least {:.4}", error.lower)
        } else if let Some(rows) = error.rows_to_show(limit, report.confidence) {
            format!("undecided: {:.4}, about {rows} rows would tell", error.value)
        } else {
            "ok".to_owned()
        };
        println!("{metric} <= {limit}  {verdict}");
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
