//! Times the search of vectors and compares what it finds with a search of unrounded ones.
//!
//! `scan INDEX [FILE]`: INDEX is an index folder (`.cds-index`) made with the built-in model. Prints one JSON object: how many vectors,
//! milliseconds a search, what it finds of the ten nearest, and milliseconds a search of a million random vectors. With FILE, the first
//! 100,000 unrounded vectors and the queries are written to `FILE.vectors` and `FILE.queries`, as 32-bit floats, for other programs.
//!
//! `scan --spaces`: searches 100,000 vectors of 768 numbers, made as those of a model with and without outlying numbers, stored as they are and in a
//! centred and rotated space. Prints one JSON object a line: milliseconds a search, and what it finds of the hundred nearest.

use std::io::Write;
use std::time::Instant;

use cds_index::{Snapshot, VectorSpace, VectorTable, chunk_vectors, query_vector};
use cds_model::ChunkId;

const QUERIES: usize = 200;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let home = arguments.next().ok_or("usage: scan INDEX [FILE] or scan --spaces")?;
    if home == "--spaces" {
        return spaces();
    }
    let snapshot = Snapshot::open(home.as_ref())?;
    let vectors = snapshot.vectors()?.ok_or("the index has no vectors")?;
    let dimensions = snapshot.manifest().model.as_ref().map_or(0, |m| m.dimensions as usize);
    let mut exact: Vec<Vec<f32>> = Vec::with_capacity(vectors.len());
    let mut docs: Vec<String> = Vec::new();
    for document in snapshot.documents() {
        let loaded = snapshot.load(document.id)?;
        let facts = loaded.facts().ok_or("facts are damaged")?;
        exact.extend(chunk_vectors(document.path(), &loaded.text, &facts));
        docs.extend(facts.entities.into_iter().filter_map(|entity| entity.doc_comment));
    }
    // Doc comments, spread evenly: what people might ask.
    let step = (docs.len() / QUERIES).max(1);
    let queries: Vec<Vec<f32>> = docs.iter().step_by(step).take(QUERIES).map(|doc| query_vector(doc)).collect();
    let mut times: Vec<f64> = Vec::new();
    let (mut agree, mut asked) = (0, 0);
    for query in &queries {
        let started = Instant::now();
        let found = vectors.nearest(query, 10, |_| true);
        times.push(started.elapsed().as_secs_f64() * 1e3);
        let mut scores: Vec<(u32, f32)> = (0..).zip(exact.iter().map(|row| dot(row, query))).collect();
        scores.select_nth_unstable_by(10, |a, b| b.1.total_cmp(&a.1));
        // Equal vectors are interchangeable.
        let least = scores[..10].iter().map(|(_, s)| *s).fold(f32::MAX, f32::min);
        asked += 10;
        agree += found.iter().filter(|(ChunkId(c), _)| dot(&exact[*c as usize], query) >= least - 1e-6).count();
    }
    let encode = median(
        (0..QUERIES).map(|_| timed(|| drop(query_vector("how are retries of a failed connection handled")))).collect(),
    );
    if let Some(file) = arguments.next() {
        write(&format!("{file}.vectors"), exact.iter().take(100_000))?;
        write(&format!("{file}.queries"), queries.iter())?;
    }
    drop(exact);
    let million = million(dimensions);
    let report = serde_json::json!({
        "vectors": vectors.len(), "dimensions": dimensions, "scan_p50_ms": median(times), "recall_at_10": f64::from(agree as u32) / f64::from(asked),
        "encode_query_ms": encode, "million_ms": million,
    });
    writeln!(std::io::stdout(), "{report}")?;
    Ok(())
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn timed(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Milliseconds to search a million vectors, on one core.
fn million(dimensions: usize) -> f64 {
    let mut seed = 1_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut table = VectorTable::new(dimensions);
    let mut row = vec![0.0; dimensions];
    for _ in 0..1_000_000 {
        row.fill_with(&mut next);
        table.push(&row);
    }
    row.fill_with(&mut next);
    median((0..15).map(|_| timed(|| drop(table.vectors().nearest(&row, 100, |_| true)))).collect())
}

fn write<'a>(path: &str, rows: impl Iterator<Item = &'a Vec<f32>>) -> std::io::Result<()> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    for x in rows.flatten() {
        file.write_all(&x.to_le_bytes())?;
    }
    file.flush()
}

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }

    fn normal(&mut self) -> f32 {
        ((0..6).map(|_| self.uniform()).sum::<f32>() - 3.0) * 2f32.sqrt()
    }
}

const DIMENSIONS: usize = 768;

/// A vector that shares topics with others and has large numbers at four places.
fn outlying(random: &mut Random, topics: &[Vec<f32>], outliers: f32, varying: f32) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| random.normal() / 16.0).collect();
    for topic in topics {
        let weight = random.normal();
        vector.iter_mut().zip(topic).for_each(|(x, t)| *x += weight * t);
    }
    cds_encode::normalise(&mut vector);
    for (at, size) in [(3, 3.0), (77, -2.5), (200, 2.0), (512, 4.0)] {
        vector[at] += outliers * size * (1.0 + varying * random.normal());
    }
    cds_encode::normalise(&mut vector);
    vector
}

fn spaces() -> Result<(), Box<dyn std::error::Error>> {
    for (kind, outliers, varying) in
        [("isotropic", 0.0, 0.0), ("mild", 0.25, 0.05), ("constant", 1.0, 0.05), ("varying", 1.0, 0.5)]
    {
        let mut random = Random(9);
        let topics: Vec<Vec<f32>> = (0..64).map(|_| (0..DIMENSIONS).map(|_| random.normal() / 8.0).collect()).collect();
        let mut make = |count: usize| -> Vec<Vec<f32>> {
            (0..count).map(|_| outlying(&mut random, &topics, outliers, varying)).collect()
        };
        let (probes, queries, rows) = (make(64), make(30), make(100_000));
        let space = VectorSpace::around(&probes);
        let tables = [
            ("plain", VectorTable::new(DIMENSIONS)),
            ("centred", VectorTable::within(space.clone())),
            ("centred, codes", VectorTable::within(space.scanning_codes(true))),
        ];
        let nearest: Vec<f32> = queries.iter().map(|query| hundredth(&rows, query)).collect();
        for (stored, mut table) in tables {
            for row in &rows {
                table.push(row);
            }
            let vectors = table.vectors();
            let (mut times, mut found) = (Vec::new(), 0);
            for (query, least) in queries.iter().zip(&nearest) {
                let mut near = Vec::new();
                for _ in 0..3 {
                    times.push(timed(|| near = vectors.nearest(query, 100, |_| true)));
                }
                found += near.iter().filter(|(chunk, _)| dot(&rows[chunk.index()], query) >= *least).count();
            }
            let recall = found as f64 / (100 * queries.len()) as f64;
            let fastest = times.iter().copied().fold(f64::MAX, f64::min);
            let report = serde_json::json!({
                "vectors": kind, "stored": stored, "recall_at_100": recall, "p50_ms": median(times), "fastest_ms": fastest,
            });
            writeln!(std::io::stdout(), "{report}")?;
        }
    }
    Ok(())
}

/// The product of a query and the hundredth nearest.
fn hundredth(rows: &[Vec<f32>], query: &[f32]) -> f32 {
    let mut products: Vec<f32> = rows.iter().map(|row| dot(row, query)).collect();
    *products.select_nth_unstable_by(99, |a, b| b.total_cmp(a)).1
}
