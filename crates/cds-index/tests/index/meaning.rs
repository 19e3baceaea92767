//! Models that read whole texts: what they said is kept, what they failed on is tried again, and another model means other vectors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use cds_encode::{Dense, DenseEncoder, Encoded, ModelError, ModelId, Models, Source, builtin};
use cds_index::Snapshot;
use cds_model::ChunkId;

use crate::equality::assert_equal_to_clean;
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

/// Texts that an encoder reads once for every index, to find out where its vectors lie.
const PROBES: usize = 64;

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
    assert_eq!(model.taken() + report.not_encoded, chunks + PROBES, "the rest is encoded");
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
        assert!(
            model.batches.load(Ordering::Relaxed) <= most + PROBES / 32,
            "a model that always fails is not used for every batch"
        );
    }
}

#[test]
fn what_a_model_said_of_a_text_is_kept() {
    let mut tree = Tree::new("//- a.py\ndef a():\n    return 1\n//- b.py\ndef b():\n    return 2\n");
    let model = picky("");
    tree.models = model.models();
    tree.build();
    assert_eq!(model.taken(), 2 + PROBES);
    tree.write("b.py", "def b():\n    return 3\n");
    tree.build();
    assert_eq!(model.taken(), 1, "one text is new");
    tree.write("b.py", "def b():\n    return 2\n");
    tree.try_build(|build| build.force = true).unwrap();
    assert_eq!(model.taken(), 0, "a text that comes back is known, also to a run from nothing");
}

#[test]
fn what_a_model_said_is_kept_while_another_one_is_used() {
    let mut tree = Tree::new("//- a.py\ndef a():\n    return 1\n");
    let model = picky("");
    tree.models = model.models();
    let before = vectors(&tree.built());
    tree.models = Models::default();
    tree.build();
    model.taken();
    let failing = Picky { fails_on: "\n", ..model.clone() };
    tree.models = failing.models();
    tree.build();
    assert_eq!(vectors(&tree.open()), before);
    assert_eq!(model.taken(), 0, "neither texts nor what shows where its vectors lie are read again");
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

#[test]
fn a_model_that_fails_on_everything_is_tried_again_by_the_next_build() {
    let mut tree = Tree::new("//- a.py\ndef a():\n    return 1\n");
    let model = picky("a");
    tree.models = model.models();
    let report = tree.build();
    assert_eq!((report.not_encoded, model.batches.load(Ordering::Relaxed)), (1, 3));
    assert!(tree.open().manifest().space.is_none());
    assert!(vectors(&tree.open())[0].iter().all(|x| *x == 0.0));
    let healthy = Picky { fails_on: "", ..model };
    tree.models = healthy.models();
    assert_eq!(tree.build().not_encoded, 0);
    assert!(tree.open().manifest().space.is_some());
    assert!(vectors(&tree.open())[0][0] > 1.0);
}

/// A model whose vectors have four numbers that are far larger than the others.
struct Outlying(ModelId);

const DIMENSIONS: usize = 192;

impl Outlying {
    fn models() -> Models {
        Models::with(Some(Dense::Encoder(Box::new(Outlying::new()))), None, None)
    }

    fn new() -> Outlying {
        Outlying(ModelId { name: "outlying".into(), dimensions: DIMENSIONS as u32, weights: "1".into() })
    }

    /// Encodes a text as the sum of vectors of its words, plus large dimensions that vary a little.
    fn vector(text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; DIMENSIONS];
        let noise = |seed: &mut u64| {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let seed = |text: &str| text.bytes().fold(7_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
        for word in text.split_whitespace() {
            let mut seed = seed(word);
            for x in &mut vector {
                *x += noise(&mut seed);
            }
        }
        cds_encode::normalise(&mut vector);
        let mut seed = seed(text);
        for (at, size) in [(3, 3.0), (77, -2.5), (100, 2.0), (150, 4.0)] {
            vector[at] += size * (1.0 + 0.05 * noise(&mut seed));
        }
        cds_encode::normalise(&mut vector);
        vector
    }
}

impl DenseEncoder for Outlying {
    fn id(&self) -> &ModelId {
        &self.0
    }

    fn encode(&self, texts: &[&str]) -> Result<Encoded<Vec<f32>>, ModelError> {
        Ok(Encoded { entries: texts.iter().map(|text| Outlying::vector(text)).collect(), truncated: 0 })
    }
}

#[test]
fn an_update_with_a_model_of_outlying_numbers_equals_a_clean_build_and_finds_what_exact_search_finds() {
    let words = ["read", "write", "open", "close", "parse", "print", "merge", "split", "sort", "find"];
    let function = |i: usize| {
        let word = |by: usize| words[i / by % words.len()];
        format!("def f{i}(a):\n    {} = {}(a)\n    return {}({i})\n\n", word(1), word(3), word(7))
    };
    let file = |f: usize| format!("//- f{f}.py\n{}", (f * 20..f * 20 + 20).map(function).collect::<String>());
    let mut tree = Tree::new(&(0..30).map(file).collect::<String>());
    tree.models = Outlying::models();
    tree.settle();
    tree.build();
    tree.write("f3.py", (0..25).map(|i| function(1_000 + i)).collect::<String>());
    tree.write("new.py", (0..5).map(|i| function(2_000 + i)).collect::<String>());
    std::fs::remove_file(tree.root().join("f7.py")).unwrap();
    assert_equal_to_clean(&tree, "after an update");

    let snapshot = tree.open();
    assert!(snapshot.manifest().parts.len() > 1, "the update added a part");
    assert!(!snapshot.manifest().space.as_ref().unwrap().scans_codes());
    let stored = snapshot.vectors().unwrap().unwrap();
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let exact = |chunk| Outlying::vector(&snapshot.passage(ChunkId(chunk)).unwrap());
    let exact: Vec<Vec<f32>> = (0..stored.len() as u32).map(exact).collect();
    for (chunk, vector) in (0..).map(ChunkId).zip(&exact) {
        let read = stored.get(chunk).unwrap();
        let apart: Vec<f32> = read.iter().zip(vector).map(|(a, b)| a - b).collect();
        assert!(dot(&apart, &apart).sqrt() < 0.02, "the vector of chunk {}", chunk.0);
    }
    for document in snapshot.documents() {
        let mut sum = vec![0.0; DIMENSIONS];
        for chunk in document.chunks() {
            sum.iter_mut().zip(&exact[chunk.index()]).for_each(|(sum, x)| *sum += x);
        }
        let length = dot(&sum, &sum).sqrt();
        assert!((document.vector_length() - length).abs() < 0.01 * length, "{}", document.path());
    }
    let (mut found, mut asked) = (0, 0);
    for i in 0..20 {
        let query = Outlying::vector(&format!("{} {}", words[i % 10], words[i * 3 % 10]));
        let mut expected: Vec<(usize, f32)> = exact.iter().map(|row| dot(row, &query)).enumerate().collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1));
        let near = stored.nearest(&query, 50, |_| true);
        asked += 50;
        found += near.iter().filter(|(chunk, _)| dot(&exact[chunk.index()], &query) >= expected[49].1 - 1e-6).count();
        let cosines = stored.cosines(&query, near.iter().map(|(chunk, _)| *chunk));
        for ((chunk, score), cosine) in near.iter().zip(cosines) {
            let exact = dot(&exact[chunk.index()], &query);
            assert!((score - exact).abs() < 2e-3 && (cosine - exact).abs() < 4e-3, "{score} and {cosine} for {exact}");
        }
    }
    assert!(found * 100 >= asked * 98, "{found} of {asked}");
}
