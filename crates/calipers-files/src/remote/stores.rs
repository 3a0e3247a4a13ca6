//! The stores that were asked so far.

use std::path::Path;
use std::sync::Arc;

use super::meant::meant;
use super::object::Object;
use super::store::Store;
use crate::error::{Error, Result};
use crate::words::file_name;

/// The stores that were asked so far: a thousand URLs of one bucket share its connections.
#[derive(Debug, Default)]
pub struct Stores(Vec<Arc<Store>>);

impl Stores {
    /// The objects that a URL means: itself, those below it if it ends in a slash, or those that it
    /// matches as a pattern, in the order of their URLs.
    ///
    /// # Errors
    /// There is none, or the store says no.
    pub fn objects(&mut self, url: &Path) -> Result<Vec<Object>> {
        let text = text(url)?;
        let (store, key) = self.store(text)?;
        meant(&store, text, key)
    }

    /// The one object that has a URL.
    ///
    /// # Errors
    /// There is none, or the store says no.
    pub fn object(&mut self, url: &Path) -> Result<Object> {
        let text = text(url)?;
        let (store, key) = self.store(text)?;
        Object::find(&store, text, key)
    }

    /// The store of a URL, and what is meant in it. A key is taken as it is written, as the stores' own
    /// tools take it: a `%2F` in a URL is one in the key, too, and a `?` begins no query.
    fn store<'a>(&mut self, url: &'a str) -> Result<(Arc<Store>, &'a str)> {
        let authority = url.find("://").map_or(0, |at| at + 3);
        let end = url[authority..].find('/').map_or(url.len(), |at| authority + at);
        let (root, key) = (&url[..end], url[end..].trim_start_matches('/'));
        if let Some(known) = self.0.iter().find(|store| store.root() == root) {
            return Ok((Arc::clone(known), key));
        }
        let store = Arc::new(Store::open(root, url)?);
        self.0.push(Arc::clone(&store));
        Ok((store, key))
    }
}

fn text(url: &Path) -> Result<&str> {
    url.to_str().ok_or_else(|| Error::input(format!("{}: it is no URL", file_name(url))))
}
