//! Object stores in a build without them: no object is ever found.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::words::file_name;

/// An object; there is none.
#[derive(Debug)]
pub enum Object {}

impl Object {
    /// Where it is.
    pub fn url(&self) -> PathBuf {
        match *self {}
    }

    /// How large it is.
    pub fn bytes(&self) -> u64 {
        match *self {}
    }

    /// Brings it here.
    pub fn bring(&self) -> Result<File> {
        match *self {}
    }
}

/// The stores that were asked: none, since none can be.
#[derive(Debug, Default)]
pub struct Stores(());

impl Stores {
    /// The objects that a URL means.
    pub fn objects(&mut self, url: &Path) -> Result<Vec<Object>> {
        Err(left_out(url))
    }

    /// The one object that has a URL.
    pub fn object(&mut self, url: &Path) -> Result<Object> {
        Err(left_out(url))
    }
}

fn left_out(url: &Path) -> Error {
    let message = "this build of calipers has no support for object stores";
    Error::input(format!("{}: {message}", file_name(url)))
        .with_hint("build it with the feature cloud")
}
