//! The API of cds: open a root, index it, ask it.
//!
//! [`Engine::open`] takes a root and a [`Config`]; each operation takes a plain request and gives a plain response in a user's
//! terms (paths, lines, names), never an id of a table. Every door is a projection of these operations.
//!
//! ```no_run
//! use cds_engine::{Config, Engine, SearchRequest};
//!
//! let engine = Engine::open(".".as_ref(), Config::default())?;
//! engine.ensure_indexed(&cds_engine::Hooks::default())?;
//! let response = engine.search(&SearchRequest { query: "where are retries handled".into(), ..Default::default() })?;
//! for hit in response.hits {
//!     let _ = (hit.path, hit.start_line, hit.score);
//! }
//! # Ok::<(), cds_engine::Error>(())
//! ```

mod config;
mod engine;
mod error;
mod follow_ups;
mod hydrate;
mod languages;
mod limits;
mod loaded;
mod models;
mod ops;
mod preset_numbers;
mod request;
mod response;
mod settings_file;
mod snippet;
mod trust;
mod watch;

pub use cds_index::{BuildReport, Freshness, Owner, ProblemRow, Progress, ProjectRoot, TreeSize, is_guarded};
pub use cds_index::{prepare_home, read_state_file, refuse_links, remove_unused, update_state_file, write_inside};
pub use cds_lang::{Language, Registry};
pub use cds_model::{
    CancelToken, Sanitizer, Signal, counted, estimate_tokens, is_hidden, sanitize_json, sanitize_line, sanitize_text,
};
pub use cds_search::{PRESETS, Preset};
pub use config::{Config, ConfigError, Domain, Origin, SETTINGS, Setting, Value};
pub use engine::{Engine, Hooks, find_root};
pub use error::{Error, ErrorKind, Result};
pub use models::{KnownModel, ModelTest};
pub use ops::graph::{GraphEdge, GraphNode, GraphResponse, GraphRow, TraverseRequest, Unresolved, UnresolvedSite};
pub use ops::grep::{GrepHit, GrepRequest, GrepResponse};
pub use ops::outline::{OutlineEntity, OutlineFile, OutlineRequest, OutlineResponse};
pub use ops::research::{EdgeCounts, Finding, ResearchRequest, ResearchResponse, ResearchSection, ResearchSubject};
pub use ops::retrieve::{RetrieveMiss, RetrieveRequest, RetrieveResponse};
pub use ops::status::{LanguageCount, StatusResponse};
pub use ops::symbol::{SymbolRequest, SymbolResponse};
pub use preset_numbers::PresetNumber;
pub use request::{FilterRequest, SearchRequest};
pub use response::{Hit, ParsedQuery, SearchResponse};
pub use trust::{ProjectMay, Zero};
pub use watch::{WatchEnd, WatchEvent, WatchOptions};
