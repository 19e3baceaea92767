//! What was used last, up to a number: patterns, frequencies of terms, follow-ups.

use std::sync::{Mutex, PoisonError};

/// Keeps the `most` values used last. Lists are short, so looking through them is as fast as anything.
pub struct Lru<K, V> {
    most: usize,
    /// Least recently used first.
    entries: Mutex<Vec<(K, V)>>,
}

impl<K: PartialEq + Clone, V: Clone> Lru<K, V> {
    /// An empty one.
    pub fn new(most: usize) -> Lru<K, V> {
        Lru { most, entries: Mutex::new(Vec::new()) }
    }

    /// The value of a key; reading it keeps it.
    pub fn get(&self, key: &K) -> Option<V> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let at = entries.iter().position(|(k, _)| k == key)?;
        let used = entries.remove(at);
        let value = used.1.clone();
        entries.push(used);
        Some(value)
    }

    /// Adds a value; when there are too many the least recently used goes.
    pub fn insert(&self, key: K, value: V) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|(k, _)| *k != key);
        if entries.len() >= self.most {
            entries.remove(0);
        }
        entries.push((key, value));
    }

    /// The keys kept, least recently used first.
    pub fn keys(&self) -> Vec<K> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).iter().map(|(k, _)| k.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Lru;

    #[test]
    fn s14_the_least_recently_used_goes_and_a_read_protects() {
        let kept = Lru::new(3);
        for key in ["a", "b", "c"] {
            kept.insert(key, key.len());
        }
        assert_eq!(kept.get(&"a"), Some(1));
        kept.insert("d", 4);
        assert_eq!(kept.keys(), ["c", "a", "d"]);
        assert_eq!(kept.get(&"b"), None);
        kept.insert("c", 9);
        assert_eq!((kept.get(&"c"), kept.keys().len()), (Some(9), 3));
    }
}
