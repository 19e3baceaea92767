//! The vocabulary of cds: plain data that every other crate speaks.
//!
//! [`FileFacts`] is what one file says about itself: its [`Entity`] list, the [`Reference`]s and
//! [`Import`]s in it, the [`Chunk`]s it is cut into and the [`Problem`]s met on the way. A [`Query`]
//! asks; a [`Hit`] answers. Nothing here reads a file, parses, or knows a protocol.

mod cancel;
mod chunk;
mod count;
mod edge;
mod entity;
mod expression;
mod facts;
mod hit;
mod ids;
mod kind;
mod link;
mod query;
mod role;
mod sanitize;
mod source;
mod span;

pub use cancel::CancelToken;
pub use chunk::{Chunk, estimate_tokens};
pub use count::counted;
pub use edge::{Certainty, EdgeKind};
pub use entity::{Entity, Parameter};
pub use expression::{Step, path_text, steps};
pub use facts::{Binding, FileFacts, Import, LanguageShare, Name, Problem, ProblemKind, Reference, ReferenceKind};
pub use hit::{Hit, MatchType, Signal};
pub use ids::{ChunkId, EntityId, FileId};
pub use kind::{EntityType, KINDS, Kind, KindRow};
pub use link::{LinkRules, ModuleRule, Reach, ReachRules, Shared};
pub use query::{Filters, Granularity, Pattern, Query, Snippet};
pub use role::PathRole;
pub use sanitize::{Sanitizer, is_hidden, sanitize_json, sanitize_line, sanitize_text};
pub use source::SourceBytes;
pub use span::Span;
