//! The first candidates are read once more by a model that sees query and passage together. It is slow, so it has a deadline: when it is
//! late, or not there, the order stays as it was and the answer says so.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use cds_encode::Encoded;

use super::{Candidates, Stage};
use crate::Result;
use crate::pipeline::Cx;

/// How long it may take unless the request says.
const LIMIT: Duration = Duration::from_secs(2);

/// Passages that are scored at once.
const BATCH: usize = 8;

pub(crate) struct Rerank {
    /// How many it reads.
    pub(crate) candidates: usize,
}

impl Stage for Rerank {
    fn name(&self) -> &'static str {
        "rerank"
    }

    fn is_optional(&self) -> bool {
        true
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        let reranker = match cx.asked.tools.models.reranker() {
            Ok(Some(reranker)) => reranker,
            Ok(None) => {
                let how = "add one with `cds model add FOLDER` and `cds model use NAME`";
                pool.warnings.push(format!("no reranker is set, hits stand as they were fused: {how}"));
                return Ok(());
            }
            Err(error) => {
                pool.warnings.push(format!("hits stand as they were fused: {error}"));
                return Ok(());
            }
        };
        pool.sort();
        let read = pool.list.len().min(self.candidates);
        let mut passages = Vec::with_capacity(read);
        for candidate in &pool.list[..read] {
            passages.push(cx.asked.snapshot.passage(candidate.chunk)?);
        }
        let (send, receive) = mpsc::channel();
        let query = cx.asked.query.text.clone();
        let model = reranker.id().clone();
        // A model cannot be stopped inside a batch: a late one stops after it.
        let is_late = Arc::new(AtomicBool::new(false));
        let late = Arc::clone(&is_late);
        std::thread::spawn(move || {
            let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
            let mut all = Encoded::default();
            for batch in passages.chunks(BATCH) {
                if late.load(Ordering::Relaxed) {
                    return;
                }
                match reranker.score(&query, batch) {
                    Ok(scored) => {
                        all.entries.extend(scored.entries);
                        all.truncated += scored.truncated;
                    }
                    Err(error) => {
                        let _ = send.send(Err(error));
                        return;
                    }
                }
            }
            let _ = send.send(Ok(all));
        });
        let limit = cx.asked.options.rerank_limit.unwrap_or(LIMIT);
        let received = receive.recv_timeout(limit);
        is_late.store(true, Ordering::Relaxed);
        match received {
            Ok(Ok(encoded)) if encoded.entries.len() == read => {
                reorder(pool, &encoded.entries);
                if encoded.truncated > 0 {
                    let count = encoded.truncated;
                    pool.warnings.push(format!(
                        "{count} of {read} passages are longer than {} reads: it judged their beginnings",
                        model.name
                    ));
                }
            }
            Ok(Ok(_)) => {
                pool.warnings.push(format!("hits stand as they were fused: {} gave too few scores", model.name))
            }
            Ok(Err(error)) => pool.warnings.push(format!("hits stand as they were fused: {error}")),
            Err(_) => pool.warnings.push(format!(
                "hits stand as they were fused: {} took longer than {} ms (search.rerank_limit_ms)",
                model.name,
                limit.as_millis()
            )),
        }
        Ok(())
    }
}

/// Those that were read stand first, by the model's score; the rest follows as it was.
fn reorder(pool: &mut Candidates, scores: &[f32]) {
    let best = pool.list.first().map_or(1.0, |candidate| candidate.score).max(f32::MIN_POSITIVE);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    for (rank, at) in order.into_iter().enumerate() {
        let candidate = &mut pool.list[at];
        candidate.retrieved.push(("rerank", scores[at], rank as u32 + 1));
        let likely = 1.0 / (1.0 + (-scores[at]).exp());
        let before = candidate.score;
        candidate.add("rerank", best * (1.0 + likely) - before);
    }
    pool.reranked = true;
}
