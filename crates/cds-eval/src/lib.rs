//! How well a search answers: questions with known answers in, numbers out.
//!
//! [`parse_set`] reads [`Question`]s, [`evaluate`] asks them of the trees that [`Places`] names and gives an [`Outcome`] for
//! each, and [`Report`] sums those up. [`Comparison`] holds two runs beside each other, question by question.
//!
//! ```
//! let set = r#"{"id": "1", "query": "where are cookies merged", "targets": [{"path": "cookies.py"}]}"#;
//! let questions = cds_eval::parse_set("set.jsonl", set)?;
//! assert_eq!(questions[0].repo, None);
//! # Ok::<(), cds_engine::Error>(())
//! ```

mod ask;
mod bootstrap;
mod compare;
mod evaluation;
mod issue;
mod measure;
mod options;
mod report;
mod run;
mod set;
mod trees;
mod worst;

pub use ask::Found;
pub use bootstrap::Bootstrap;
pub use compare::{Comparison, Difference, Move};
pub use evaluation::{Evaluation, Job, Section, evaluate};
pub use options::split_options;
pub use report::{Numbers, Report, Summary};
pub use run::{Host, Missing, Outcome, predictions};
pub use set::{Family, Gold, Question, Target, parse_set};
pub use trees::{KnownRepo, Places, Tree, parse_repos};
pub use worst::{Bad, Place};
