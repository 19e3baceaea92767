//! Texts to a model that reads them whole, and is slow: in rounds of many, in batches of like length, each text once. A batch that fails
//! takes no other with it.

use std::sync::atomic::{AtomicBool, Ordering};

use cds_encode::{Encoded, ModelError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cache::Cache;
use crate::{Error, Result};

/// Texts of a batch.
pub(crate) const BATCH: usize = 32;
/// After this many texts in a row that the model rejects, the model is not used again until the next run.
const PATIENCE: usize = 8;

/// What a model makes of a batch.
type Encode<'a, T> = Box<dyn Fn(&[&str]) -> std::result::Result<Encoded<T>, ModelError> + 'a>;

/// A model and what it has said.
pub(crate) struct Lane<'a, T> {
    encode: Encode<'a, T>,
    cache: Cache<T>,
    cancel: &'a AtomicBool,
    failures: usize,
    /// Why the last batch failed.
    pub(crate) reason: String,
    /// Texts that were longer than the model reads.
    pub(crate) truncated: u64,
}

impl<'a, T: Serialize + DeserializeOwned + Clone> Lane<'a, T> {
    pub(crate) fn new(
        cache: Cache<T>,
        cancel: &'a AtomicBool,
        encode: impl Fn(&[&str]) -> std::result::Result<Encoded<T>, ModelError> + 'a,
    ) -> Lane<'a, T> {
        Lane { encode: Box::new(encode), cache, cancel, failures: 0, reason: String::new(), truncated: 0 }
    }

    /// The model is not used in this run.
    pub(crate) fn give_up(&mut self, reason: String) {
        self.failures = PATIENCE;
        self.reason = reason;
    }

    /// One entry a text; none where the model failed.
    pub(crate) fn round(&mut self, texts: &[String]) -> Result<Vec<Option<T>>> {
        let keys: Vec<_> = texts.iter().map(|text| self.cache.key(text)).collect();
        let mut entries: Vec<Option<T>> = keys.iter().map(|key| self.cache.get(*key)).collect();
        let mut missing: Vec<usize> = (0..texts.len()).filter(|i| entries[*i].is_none()).collect();
        // Padding to the longest of a batch is wasted work.
        missing.sort_by_key(|i| texts[*i].len());
        // Batches to do, the next one last. One that fails is split, so that a text that the model rejects fails alone.
        let mut batches: Vec<&[usize]> = missing.chunks(BATCH).rev().collect();
        while let Some(batch) = batches.pop() {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            if self.failures >= PATIENCE {
                break;
            }
            let read: Vec<&str> = batch.iter().map(|i| texts[*i].as_str()).collect();
            match (self.encode)(&read) {
                Ok(encoded) if encoded.entries.len() == batch.len() => {
                    self.failures = 0;
                    self.truncated += encoded.truncated as u64;
                    let rows: Vec<_> = batch.iter().map(|i| keys[*i]).zip(&encoded.entries).collect();
                    self.cache.add(&rows)?;
                    for (i, entry) in batch.iter().zip(encoded.entries) {
                        entries[*i] = Some(entry);
                    }
                }
                Ok(_) => self.fail("the model gave another number of vectors than of texts"),
                Err(error @ ModelError::Unavailable(_)) => {
                    // The encoder has made its attempts: another batch would meet the same.
                    self.fail(&error.to_string());
                    self.failures = PATIENCE;
                }
                Err(error) if batch.len() > 1 => {
                    self.reason = error.to_string();
                    let (first, second) = batch.split_at(batch.len() / 2);
                    batches.extend([second, first]);
                }
                Err(error) => self.fail(&error.to_string()),
            }
        }
        Ok(entries)
    }

    fn fail(&mut self, reason: &str) {
        self.failures += 1;
        self.reason = reason.to_owned();
    }

    pub(crate) fn close(self) -> Result<()> {
        self.cache.close()
    }
}
