//! `calipers.toml`: a project's options, which need not be typed.
//!
//! What the file says is put behind what was typed, as if it had been typed, too, unless the same was
//! typed otherwise or something that goes against it: so values are read, refused and explained by
//! the options themselves.

use std::any::TypeId;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{env, fs};

use calipers_files::words::{did_you_mean, file_name, plain};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use crate::error::{Failure, Result};

/// The name of the file, in the current directory or the nearest above it.
const NAME: &str = "calipers.toml";

/// Commands that only say what the program is: a project's file cannot keep them from it, whatever is wrong
/// with it.
const DESCRIBING: [&str; 6] =
    ["columns", "completions", "man", "metrics", "recalibrators", "schema"];

/// Limits that go as a whole when one is typed: a build would pass without them, and nobody would know.
const LIMITS: [&str; 2] = ["max", "max-worse"];

/// A command line, and what it has from a file.
pub struct Line {
    /// All arguments, with the program's name.
    pub args: Vec<OsString>,
    /// What came from the file, and what did not, for the user to know.
    pub notes: Vec<String>,
    /// The command that was called, and those of its options whose values are whole: what separates values
    /// when they are typed is part of a list's item.
    path: Vec<String>,
    whole: Vec<String>,
}

impl Line {
    /// What was typed, and nothing else.
    fn unchanged(args: Vec<OsString>) -> Self {
        Self { args, notes: Vec::new(), path: Vec::new(), whole: Vec::new() }
    }

    /// The program that understands the line.
    pub fn program(&self, program: Command) -> Command {
        if self.whole.is_empty() { program } else { undivided(program, &self.path, &self.whole) }
    }
}

/// The program where a command's options take their values whole.
fn undivided(command: Command, path: &[String], options: &[String]) -> Command {
    match path.split_first() {
        Some((name, rest)) => command.mut_subcommand(name, |sub| undivided(sub, rest, options)),
        None => options.iter().fold(command, |command, id| {
            command.mut_arg(id, |arg| arg.value_delimiter(None::<char>))
        }),
    }
}

/// The command line that was typed, with what the project's file says besides.
pub fn complete(typed: Vec<OsString>, program: &Command) -> Result<Line> {
    // What is wrong with the line itself is said when it is parsed.
    let Some(matches) = look(&typed, program) else { return Ok(Line::unchanged(typed)) };
    let (path, command, own) = called(program, &matches);
    let file = match own.try_get_one::<PathBuf>("config").ok().flatten() {
        Some(path) => path.clone(),
        None if own.get_flag("no_config") => return Ok(Line::unchanged(typed)),
        None if path.first().is_some_and(|name| DESCRIBING.contains(name)) => {
            return Ok(Line::unchanged(typed));
        }
        None => match nearest() {
            Some(path) => path,
            None => return Ok(Line::unchanged(typed)),
        },
    };
    let config = Config::read(file, program)?;
    let Added { words: added, whole, replaced } = config.added(&path, command, own)?;
    let mut notes = Vec::new();
    if !added.is_empty() {
        let words: Vec<_> = added.iter().map(|word| word.to_string_lossy()).collect();
        notes.push(format!("note: {} adds {}", config.name(), words.join(" ")));
    }
    notes.extend(replaced.map(|key| {
        format!("note: {}'s {key} is replaced by what is typed, all of it", config.name())
    }));
    let mut args = typed;
    // Behind -- everything is a file.
    let end = args.iter().position(|word| word == "--").unwrap_or(args.len());
    args.splice(end..end, added);
    Ok(Line { args, notes, path: path.into_iter().map(str::to_owned).collect(), whole })
}

/// What was typed, whatever is missing; none where it is wrong, or asks for help.
fn look(typed: &[OsString], program: &Command) -> Option<ArgMatches> {
    let lenient = relaxed(program.clone());
    match lenient.clone().try_get_matches_from(typed) {
        Ok(matches) => Some(matches),
        Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => {
            lenient.ignore_errors(true).try_get_matches_from(typed).ok()
        }
        Err(_) => None,
    }
}

/// The command without anything that has to be said.
fn relaxed(command: Command) -> Command {
    command.mut_args(|arg| arg.required(false)).mut_subcommands(relaxed)
}

/// The names of the command that was called, itself, and what it was called with.
fn called<'a>(
    program: &'a Command,
    matches: &'a ArgMatches,
) -> (Vec<&'a str>, &'a Command, &'a ArgMatches) {
    let (mut path, mut command, mut own) = (Vec::new(), program, matches);
    while let Some((name, inner)) = own.subcommand() {
        let Some(sub) = command.find_subcommand(name) else { break };
        path.push(name);
        (command, own) = (sub, inner);
    }
    (path, command, own)
}

/// The file in the current directory or the nearest above it, as seen from here.
fn nearest() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let up = here.ancestors().scan(PathBuf::new(), |up, _| {
        let this = up.clone();
        up.push("..");
        Some(this)
    });
    up.map(|folder| folder.join(NAME)).find(|path| path.is_file())
}

/// What an option or argument is called in the file; those about the program itself are not.
fn key(arg: &Arg) -> Option<&str> {
    let name = if arg.is_positional() { Some(arg.get_id().as_str()) } else { arg.get_long() };
    name.filter(|name| !["help", "version", "config", "no-config"].contains(name))
}

/// Which option or argument a key stands for.
fn find<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| key(arg) == Some(name))
}

/// The keys of a command, and of those beneath it.
fn keys(command: &Command, beneath: bool) -> Vec<&str> {
    let own = command.get_arguments().filter_map(key);
    let inner = command.get_subcommands().filter(|_| beneath).flat_map(|sub| keys(sub, true));
    own.chain(inner).collect()
}

/// A table in the order in which it is written.
fn in_order<'a, 'b>(
    table: &'a DeTable<'b>,
) -> Vec<(&'a Spanned<DeString<'b>>, &'a Spanned<DeValue<'b>>)> {
    let mut all: Vec<_> = table.iter().collect();
    all.sort_by_key(|(key, _)| key.span().start);
    all
}

/// A file that was read, and every key of which is known.
struct Config {
    path: PathBuf,
    keys: Vec<Key>,
}

/// A key, the command whose table it is in (none for all commands), and its values.
struct Key {
    section: Vec<String>,
    name: String,
    line: usize,
    values: Values,
}

/// What a key can hold.
enum Values {
    Flag(bool),
    /// As it would be typed.
    Text(String),
    /// The option repeated, each time with one value.
    List(Vec<String>),
}

impl Values {
    /// The texts, if they are any.
    fn texts(&self) -> &[String] {
        match self {
            Self::Flag(_) => &[],
            Self::Text(text) => std::slice::from_ref(text),
            Self::List(texts) => texts,
        }
    }
}

/// What the file adds to a command.
#[derive(Default)]
struct Added {
    words: Vec<OsString>,
    /// The options that take their values whole.
    whole: Vec<String>,
    /// Limits that do not count, since others are typed.
    replaced: Option<String>,
}

impl Config {
    fn read(path: PathBuf, program: &Command) -> Result<Self> {
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::input(format!("{}: cannot be read: {}", file_name(&path), plain(&error)))
        })?;
        let mut config = Self { path, keys: Vec::new() };
        let table = DeTable::parse(&text).map_err(|error| {
            let at = line(&text, &error.span().unwrap_or(0..0));
            config.wrong(at, error.message())
        })?;
        config.take(&text, table.get_ref(), program, &[])?;
        Ok(config)
    }

    fn name(&self) -> String {
        file_name(&self.path)
    }

    fn wrong(&self, line: usize, what: &str) -> Failure {
        Failure::input(format!("{}: line {line}: {what}", self.name()))
    }

    /// Takes the keys of a table: those of all commands, or of the one that `section` names.
    fn take(
        &mut self,
        text: &str,
        table: &DeTable<'_>,
        command: &Command,
        section: &[String],
    ) -> Result<()> {
        for (key, value) in in_order(table) {
            let (name, at) = (key.get_ref().to_string(), line(text, &key.span()));
            if let (Some(sub), DeValue::Table(inner)) =
                (command.find_subcommand(&name), value.get_ref())
            {
                let section = [section, &[name]].concat();
                self.take(text, inner, sub, &section)?;
                continue;
            }
            let everywhere = section.is_empty();
            if !keys(command, everywhere).contains(&name.as_str()) {
                let of = if everywhere { "any command".to_owned() } else { section.join(" ") };
                let hint = did_you_mean(&name, keys(command, everywhere)).unwrap_or_else(|| {
                    "a key is an option without its dashes, or files; a table a command".to_owned()
                });
                return Err(self.wrong(at, &format!("{name} is no option of {of}")).hint(hint));
            }
            let values = values(value.get_ref()).ok_or_else(|| {
                let what = "expected text, a number, true, false, a list or a table of them";
                self.wrong(at, &format!("{name}: {what}"))
            })?;
            self.keys.push(Key { section: section.to_vec(), name, line: at, values });
        }
        Ok(())
    }

    /// What the file adds to a command that was called with `own`.
    fn added(&self, path: &[&str], command: &Command, own: &ArgMatches) -> Result<Added> {
        let typed: Vec<&Arg> = command
            .get_arguments()
            .filter(|arg| own.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine))
            .collect();
        let mut added = Added::default();
        let mut files = Vec::new();
        for key in &self.keys {
            let Some(arg) = find(command, &key.name).filter(|_| self.counts(key, path)) else {
                continue;
            };
            if typed.iter().any(|other| against(command, arg, other)) {
                let limit = LIMITS.contains(&key.name.as_str());
                added.replaced = added.replaced.or_else(|| limit.then(|| key.name.clone()));
                continue;
            }
            let flag = matches!(arg.get_action(), ArgAction::SetTrue);
            let texts = key.values.texts().iter().map(|text| self.placed(arg, text));
            match &key.values {
                Values::Flag(false) if flag => {}
                Values::Flag(true) if flag => added.words.push(format!("--{}", key.name).into()),
                Values::Text(_) | Values::List(_) if flag => {
                    let what = format!("{}: expected true or false", key.name);
                    return Err(self.wrong(key.line, &what));
                }
                Values::Flag(yes) => added.words.push(format!("--{}={yes}", key.name).into()),
                Values::Text(_) | Values::List(_) if arg.is_positional() => files.extend(texts),
                Values::Text(_) | Values::List(_) => added.words.extend(texts.map(|text| {
                    let mut word = OsString::from(format!("--{}=", key.name));
                    word.push(text);
                    word
                })),
            }
            if matches!(key.values, Values::List(_)) && arg.get_value_delimiter().is_some() {
                added.whole.push(arg.get_id().to_string());
            }
        }
        added.words.extend(files);
        Ok(added)
    }

    /// Whether a key is for this command, and no other says it more closely.
    fn counts(&self, key: &Key, path: &[&str]) -> bool {
        let own = |other: &Key| {
            path.starts_with(&other.section.iter().map(String::as_str).collect::<Vec<_>>())
        };
        own(key)
            && !self.keys.iter().any(|other| {
                other.name == key.name && own(other) && other.section.len() > key.section.len()
            })
    }

    /// A value; a path starts where the file is.
    fn placed(&self, arg: &Arg, text: &str) -> OsString {
        let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let folder = self.path.parent().filter(|folder| *folder != Path::new(""));
        match folder {
            Some(folder) if is_path && text != "-" && !text.contains("://") => {
                folder.join(text).into_os_string()
            }
            // What begins with a dash is a file none the less.
            None if is_path && arg.is_positional() && text.len() > 1 && text.starts_with('-') => {
                Path::new(".").join(text).into_os_string()
            }
            _ => text.into(),
        }
    }
}

/// Whether one of two options keeps the other from being said.
fn against(command: &Command, one: &Arg, other: &Arg) -> bool {
    let names = |a: &Arg, b: &Arg| {
        command.get_arg_conflicts_with(a).iter().any(|found| found.get_id() == b.get_id())
    };
    one.get_id() == other.get_id()
        || (one.is_positional() && other.is_positional())
        || names(one, other)
        || names(other, one)
}

fn values(value: &DeValue<'_>) -> Option<Values> {
    Some(match value {
        DeValue::Boolean(yes) => Values::Flag(*yes),
        DeValue::Array(all) => {
            Values::List(all.iter().map(|one| word(one.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(all) => Values::List(
            in_order(all)
                .into_iter()
                .map(|(key, one)| Some(format!("{}={}", key.get_ref(), word(one.get_ref())?)))
                .collect::<Option<_>>()?,
        ),
        one => Values::Text(word(one)?),
    })
}

/// A value as it would be typed.
fn word(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().replace('_', "")),
        // 0x10, 0o20, 0b10000: options take decimals alone.
        DeValue::Integer(number) => {
            let digits = number.as_str().replace('_', "");
            i128::from_str_radix(&digits, number.radix()).ok().map(|number| number.to_string())
        }
        DeValue::Float(number) => Some(number.as_str().replace('_', "")),
        _ => None,
    }
}

/// The line that something starts on, from 1.
fn line(text: &str, span: &Range<usize>) -> usize {
    text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count() + 1
}
