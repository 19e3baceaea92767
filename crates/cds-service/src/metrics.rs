//! What was asked, how long it took and what went wrong, in the text format of Prometheus.

use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::fault::FaultKind;
use crate::projects::Projects;

/// Upper bounds of the histogram, in seconds.
const BUCKETS: [f64; 9] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

struct Row {
    operation: &'static str,
    buckets: [u64; BUCKETS.len()],
    count: u64,
    seconds: f64,
    faults: Vec<(FaultKind, u64)>,
}

/// Counters of a process.
pub struct Metrics {
    started: Instant,
    rows: Mutex<Vec<Row>>,
    refused: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics { started: Instant::now(), rows: Mutex::default(), refused: AtomicU64::new(0) }
    }
}

impl Metrics {
    pub(crate) fn count(&self, operation: &'static str, took: Duration, fault: Option<FaultKind>) {
        let mut rows = self.rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let at = rows.iter().position(|row| row.operation == operation).unwrap_or_else(|| {
            rows.push(Row { operation, buckets: [0; BUCKETS.len()], count: 0, seconds: 0.0, faults: Vec::new() });
            rows.len() - 1
        });
        let row = &mut rows[at];
        let seconds = took.as_secs_f64();
        row.count += 1;
        row.seconds += seconds;
        row.buckets.iter_mut().zip(BUCKETS).filter(|(_, bound)| seconds <= *bound).for_each(|(count, _)| *count += 1);
        if let Some(kind) = fault {
            match row.faults.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None => row.faults.push((kind, 1)),
            }
        }
    }

    /// Counts a request that was turned away before it was read.
    pub(crate) fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// All of it as text.
    pub fn text(&self, projects: &Projects) -> String {
        let mut text = String::new();
        let mut line = |args: std::fmt::Arguments| {
            let _ = writeln!(text, "{args}");
        };
        line(format_args!("# TYPE cds_request_duration_seconds histogram"));
        let rows = self.rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for Row { operation, buckets, count, seconds, .. } in rows.iter() {
            for (bound, count) in BUCKETS.iter().zip(buckets) {
                line(format_args!(
                    "cds_request_duration_seconds_bucket{{operation=\"{operation}\",le=\"{bound}\"}} {count}"
                ));
            }
            line(format_args!("cds_request_duration_seconds_bucket{{operation=\"{operation}\",le=\"+Inf\"}} {count}"));
            line(format_args!("cds_request_duration_seconds_sum{{operation=\"{operation}\"}} {seconds}"));
            line(format_args!("cds_request_duration_seconds_count{{operation=\"{operation}\"}} {count}"));
        }
        line(format_args!("# TYPE cds_request_errors_total counter"));
        for row in rows.iter() {
            for (kind, count) in &row.faults {
                let (operation, kind) = (row.operation, kind.name());
                line(format_args!("cds_request_errors_total{{operation=\"{operation}\",error=\"{kind}\"}} {count}"));
            }
        }
        line(format_args!("# TYPE cds_requests_refused_total counter"));
        line(format_args!("cds_requests_refused_total {}", self.refused.load(Ordering::Relaxed)));
        line(format_args!("# TYPE cds_projects gauge"));
        for state in ["indexing", "ready", "failed"] {
            let count = projects.infos().iter().filter(|p| p.index.state == state).count();
            line(format_args!("cds_projects{{state=\"{state}\"}} {count}"));
        }
        line(format_args!("# TYPE cds_uptime_seconds gauge"));
        line(format_args!("cds_uptime_seconds {}", self.started.elapsed().as_secs()));
        text
    }
}
