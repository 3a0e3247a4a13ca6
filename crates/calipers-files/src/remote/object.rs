//! An object in a store, and its way into a file.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{GetOptions, ObjectMeta, ObjectStoreExt};

use super::fault::{fault, refused};
use super::store::Store;
use crate::error::{Error, Result};
use crate::words::{file_name, plain};

/// An object that was there when it was looked for.
#[derive(Debug)]
pub struct Object {
    store: Arc<Store>,
    about: ObjectMeta,
}

impl Object {
    /// The object that has this key.
    ///
    /// # Errors
    /// There is none, or the store says no.
    pub fn find(store: &Arc<Store>, url: &str, key: &str) -> Result<Self> {
        if key.is_empty() || key.ends_with('/') {
            return Err(Error::input(format!(
                "cannot read {}: it is a prefix",
                file_name(url.as_ref())
            )));
        }
        let location = Path::parse(key).map_err(|error| refused(url, &error))?;
        let about = store.wait(store.client().head(&location));
        let about = about.map_err(|error| fault(url, &error))?;
        Ok(Self { store: Arc::clone(store), about })
    }

    /// All objects whose key begins with a folder's name; of the whole store, if there is none.
    ///
    /// # Errors
    /// The store says no.
    pub fn list(store: &Arc<Store>, url: &str, folder: &str) -> Result<Vec<Self>> {
        let folder = Path::parse(folder).map_err(|error| refused(url, &error))?;
        store.wait(async {
            let mut listed = store.client().list(Some(&folder));
            let mut found = Vec::new();
            while let Some(about) = listed.next().await {
                let about = about.map_err(|error| fault(url, &error))?;
                found.push(Self { store: Arc::clone(store), about });
            }
            Ok(found)
        })
    }

    /// Its name in the store.
    pub fn key(&self) -> &str {
        self.about.location.as_ref()
    }

    /// Where it is.
    pub fn url(&self) -> PathBuf {
        PathBuf::from(format!("{}/{}", self.store.root(), self.key()))
    }

    /// How large it is.
    pub fn bytes(&self) -> u64 {
        self.about.size
    }

    /// Brings it here, a chunk at a time, into a file without a name, which is gone when it is closed.
    ///
    /// # Errors
    /// It is not what was found, the store says no, or there is no room for it.
    pub fn bring(&self) -> Result<File> {
        let url = file_name(&self.url());
        let failed = |error: object_store::Error| fault(&url, &error);
        let full = |error: io::Error| {
            Error::unexpected(format!("cannot keep {url} in a file: {}", plain(&error)))
        };
        self.store.wait(async {
            let asked = self.store.client().get_opts(&self.about.location, GetOptions::new());
            let answer = asked.await.map_err(failed)?;
            if tag(&answer.meta) != tag(&self.about) {
                let message = "it was changed since it was found";
                return Err(Error::input(format!("cannot read {url}: {message}")));
            }
            let mut file = tempfile::tempfile().map_err(full)?;
            let mut chunks = answer.into_stream();
            while let Some(chunk) = chunks.next().await {
                file.write_all(&chunk.map_err(failed)?).map_err(full)?;
            }
            file.rewind().map_err(full)?;
            Ok(file)
        })
    }
}

/// What tells one content from another: some stores write it in quotes in one answer and without in
/// another.
fn tag(about: &ObjectMeta) -> (u64, Option<&str>) {
    (about.size, about.e_tag.as_deref().map(|tag| tag.trim_matches('"')))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_is_brought_is_what_was_found() {
        let store = Arc::new(Store::open("memory://", "memory:///day=1/a.csv").unwrap());
        let put = |text: &'static str| {
            store.wait(store.client().put(&Path::from("day=1/a.csv"), text.into())).unwrap();
        };
        put("y,p\n");
        let object = Object::find(&store, "memory:///day=1/a.csv", "day=1/a.csv").unwrap();
        assert_eq!((object.bytes(), object.url()), (4, PathBuf::from("memory:///day=1/a.csv")));
        let mut text = String::new();
        object.bring().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "y,p\n");
        assert_eq!(Object::list(&store, "memory:///day=1/", "day=1/").unwrap().len(), 1);
        put("y,q\n");
        let error = object.bring().unwrap_err();
        assert!(error.message().ends_with("day=1/a.csv: it was changed since it was found"));
    }
}
