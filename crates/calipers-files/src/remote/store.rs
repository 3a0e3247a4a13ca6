//! A bucket or container, and how to ask it.

use object_store::{ObjectStore, parse_url_opts};
use tokio::runtime::{Builder, Runtime};

use super::fault::{fault, refused};
use crate::error::{Error, Result};

/// What the settings in the environment begin with: `AWS_ACCESS_KEY_ID`, `AZURE_STORAGE_ACCOUNT_NAME`.
const SETTINGS: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];

/// A bucket of S3 or Google, or a container of Azure.
#[derive(Debug)]
pub struct Store {
    /// Its URL, such as `s3://bucket`.
    root: String,
    client: Box<dyn ObjectStore>,
    /// Whoever waits for an answer drives it: no thread is started, and several may wait at once.
    runtime: Runtime,
}

impl Store {
    /// The store that a URL is in, which is named by its start, with the settings that the environment has.
    ///
    /// # Errors
    /// It is no URL, or the settings contradict each other.
    pub fn open(root: &str, url: &str) -> Result<Self> {
        // Whoever embeds this may have chosen another one before: that is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let parsed = root.parse().map_err(|error| refused(url, &error))?;
        let settings = std::env::vars_os()
            .filter_map(|(key, value)| Some((key.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(key, _)| SETTINGS.iter().any(|start| key.starts_with(start)))
            .map(|(key, value)| (key.to_lowercase(), value));
        let (client, _) = parse_url_opts(&parsed, settings).map_err(|error| fault(url, &error))?;
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
            Error::unexpected(format!("{url}: cannot wait for answers: {error}"))
        })?;
        Ok(Self { root: root.to_owned(), client, runtime })
    }

    /// Its URL, such as `s3://bucket`.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// What it is asked by.
    pub fn client(&self) -> &dyn ObjectStore {
        self.client.as_ref()
    }

    /// Waits for an answer.
    pub fn wait<F: Future>(&self, answer: F) -> F::Output {
        self.runtime.block_on(answer)
    }
}
