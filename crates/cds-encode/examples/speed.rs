//! How many snippets a second a dense model of a folder encodes:
//! `cargo run --release -p cds-encode --features transformer --example speed -- FOLDER FILE…`
//!
//! A snippet is 30 lines of a file. Time is of the clock and of the process, because cores may be shared.

use std::{env, fs, path::Path, time::Instant};

use cds_encode::{Model, open};

const LINES: usize = 30;
const MOST: usize = 200;

fn main() {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().expect("the model's folder comes first");
    let started = Instant::now();
    let Ok(Model::Dense(model)) = open(Path::new(&folder)) else { panic!("{folder} holds no dense model") };
    eprintln!("{:?} loaded in {:.2?}", model.id(), started.elapsed());

    let texts: Vec<String> = arguments.map(|file| fs::read_to_string(file).expect("a text file")).collect();
    let lines: Vec<&str> = texts.iter().flat_map(|text| text.lines()).collect();
    let snippets: Vec<String> = lines.chunks(LINES).take(MOST).map(|lines| lines.join("\n")).collect();
    let snippets: Vec<&str> = snippets.iter().map(String::as_str).collect();

    let (started, before) = (Instant::now(), processor_seconds());
    let encoded = model.encode(&snippets).expect("the model runs");
    let (clock, processor) = (started.elapsed().as_secs_f64(), processor_seconds() - before);
    let (count, bytes) = (snippets.len() as f64, snippets.iter().map(|text| text.len()).sum::<usize>());
    eprintln!("{count} snippets, {bytes} bytes, {} cut", encoded.truncated);
    eprintln!("{:.1} a second, {:.1} a processor second", count / clock, count / processor);
}

/// What the process used so far, where the system says so in hundredths of a second.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}
