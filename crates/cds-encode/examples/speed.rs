//! How many texts a second a dense model of a folder encodes, in each precision that is listed, one run after the other:
//! `cargo run --release -p cds-encode --features transformer --example speed -- int8,single,int8,single FOLDER FILE…`
//!
//! A text is 30 lines of a file, or an entry of a `.json` file that is a list of texts. Time is of the clock and of the process, because
//! cores may be shared. Runs in single precision are followed by the cosines with the vectors of the last run in the other.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::Instant,
};

use cds_encode::{
    DenseEncoder, Model,
    transformer::{Precision, open_with},
};

const LINES: usize = 30;
const MOST: usize = 500;
/// As many as the index encodes at a time.
const BATCH: usize = 32;

fn main() {
    let mut arguments = env::args().skip(1);
    let runs = arguments.next().expect("the list of runs comes first");
    let folder = PathBuf::from(arguments.next().expect("the model's folder comes second"));
    let mut texts: Vec<String> = arguments.flat_map(|file| texts(Path::new(&file))).take(MOST).collect();
    // Texts of like length share a batch, as in the index.
    texts.sort_by_key(|text| text.len());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    eprintln!("{} texts, {bytes} bytes", texts.len());

    let (mut rounded, mut exact) = (None, None);
    let mut vectors = Vec::new();
    for name in runs.split(',') {
        match name {
            "int8" => {
                let model = rounded.get_or_insert_with(|| open(&folder, Precision::Int8));
                vectors = run(name, model.as_ref(), &texts);
            }
            "single" => {
                let model = exact.get_or_insert_with(|| open(&folder, Precision::Single));
                compare(&vectors, &run(name, model.as_ref(), &texts));
            }
            other => panic!("{other} is neither int8 nor single"),
        }
    }
}

fn compare(vectors: &[Vec<f32>], expected: &[Vec<f32>]) {
    let dot = |(a, b): (&Vec<f32>, &Vec<f32>)| a.iter().zip(b).map(|(x, y)| f64::from(x * y)).sum::<f64>();
    let cosines: Vec<f64> = vectors.iter().zip(expected).map(dot).collect();
    if !cosines.is_empty() {
        let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
        let least = cosines.iter().copied().fold(1.0, f64::min);
        eprintln!("cosine of both: {mean:.5} on average, {least:.5} at least");
    }
}

fn open(folder: &Path, precision: Precision) -> Box<dyn DenseEncoder> {
    let started = Instant::now();
    let Ok(Model::Dense(model)) = open_with(folder, precision) else {
        panic!("{} is no dense model", folder.display())
    };
    eprintln!("{precision:?}: {} loaded in {:.2?}", model.id(), started.elapsed());
    model
}

fn texts(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).expect("a text file");
    if file.extension().is_some_and(|extension| extension == "json") {
        return serde_json::from_str(&text).expect("a list of texts");
    }
    let lines: Vec<&str> = text.lines().collect();
    lines.chunks(LINES).map(|lines| lines.join("\n")).collect()
}

fn run(name: &str, model: &dyn DenseEncoder, texts: &[&str]) -> Vec<Vec<f32>> {
    let (started, before) = (Instant::now(), processor_seconds());
    let mut vectors = Vec::new();
    for batch in texts.chunks(BATCH) {
        vectors.extend(model.encode(batch).expect("the model runs").entries);
    }
    let (clock, processor) = (started.elapsed().as_secs_f64(), processor_seconds() - before);
    let count = texts.len() as f64;
    eprintln!("{name}: {:.1} a second, {:.1} a processor second", count / clock, count / processor);
    vectors
}

/// What the process used so far, where the system says so in hundredths of a second.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}
