//! What to measure.

use clap::Args;

use super::MEASURE;

/// What to measure.
#[derive(Debug, Args)]
pub struct MetricArgs {
    /// What to measure; repeat it or separate by commas. `calipers metrics` lists what there is
    /// [default: l1,l2,brier,log]
    #[arg(long, value_name = "M", value_delimiter = ',', help_heading = MEASURE)]
    pub metric: Vec<String>,
}
