//! Models that read whole texts: what they said is kept, what they failed on is tried again, and another model means other vectors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cds_encode::{Dense, DenseEncoder, Encoded, ModelError, ModelId, Models, Source, builtin};
use cds_index::Snapshot;
use cds_model::ChunkId;

use crate::fixture::Tree;

/// A model that fails on texts that hold a word, and notes every text it reads.
#[derive(Clone)]
struct Picky {
    id: ModelId,
    fails_on: &'static str,
    /// Whether it fails because it is away, not because of the text.
    is_away: bool,
    read: Arc<Mutex<Vec<String>>>,
    batches: Arc<AtomicUsize>,
}

fn picky(fails_on: &'static str) -> Picky {
    let id = ModelId { name: "picky".into(), dimensions: 2, weights: "1".into() };
    Picky { id, fails_on, is_away: false, read: Arc::default(), batches: Arc::default() }
}

impl DenseEncoder for Picky {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn encode(&self, texts: &[&str]) -> Result<Encoded<Vec<f32>>, ModelError> {
        self.batches.fetch_add(1, Ordering::Relaxed);
        assert!(texts.is_sorted_by_key(|text| text.len()), "a batch has texts of like length");
        if !self.fails_on.is_empty() && texts.iter().any(|text| text.contains(self.fails_on)) {
            let why = "the service is down".to_owned();
            return Err(if self.is_away { ModelError::Unavailable(why) } else { ModelError::Unusable(why) });
        }
        self.read.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        Ok(Encoded { entries: texts.iter().map(|text| vec![text.len() as f32, 1.0]).collect(), truncated: 1 })
    }
}

impl Picky {
    fn models(&self) -> Models {
        Models::with(Some(Dense::Encoder(Box::new(self.clone()))), None, None)
    }

    /// How many texts it read since it was last asked.
    fn taken(&self) -> usize {
        std::mem::take(&mut *self.read.lock().unwrap()).len()
    }
}

fn vectors(snapshot: &Snapshot) -> Vec<Vec<f32>> {
    let vectors = snapshot.vectors().unwrap().expect("there are vectors");
    (0..vectors.len() as u32).map(|chunk| vectors.get(ChunkId(chunk)).unwrap()).collect()
}

/// Enough chunks for several batches; those of z.py are the longest and so share the last one.
fn many() -> String {
    let short = (0..70).map(|i| format!("def f{i:02}():\n    return {i}\n\n"));
    let long = (0..3).map(|i| format!("def g{i}():\n    return 'poison and much else that makes it long {i}'\n\n"));
    format!("//- a.py\n{}//- z.py\n{}", short.collect::<String>(), long.collect::<String>())
}

#[test]
fn b9_a_batch_that_fails_is_recorded_counted_and_tried_again() {
    let mut tree = Tree::new(&many());
    let model = picky("poison");
    tree.models = model.models();
    let report = tree.build();
    let snapshot = tree.open();
    let chunks = snapshot.manifest().counts.chunks as usize;
    assert_eq!(report.not_encoded, 3, "only the texts that the model rejects: {report:?}");
    assert_eq!(snapshot.manifest().counts.not_encoded as usize, report.not_encoded);
    assert_eq!(model.taken() + report.not_encoded, chunks, "the rest is encoded");
    assert!(snapshot.manifest().counts.truncated > 0);
    let problems = snapshot.problems().unwrap();
    let told = problems.iter().find(|p| p.path == "z.py").expect("the file is listed");
    assert_eq!((told.reason.as_str(), told.skipped), ("not_encoded", false));
    assert!(told.detail.contains("the service is down") && told.detail.contains("tries again"), "{}", told.detail);
    let zeros = vectors(&snapshot).iter().filter(|v| v.iter().all(|x| *x == 0.0)).count();
    assert_eq!(zeros, report.not_encoded, "what failed is near to nothing");

    // Nothing changed on disk; what failed is tried again, and only that.
    let healthy = Picky { fails_on: "", ..model };
    tree.models = healthy.models();
    let again = tree.build();
    assert_eq!((again.changed, again.parsed, again.not_encoded), (true, 0, 0));
    assert_eq!(healthy.taken(), report.not_encoded);
    assert!(vectors(&tree.open()).iter().all(|v| v.iter().any(|x| *x != 0.0)));
    assert!(!tree.build().changed, "and now there is nothing left to do");
    assert_eq!(healthy.taken(), 0);
}

#[test]
fn a_model_that_always_fails_is_left_alone_soon() {
    let mut tree = Tree::new(
        &(0..40).map(|i| format!("//- f{i}.py\n{}", "def poison():\n    pass\n\n".repeat(10))).collect::<String>(),
    );
    for (is_away, most) in [(false, 32), (true, 1)] {
        let model = Picky { is_away, ..picky("poison") };
        tree.models = model.models();
        let report = tree.try_build(|build| build.force = true).unwrap();
        assert_eq!(report.not_encoded as u64, tree.open().manifest().counts.chunks);
        assert!(model.batches.load(Ordering::Relaxed) <= most, "a model that always fails is not used for every batch");
    }
}

#[test]
fn what_a_model_said_of_a_text_is_kept() {
    let mut tree = Tree::new("//- a.py\ndef a():\n    return 1\n//- b.py\ndef b():\n    return 2\n");
    let model = picky("");
    tree.models = model.models();
    tree.build();
    assert_eq!(model.taken(), 2);
    tree.write("b.py", "def b():\n    return 3\n");
    tree.build();
    assert_eq!(model.taken(), 1, "one text is new");
    tree.write("b.py", "def b():\n    return 2\n");
    tree.try_build(|build| build.force = true).unwrap();
    assert_eq!(model.taken(), 0, "a text that comes back is known, also to a run from nothing");
}

#[test]
fn another_model_means_other_vectors_and_the_same_facts() {
    let mut tree = Tree::new("//- a.py\ndef read_lines():\n    return 1\n");
    let of = |tree: &Tree| tree.open().manifest().model.clone();
    let first = tree.build();
    assert_eq!((first.parsed, of(&tree).as_ref()), (1, Some(builtin().id())));
    tree.models = picky("").models();
    let second = tree.build();
    assert_eq!((second.changed, second.parsed, second.reused), (true, 0, 1));
    assert_eq!(of(&tree).unwrap().name, "picky");
    assert_eq!(vectors(&tree.open())[0].len(), 2);
    tree.models = Models::new(Source::None, Source::None, Source::None);
    assert!(tree.build().changed);
    assert!(of(&tree).is_none() && tree.open().vectors().unwrap().is_none());
    tree.models = Models::default();
    tree.build();
    assert_eq!(vectors(&tree.open())[0].len(), builtin().id().dimensions as usize, "and back");
}

#[test]
fn words_of_comments_have_no_meaning_where_they_are_left_out() {
    let with = Tree::new("//- a.py\ndef f():\n    # zebra giraffe\n    return elephant\n");
    let mut without = Tree::new("//- a.py\ndef f():\n    # zebra giraffe\n    return elephant\n");
    without.options.comments = false;
    let bare = Tree::new("//- a.py\ndef f():\n    #              \n    return elephant\n");
    let vector = |tree: &Tree| vectors(&tree.built()).remove(0);
    assert_eq!(vector(&without), vector(&bare));
    assert_ne!(vector(&with), vector(&bare));
}
