//! What a slow model said of a text, kept from run to run: by the text's hash, one file a model. A killed run loses at most a round.

use std::fs::File;
use std::io::Write;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use cds_encode::ModelId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, Result, private_fs};

/// Of a text, as the model was given it, and of the form in which its entry is kept.
pub(crate) type Key = [u8; 16];

/// A record on disk: key, length, checksum, then what was kept.
const HEAD: usize = 16 + 4 + 4;

/// Rows that nobody asked for are dropped when they are more than this many times those that were.
const ROOM: usize = 2;

pub(crate) struct Cache<T> {
    path: PathBuf,
    file: File,
    kept: FxHashMap<Key, Vec<u8>>,
    used: FxHashSet<Key>,
    /// Goes before every text that is hashed.
    form: Vec<u8>,
    of: PhantomData<T>,
}

impl<T: Serialize + DeserializeOwned> Cache<T> {
    /// Opens a model's file below the index; what is damaged in it was never there. Entries that were kept in another `form` are not found.
    pub(crate) fn open(home: &Path, kind: &str, model: &ModelId, form: &[u8]) -> Result<Cache<T>> {
        let folder = home.join("cache");
        private_fs::create_dir(&folder).map_err(Error::io(&folder))?;
        let name: String = model.weights.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let path = folder.join(format!("{kind}-{}-{name}.bin", model.dimensions));
        let bytes = match private_fs::read(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(&path)(e)),
            read => read.unwrap_or_default(),
        };
        let mut kept = FxHashMap::default();
        let mut at = 0;
        while let Some((key, payload)) = record(&bytes[at..]) {
            at += HEAD + payload.len();
            kept.insert(key, payload.to_vec());
        }
        let file = private_fs::append(&path).map_err(Error::io(&path))?;
        file.set_len(at as u64).map_err(Error::io(&path))?;
        Ok(Cache { path, file, kept, used: FxHashSet::default(), form: form.to_vec(), of: PhantomData })
    }

    pub(crate) fn key(&self, text: &str) -> Key {
        let hash = blake3::Hasher::new().update(&self.form).update(text.as_bytes()).finalize();
        hash.as_bytes()[..16].try_into().expect("sixteen bytes")
    }

    /// What is known of a text.
    pub(crate) fn get(&mut self, key: Key) -> Option<T> {
        let value = postcard::from_bytes(self.kept.get(&key)?).ok()?;
        self.used.insert(key);
        Some(value)
    }

    /// Keeps what was learnt of texts.
    pub(crate) fn add(&mut self, rows: &[(Key, &T)]) -> Result<()> {
        let mut bytes = Vec::new();
        for (key, value) in rows {
            let payload = postcard::to_stdvec(value).expect("vectors are plain data");
            write(&mut bytes, *key, &payload);
            self.used.insert(*key);
            self.kept.insert(*key, payload);
        }
        self.file.write_all(&bytes).map_err(Error::io(&self.path))
    }

    /// Lets go of what no chunk has any more, once that is most of it.
    pub(crate) fn close(self) -> Result<()> {
        if self.kept.len() <= ROOM * self.used.len() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        let mut used: Vec<&Key> = self.used.iter().collect();
        used.sort_unstable();
        for key in used {
            write(&mut bytes, *key, &self.kept[key]);
        }
        private_fs::replace(&self.path, &bytes).map_err(Error::io(&self.path))
    }
}

fn write(bytes: &mut Vec<u8>, key: Key, payload: &[u8]) {
    bytes.extend(key);
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(crc32fast::hash(payload).to_le_bytes());
    bytes.extend(payload);
}

/// The first record of these bytes, if it is whole.
fn record(bytes: &[u8]) -> Option<(Key, &[u8])> {
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let payload = bytes.get(HEAD..HEAD + number(16)? as usize)?;
    (crc32fast::hash(payload) == number(20)?).then(|| (bytes[..16].try_into().expect("sixteen bytes"), payload))
}

#[cfg(test)]
mod tests {
    use super::{Cache, Key};
    use cds_encode::ModelId;

    fn open(dir: &tempfile::TempDir, weights: &str) -> Cache<Vec<f32>> {
        open_form(dir, weights, b"")
    }

    fn open_form(dir: &tempfile::TempDir, weights: &str, form: &[u8]) -> Cache<Vec<f32>> {
        let model = ModelId { name: "m".into(), dimensions: 2, weights: weights.into() };
        Cache::open(dir.path(), "dense", &model, form).unwrap()
    }

    fn key(text: &str) -> Key {
        open(&tempfile::tempdir().unwrap(), "").key(text)
    }

    #[test]
    fn what_was_kept_in_another_form_is_not_found() {
        let dir = tempfile::tempdir().unwrap();
        let mut cache = open_form(&dir, "a", b"x");
        cache.add(&[(cache.key("one"), &vec![1.0, 2.0])]).unwrap();
        let get = |form: &[u8]| {
            let mut cache = open_form(&dir, "a", form);
            cache.get(cache.key("one"))
        };
        assert_eq!((get(b"x").is_some(), get(b"y")), (true, None));
    }

    #[test]
    fn what_was_said_once_is_kept_for_that_model() {
        let dir = tempfile::tempdir().unwrap();
        open(&dir, "a").add(&[(key("one"), &vec![1.0, 2.0]), (key("two"), &vec![3.0, 4.0])]).unwrap();
        assert_eq!(open(&dir, "a").get(key("two")), Some(vec![3.0, 4.0]));
        assert_eq!(open(&dir, "a").get(key("three")), None);
        assert_eq!(open(&dir, "b").get(key("two")), None, "another model");
    }

    #[test]
    fn a_cut_or_damaged_end_is_forgotten_and_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let mut cache = open(&dir, "a");
        cache.add(&[(key("one"), &vec![1.0, 2.0]), (key("two"), &vec![3.0, 4.0])]).unwrap();
        let path = cache.path.clone();
        let whole = std::fs::read(&path).unwrap();
        for (bytes, one) in [(&whole[..whole.len() - 1], true), (&whole[..10], false)] {
            std::fs::write(&path, bytes).unwrap();
            let mut cache = open(&dir, "a");
            assert_eq!(cache.get(key("one")).is_some(), one);
            assert_eq!(cache.get(key("two")), None);
            cache.add(&[(key("two"), &vec![3.0, 4.0])]).unwrap();
            assert_eq!(open(&dir, "a").get(key("two")), Some(vec![3.0, 4.0]));
        }
    }

    #[test]
    fn rows_that_nobody_asks_for_go_in_time() {
        let dir = tempfile::tempdir().unwrap();
        let rows: Vec<Vec<f32>> = (0..10).map(|i| vec![i as f32, 0.0]).collect();
        let keyed: Vec<_> = rows.iter().enumerate().map(|(i, row)| (key(&i.to_string()), row)).collect();
        open(&dir, "a").add(&keyed).unwrap();
        let mut cache = open(&dir, "a");
        assert!(cache.get(key("3")).is_some());
        cache.close().unwrap();
        let mut cache = open(&dir, "a");
        assert!(cache.get(key("3")).is_some() && cache.get(key("4")).is_none());
    }
}
