//! What was read a moment ago: a service is asked about the same files again and again, and unpacking one costs more than finding it.

use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

struct Kept<K, V> {
    /// Whose these are.
    generation: String,
    all: FxHashMap<K, (u64, Arc<V>)>,
    bytes: usize,
    clock: u64,
}

/// Things of one generation that weigh so much at most, those that were used last.
pub(crate) struct Loaded<K, V> {
    kept: Mutex<Kept<K, V>>,
    most: usize,
    weight: fn(&V) -> usize,
}

impl<K: Copy + Eq + Hash + Ord, V> Loaded<K, V> {
    pub(crate) fn new(most: usize, weight: fn(&V) -> usize) -> Loaded<K, V> {
        let kept = Kept { generation: String::new(), all: FxHashMap::default(), bytes: 0, clock: 0 };
        Loaded { kept: Mutex::new(kept), most, weight }
    }

    /// What is remembered of a generation.
    pub(crate) fn get(&self, generation: &str, key: K) -> Option<Arc<V>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        if kept.generation != generation {
            return None;
        }
        let (used, value) = kept.all.get_mut(&key)?;
        *used = now;
        Some(Arc::clone(value))
    }

    /// Remembers something. What is so large that little else would have room is not kept.
    pub(crate) fn keep(&self, generation: &str, key: K, value: V) -> Arc<V> {
        let value = Arc::new(value);
        let weight = (self.weight)(&value);
        if weight > self.most / 16 {
            return value;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.generation != generation {
            kept.generation = generation.to_owned();
            kept.all.clear();
            kept.bytes = 0;
        }
        kept.bytes += weight;
        let now = kept.clock;
        if let Some((_, other)) = kept.all.insert(key, (now, Arc::clone(&value))) {
            kept.bytes -= (self.weight)(&other);
        }
        if kept.bytes > self.most {
            self.make_room(&mut kept);
        }
        value
    }

    /// Lets go of what was used longest ago, a quarter of it at once so that it is seldom done.
    fn make_room(&self, kept: &mut Kept<K, V>) {
        let mut used: Vec<(u64, K)> = kept.all.iter().map(|(key, (used, _))| (*used, *key)).collect();
        used.sort_unstable();
        for (_, key) in used {
            if kept.bytes <= self.most / 4 * 3 {
                return;
            }
            if let Some((_, value)) = kept.all.remove(&key) {
                kept.bytes -= (self.weight)(&value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Loaded;

    #[test]
    fn what_was_used_last_stays() {
        let loaded: Loaded<u32, u32> = Loaded::new(160, |_| 10);
        for key in 0..16 {
            loaded.keep("g1", key, key);
        }
        assert_eq!(loaded.get("g1", 0).as_deref(), Some(&0));
        loaded.keep("g1", 16, 16);
        let known: Vec<u32> = (0..17).filter(|key| loaded.get("g1", *key).is_some()).collect();
        assert_eq!(known, [0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
        // Another generation has its own.
        assert_eq!(loaded.get("g2", 16), None);
        loaded.keep("g2", 16, 1);
        assert_eq!((loaded.get("g1", 0), loaded.get("g2", 16).as_deref()), (None, Some(&1)));
        // Too large to be kept, but given back.
        let large: Loaded<u32, u32> = Loaded::new(160, |_| 11);
        assert_eq!((*large.keep("g1", 1, 7), large.get("g1", 1)), (7, None));
    }
}
