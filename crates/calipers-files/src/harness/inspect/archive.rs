//! A log of Inspect that is an archive: a head, and a file for each sample, compressed with Zstandard.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::{Log, Sample};
use crate::allowance::Allowance;
use crate::error::{Error, Result, unreadable};
use crate::formats::packed::{Packed, Unfolded, refused};
use crate::harness::json::{allowance, parsed};
use crate::words::file_name;

/// Where the head is: at the end of a run, and while it is under way, or where it was broken off.
const HEADS: [&str; 2] = ["header.json", "_journal/start.json"];

/// How a run is called that did not write how it ended.
const STARTED: &str = "started";

pub struct Archive {
    name: String,
    inner: ZipArchive<BufReader<File>>,
    allowance: Allowance,
}

impl Archive {
    pub fn open(path: &Path) -> Result<Self> {
        let name = file_name(path);
        let allowance = allowance(path)?;
        let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
        let inner = ZipArchive::new(BufReader::new(file)).map_err(|error| broken(&name, &error))?;
        Ok(Self { name, inner, allowance })
    }

    /// What the run was.
    pub fn head(&mut self) -> Result<Log> {
        let [last, first] = HEADS.map(|head| self.inner.index_for_name(head));
        let Some(at) = last.or(first) else {
            return Err(Error::input(format!(
                "{}: it is no log of Inspect: it has no {}",
                self.name, HEADS[0]
            )));
        };
        let bytes = self.read(at)?;
        let mut log: Log = parsed(&bytes, &self.name)?;
        if last.is_none() {
            log.status = Some(STARTED.to_owned());
        }
        Ok(log)
    }

    /// The samples.
    pub fn samples(&mut self) -> Result<Vec<Sample>> {
        let names = self.inner.file_names().map(str::to_owned);
        let is_one = |name: &String| name.starts_with("samples/") && name.ends_with(".json");
        let names: Vec<String> = names.filter(is_one).collect();
        let mut all = Vec::with_capacity(names.len());
        for name in names {
            let Some(at) = self.inner.index_for_name(&name) else { continue };
            let bytes = self.read(at)?;
            all.push(parsed(&bytes, &format!("{}, {name}", self.name))?);
        }
        Ok(all)
    }

    /// What is in one of the files.
    fn read(&mut self, at: usize) -> Result<Vec<u8>> {
        let raw = self.inner.by_index_raw(at).map_err(|error| broken(&self.name, &error))?;
        let content: Box<dyn Read> = if raw.compression() == CompressionMethod::ZSTD {
            Packed::Zstandard.unpack(raw, &self.name)?
        } else {
            drop(raw);
            Box::new(self.inner.by_index(at).map_err(|error| broken(&self.name, &error))?)
        };
        let mut bytes = Vec::new();
        let read = Unfolded::new(content, self.allowance.clone()).read_to_end(&mut bytes);
        read.map_err(|error| refused(&error).unwrap_or_else(|| unreadable(&self.name, &error)))?;
        self.allowance.spend(bytes.len() as u64)?;
        Ok(bytes)
    }
}

fn broken(name: &str, error: &ZipError) -> Error {
    Error::input(format!("cannot read {name}: it is no log of Inspect ({error})"))
}
