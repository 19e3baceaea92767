//! Models from a folder give what transformers gives. The tiny folders and their expected numbers are written by `fixtures/make.py`.

#![cfg(feature = "transformer")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use cds_encode::{
    DenseEncoder, Model, Reranker, SparseEncoder, open,
    transformer::{Precision, open_with},
};
use serde::Deserialize;

const TOLERANCE: f32 = 1e-4;

#[derive(Deserialize)]
struct Expected {
    texts: Vec<String>,
    #[serde(default)]
    query: String,
    truncated: usize,
    vectors: Vec<Vec<f32>>,
}

impl Expected {
    fn texts(&self) -> Vec<&str> {
        self.texts.iter().map(String::as_str).collect()
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn expected(name: &str) -> Expected {
    serde_json::from_slice(&fs::read(fixture(name).join("expected.json")).unwrap()).unwrap()
}

fn dense_with(path: &Path, precision: Precision) -> Box<dyn DenseEncoder> {
    let Model::Dense(model) = open_with(path, precision).unwrap() else { panic!("{} is not dense", path.display()) };
    model
}

fn dense(path: &Path) -> Box<dyn DenseEncoder> {
    dense_with(path, Precision::default())
}

fn sparse(name: &str) -> Box<dyn SparseEncoder> {
    let Model::Sparse(model) = open(&fixture(name)).unwrap() else { panic!("{name} is not sparse") };
    model
}

fn reranker(name: &str) -> Box<dyn Reranker> {
    let Model::Reranker(model) = open(&fixture(name)).unwrap() else { panic!("{name} is no reranker") };
    model
}

/// The largest difference, printed for whoever runs with `--nocapture`.
fn check_close(name: &str, found: &[Vec<f32>], expected: &[Vec<f32>]) {
    assert_eq!(found.len(), expected.len());
    let mut largest = 0_f32;
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.len(), expected.len());
        largest = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(largest, f32::max);
    }
    eprintln!("{name}: differs by at most {largest:e}");
    assert!(largest < TOLERANCE, "{name} differs by {largest}");
}

fn check_dense(name: &str) {
    let (model, expected) = (dense_with(&fixture(name), Precision::Single), expected(name));
    let found = model.encode(&expected.texts()).unwrap();
    check_close(name, &found.entries, &expected.vectors);
    assert_eq!(found.truncated, expected.truncated);
    assert_eq!(model.id().name, name);
    assert_eq!(model.id().dimensions as usize, expected.vectors[0].len());
}

fn check_sparse(name: &str) {
    let (model, expected) = (sparse(name), expected(name));
    let found = model.encode(&expected.texts()).unwrap();
    let size = model.id().dimensions as usize;
    let spread = |entry: &Vec<(u32, f32)>| {
        assert!(entry.is_sorted_by_key(|(term, _)| *term));
        let mut vector = vec![0.0; size];
        for &(term, weight) in entry {
            assert!(weight > 0.0, "{name}: only what weighs something is kept");
            vector[term as usize] = weight;
        }
        vector
    };
    let vectors: Vec<Vec<f32>> = found.entries.iter().map(spread).collect();
    check_close(name, &vectors, &expected.vectors);
    assert_eq!(found.truncated, expected.truncated);
    assert!(found.entries.iter().all(|entry| entry.len() < size), "{name}: some terms weigh nothing");
}

fn check_reranker(name: &str) {
    let (model, expected) = (reranker(name), expected(name));
    let found = model.score(&expected.query, &expected.texts()).unwrap();
    let scores: Vec<Vec<f32>> = found.entries.iter().map(|&score| vec![score]).collect();
    check_close(name, &scores, &expected.vectors);
    assert_eq!(found.truncated, expected.truncated);
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// The least cosine of what two models make of the same texts.
fn least_cosine(found: &[Vec<f32>], expected: &[Vec<f32>]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(found, expected)| cosine(found, expected)).fold(1.0, f64::min)
}

#[test]
fn rounded_weights_give_nearly_the_same_vectors() {
    for name in ["bert", "bert-cls", "roberta"] {
        let (rounded, expected) = (dense(&fixture(name)), expected(name));
        let found = rounded.encode(&expected.texts()).unwrap();
        assert_eq!(found.truncated, expected.truncated);
        let least = least_cosine(&found.entries, &expected.vectors);
        eprintln!("{name}: cosine of at least {least:.6}");
        assert!(least > 0.99, "{name}: {least}");
        let single = dense_with(&fixture(name), Precision::Single);
        let exact = single.encode(&expected.texts()).unwrap();
        assert!(least_cosine(&found.entries, &exact.entries) > 0.99);
        // A processor without fast products of whole numbers has one model only.
        assert_eq!(rounded.id() == single.id(), found == exact, "{name}: other vectors are another model's");
    }
}

#[test]
fn families_without_rounded_weights_are_one_model() {
    for name in ["jina", "jina-code"] {
        let ids = [Precision::Int8, Precision::Single].map(|p| dense_with(&fixture(name), p).id().clone());
        assert_eq!(ids[0], ids[1]);
    }
}

#[test]
fn distilbert_without_a_head_is_a_sentence_encoder() {
    let copy = copied("splade-distilbert");
    edit(copy.path(), "DistilBertForMaskedLM", "DistilBertModel");
    let texts = ["read a file by lines", "", "fn main() {}"];
    let [rounded, single] =
        [Precision::Int8, Precision::Single].map(|p| dense_with(copy.path(), p).encode(&texts).unwrap().entries);
    assert!(least_cosine(&rounded, &single) > 0.99);
}

#[test]
fn bert_pools_the_average() {
    check_dense("bert");
}

#[test]
fn sentence_transformers_files_choose_the_first_token_and_the_limit() {
    check_dense("bert-cls");
}

#[test]
fn roberta_counts_positions_after_the_padding() {
    check_dense("roberta");
}

#[test]
fn jina_weighs_distance() {
    check_dense("jina");
    check_dense("jina-code");
}

#[test]
fn r13_splade_of_every_family() {
    check_sparse("splade");
    check_sparse("splade-distilbert");
    check_sparse("splade-roberta");
}

#[test]
fn cross_encoders_read_pairs() {
    check_reranker("cross-bert");
    check_reranker("cross-roberta");
}

#[test]
fn r6_splade_reads_512_tokens_though_it_has_600_positions() {
    let model = sparse("splade");
    let words = |count: usize| vec!["file"; count].join(" ");
    // Two marks are added to each.
    let (fits, over, far_over) = (words(510), words(511), words(2000));
    let found = model.encode(&[&fits, &over, "file", &far_over]).unwrap();
    assert_eq!(found.truncated, 2);
    assert_eq!(found.entries[0], found.entries[1]);
}

#[test]
fn terms_are_words_of_the_vocabulary() {
    let model = sparse("splade");
    assert_eq!(model.term(2), Some("[CLS]"));
    assert_eq!(model.term(model.id().dimensions), None);
}

#[test]
fn company_and_order_do_not_matter() {
    let expected = expected("bert");
    let mut texts = expected.texts();
    texts.reverse();
    for precision in [Precision::Int8, Precision::Single] {
        let model = dense_with(&fixture("bert"), precision);
        let reversed = model.encode(&texts).unwrap().entries;
        let alone: Vec<Vec<f32>> = texts.iter().map(|text| model.encode(&[text]).unwrap().entries.remove(0)).collect();
        check_close("alone", &alone, &reversed);
        assert!(model.encode(&[]).unwrap().entries.is_empty());
    }
}

#[test]
fn other_weights_are_another_model() {
    let id = |name: &str| dense(&fixture(name)).id().clone();
    assert_eq!(id("bert"), id("bert"));
    assert_ne!(id("bert").weights, id("bert-cls").weights);
}

fn copied(name: &str) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(fixture(name)).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    copy
}

/// A copy of a fixture that `change` spoils, and what opening it says.
fn spoiled(name: &str, change: impl Fn(&Path)) -> String {
    let copy = copied(name);
    change(copy.path());
    let error = open(copy.path()).unwrap_err().to_string();
    error.replace(&copy.path().display().to_string(), "FOLDER")
}

fn edit(folder: &Path, from: &str, to: &str) {
    let path = folder.join("config.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from));
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn errors_name_the_file_and_the_remedy() {
    let missing = open(Path::new("/no/such/folder")).unwrap_err().to_string();
    assert_eq!(missing, "no folder /no/such/folder: give the one that holds the model's config.json");

    let without = |name: &'static str| spoiled("bert", move |folder| fs::remove_file(folder.join(name)).unwrap());
    assert_eq!(without("config.json"), "FOLDER has no config.json: copy it from where the model was published");
    assert_eq!(
        without("model.safetensors"),
        "FOLDER has no model.safetensors: copy it from where the model was published"
    );
    assert_eq!(
        without("tokenizer.json"),
        "FOLDER has no tokenizer.json: write it with transformers: \
         AutoTokenizer.from_pretrained(folder).save_pretrained(folder)"
    );

    let pickled = spoiled("bert", |folder| {
        fs::rename(folder.join("model.safetensors"), folder.join("pytorch_model.bin")).unwrap();
    });
    assert!(pickled.contains("convert pytorch_model.bin"), "{pickled}");
}

#[test]
fn errors_say_what_does_not_fit() {
    let check = |said: String, part: &str| assert!(said.contains(part), "{said:?} says nothing of {part:?}");
    check(
        spoiled("bert", |folder| edit(folder, "BertModel", "BertForTokenClassification")),
        "BertForTokenClassification",
    );
    check(spoiled("bert", |folder| edit(folder, "\"bert\"", "\"t5\"")), "model type \"t5\"");
    check(spoiled("bert", |folder| edit(folder, "BertModel", "BertForMaskedLM")), "cls.predictions");
    check(
        spoiled("bert", |folder| edit(folder, "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3")),
        "encoder.layer.2",
    );
    check(
        spoiled("bert", |folder| edit(folder, "\"num_attention_heads\": 4", "\"num_attention_heads\": 0")),
        "0 heads",
    );
    let unread =
        |folder: &Path| fs::write(folder.join("sentence_bert_config.json"), b"{\"max_seq_length\": 2}").unwrap();
    check(spoiled("bert", unread), "limit of 2 tokens");
    check(spoiled("cross-bert", |folder| edit(folder, "\"0\"", "\"1\": \"b\", \"0\"")), "2 labels");
    check(spoiled("bert", |folder| fs::write(folder.join("model.safetensors"), b"no").unwrap()), "damaged");
    check(
        spoiled("bert", |folder| fs::write(folder.join("config.json"), b"{").unwrap()),
        "config.json is not understood",
    );
    check(spoiled("bert", |folder| fs::write(folder.join("tokenizer.json"), b"{}").unwrap()), "tokenizer.json");
}

/// The folder of all-MiniLM-L6-v2 itself, where it is at hand.
fn minilm() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("CDS_TEST_MINILM") else {
        eprintln!(
            "SKIPPED: all-MiniLM-L6-v2 is not at hand. Run `sh crates/cds-encode/tests/fetch_minilm.sh FOLDER` and set \
             CDS_TEST_MINILM to the folder"
        );
        return None;
    };
    Some(PathBuf::from(folder))
}

#[test]
fn minilm_agrees_with_sentence_transformers() {
    let Some(folder) = minilm() else { return };
    let texts = fs::read_to_string(fixture("minilm.txt")).unwrap();
    let texts: Vec<&str> = texts.lines().collect();
    let recorded = fs::read(fixture("minilm.f16")).unwrap();
    let numbers: Vec<f32> = recorded.chunks_exact(2).map(|pair| half([pair[0], pair[1]])).collect();
    let recorded: Vec<Vec<f32>> = numbers.chunks_exact(384).map(<[f32]>::to_vec).collect();
    assert_eq!((texts.len(), recorded.len()), (20, 20));

    for (precision, bound) in [(Precision::Single, 0.999), (Precision::Int8, 0.99)] {
        let found = dense_with(&folder, precision).encode(&texts).unwrap();
        assert_eq!(found.truncated, 1);
        let least = least_cosine(&found.entries, &recorded);
        eprintln!("all-MiniLM-L6-v2, {precision:?}: cosine of at least {least:.9} on {} texts", texts.len());
        assert!(least > bound, "{precision:?}: {least}");
    }
}

/// A half-precision number; the recorded ones are neither infinite nor so small that they lose digits.
fn half(bytes: [u8; 2]) -> f32 {
    let bits = u16::from_le_bytes(bytes);
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from((bits >> 10) & 31), f32::from(bits & 1023) / 1024.0);
    match exponent {
        0 => sign * fraction * 2_f32.powi(-14),
        _ => sign * (1.0 + fraction) * 2_f32.powi(exponent - 15),
    }
}
