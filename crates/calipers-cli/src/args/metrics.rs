//! What to measure.

use calipers::Metric;
use clap::Args;

use super::MEASURE;

/// What to measure.
#[derive(Debug, Args)]
pub struct MetricArgs {
    #[arg(long, value_name = "M", value_delimiter = ',', help_heading = MEASURE, help = help())]
    pub metric: Vec<String>,
}

fn help() -> String {
    let defaults = |classes| Metric::defaults(classes).join(",");
    format!(
        "What to measure; repeat it or separate by commas. `calipers metrics` lists what there is \
         [default: {}; of two classes {}]",
        defaults(3),
        defaults(2)
    )
}
