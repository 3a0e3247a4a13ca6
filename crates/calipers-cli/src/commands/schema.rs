//! `calipers schema`: what the JSON of each command holds.

use calipers_files::words::did_you_mean;
use serde_json::{Map, Value};

use crate::error::{Failure, Result};
use crate::output::{pretty, print};

const EXAMPLES: &str = "\
Examples:
  calipers schema
  calipers schema estimate > estimate.schema.json

The number that ends a schema's $id is its version: it grows when what was valid
before is valid no longer, or the other way round. What is printed does not name
its schema: take that of the calipers that printed it.";

/// A schema: its name, and its text.
type Schema = (&'static str, &'static str);

macro_rules! schemas {
    ($($name:literal,)*) => {
        [$(($name, include_str!(concat!("../schemas/", $name, ".json"))),)*]
    };
}

/// Every JSON that a command prints.
const SCHEMAS: [Schema; 11] = schemas! {
    "estimate",
    "check",
    "certify",
    "compare",
    "lm-eval",
    "answers",
    "monitor",
    "neighbours",
    "neighbours-list",
    "metrics",
    "recalibrators",
};

/// Commands that print what has another's name.
const PRINTED_BY: [(&str, &str); 3] =
    [("inspect", "answers"), ("helm", "answers"), ("finish", "estimate")];

/// The names of all schemas.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(name, _)| *name)
}

/// What several of them have in common.
const COMMON: &str = include_str!("../schemas/common.json");

/// Print the JSON Schema of what a command prints as JSON
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The schema; leave it out for a list
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<()> {
    let Some(name) = &args.name else { return list() };
    let Some((_, text)) = SCHEMAS.iter().find(|(own, _)| own == name) else {
        return Err(Failure::input(format!("unknown schema {name:?}")).hint(meant(name)));
    };
    print(&pretty(&whole(text)?))
}

/// Which schema may have been meant.
fn meant(name: &str) -> String {
    if let Some((command, own)) = PRINTED_BY.iter().find(|(command, _)| *command == name) {
        return format!("what calipers {command} prints is {own}: calipers schema {own}");
    }
    did_you_mean(name, names()).unwrap_or_else(|| "see calipers schema".to_owned())
}

/// The names, and what each is of.
fn list() -> Result<()> {
    let width = SCHEMAS.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let lines: Result<Vec<String>> = SCHEMAS
        .iter()
        .map(|(name, text)| {
            let schema = read(text)?;
            let title = schema["title"].as_str().unwrap_or_default();
            Ok(format!("{name:width$}  {title}\n"))
        })
        .collect();
    print(&lines?.concat())
}

fn read(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| Failure::unexpected(error.to_string()))
}

/// A schema with all that it refers to, so that it can be used alone.
fn whole(text: &str) -> Result<Value> {
    let (mut schema, common) = (read(text)?, read(COMMON)?);
    let mut needed = Map::new();
    let mut open = referred(&schema);
    while let Some(name) = open.pop() {
        if !needed.contains_key(&name) {
            let part = common["$defs"][&name].clone();
            open.extend(referred(&part));
            needed.insert(name, part);
        }
    }
    needed.sort_keys();
    schema["$defs"] = Value::Object(needed);
    Ok(schema)
}

/// The parts that a schema refers to.
fn referred(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str);
            let own = own.and_then(|path| path.strip_prefix("#/$defs/")).map(str::to_owned);
            own.into_iter().chain(fields.values().flat_map(referred)).collect()
        }
        Value::Array(items) => items.iter().flat_map(referred).collect(),
        _ => Vec::new(),
    }
}
