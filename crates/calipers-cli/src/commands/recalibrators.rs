//! `calipers recalibrators`: what the truth can be learnt with.

use calipers::Parameter;
use serde_json::{Value, json};

use crate::args::{ListArgs, ListFormat};
use crate::error::Result;
use crate::output::style::{render, table};
use crate::output::{json, print};

/// List the recalibrators: what the truth is learnt with
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub list: ListArgs,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    print(&match args.list.format {
        ListFormat::Table => as_table(),
        ListFormat::Json => json::pretty(&as_json()),
    })
}

fn as_table() -> String {
    let mut names = table(&["name", "what it is"]);
    let mut parameters = table(&["parameter", "default", "what it sets"]);
    for info in calipers::recalibrators() {
        names.add_row([info.name, info.about]);
        for parameter in info.parameters {
            let name = format!("{}:{}", info.name, parameter.name);
            parameters.add_row([name.as_str(), parameter.default, parameter.about]);
        }
    }
    format!(
        "{}\n{}\nParameters follow a colon: --recalibrator kernel:bandwidth=0.05\n",
        render(names),
        render(parameters)
    )
}

fn as_json() -> Value {
    let list = calipers::recalibrators().map(|info| {
        json!({
            "name": info.name,
            "about": info.about,
            "parameters": parameters(info.parameters),
        })
    });
    Value::Array(list.collect())
}

/// Parameters as JSON.
pub fn parameters(parameters: &[Parameter]) -> Value {
    let list = parameters.iter().map(|parameter| {
        json!({
            "name": parameter.name,
            "default": parameter.default,
            "about": parameter.about,
        })
    });
    Value::Array(list.collect())
}
