//! What is asked and what is answered, in a user's terms.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ops::graph::Unresolved;
use crate::request::FilterRequest;
use crate::response::ParsedQuery;

/// A question about the code as a whole.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ResearchRequest {
    /// A question ("what would break if Session.send changed"), a name or an id.
    pub query: String,
    /// `architecture`, `dependencies`, `patterns` or `flow`; none: what the question asks for.
    #[schemars(extend("enum" = ["architecture", "dependencies", "patterns", "flow", null]))]
    pub focus: Option<String>,
    /// Steps that are followed, 1 to 10; none: as the section says, 3 for callers.
    #[schemars(range(min = 1, max = 10))]
    pub depth: Option<u32>,
    /// How many findings a section shows; none: 20, or 6 where all is told of a name.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// The least sure way an edge may be known; none: `named`, all of them.
    #[schemars(extend("enum" = ["scoped", "imported", "typed", "named", null]))]
    pub certainty: Option<String>,
    /// What findings must be like.
    #[serde(flatten)]
    pub filters: FilterRequest,
    /// Budget in estimated tokens; none: the setting's.
    pub max_tokens: Option<usize>,
}

/// The answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ResearchResponse {
    /// As asked.
    pub query: String,
    /// As asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<&'static str>,
    /// As understood.
    pub parsed_query: ParsedQuery,
    /// What it is about; none: the project as a whole.
    pub subjects: Vec<ResearchSubject>,
    /// What is known of it, what was asked for first.
    pub sections: Vec<ResearchSection>,
    /// How many findings there are in all.
    pub total: usize,
    /// Whether time ran out.
    pub partial: bool,
    /// What the reader should know.
    pub warnings: Vec<String>,
    /// Milliseconds by step.
    pub timings_ms: BTreeMap<&'static str, f64>,
    /// Suggested next questions.
    pub follow_ups: Vec<String>,
}

/// What a question is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ResearchSubject {
    /// `path:Outer.inner`
    pub id: String,
    /// Its own name.
    pub name: String,
    /// `directory`, `file`, `class` or `function`.
    pub entity_type: &'static str,
    /// The language's own word; `external` for what the tree does not have.
    pub kind: &'static str,
    /// Relative to the root.
    pub path: String,
    /// First line; 0 where there is none.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// The file's language.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub language: String,
    /// Everything before the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The first line of its doc comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// How much it matters by who uses it, from 0 to 1: PageRank over certain edges.
    pub importance: f32,
    /// Where a path leads: the other end.
    #[serde(skip_serializing_if = "is_false")]
    pub is_target: bool,
}

/// One part of the answer.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ResearchSection {
    /// `callees`, `callers`, `dependencies`, `dependents`, `external`, `impact`, `implementations`, `modules`, `path`, `related`,
    /// `similar` or `tests`.
    pub kind: &'static str,
    /// What it says, in a sentence.
    pub about: String,
    /// Surest and nearest first; the steps of a path in their order.
    pub findings: Vec<Finding>,
    /// How many there are in all.
    pub total: usize,
    /// Whether there are more than are shown, or than were looked for.
    pub truncated: bool,
    /// How many of all rest on a guess: a name that several entities bear.
    #[serde(skip_serializing_if = "is_zero")]
    pub guesses: usize,
    /// Calls that may mean the subjects among too many others to say so; none of them is a finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unresolved: Option<Unresolved>,
}

/// Something that was found, with its evidence.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Finding {
    /// `path:Outer.inner`, or a path.
    pub id: String,
    /// Its own name.
    pub name: String,
    /// `directory`, `file`, `class` or `function`.
    pub entity_type: &'static str,
    /// The language's own word; `external` for what the tree does not have.
    pub kind: &'static str,
    /// Relative to the root.
    pub path: String,
    /// First line; 0 where there is none.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Whether it is a test.
    #[serde(skip_serializing_if = "is_false")]
    pub is_test: bool,
    /// How many steps away.
    pub depth: u32,
    /// The step before it: a subject or a part of one, another finding, or what is shared.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// The last edge: `import`, `invoke` or `inherit`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub edge: &'static str,
    /// How the least sure edge of the way is known: `scoped`, `imported`, `typed` or `named`; none where no edge led here.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub certainty: &'static str,
    /// Among how many the most doubtful step was chosen, where there was a choice.
    #[serde(skip_serializing_if = "is_one")]
    pub candidates: u32,
    /// `path:line` of each edge of the way, the subject's end first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// The code at the last of them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Where it stands for several edges: how many of each kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<EdgeCounts>,
    /// Modules from outside: how many files use it.
    #[serde(skip_serializing_if = "is_zero")]
    pub files: usize,
    /// Related code: how many entities both are joined to.
    #[serde(skip_serializing_if = "is_zero")]
    pub shared: usize,
    /// Similar code: the cosine of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f32>,
}

/// Edges between two things, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EdgeCounts {
    /// Imports.
    #[serde(skip_serializing_if = "is_zero")]
    pub import: usize,
    /// Calls.
    #[serde(skip_serializing_if = "is_zero")]
    pub invoke: usize,
    /// Bases, interfaces, traits.
    #[serde(skip_serializing_if = "is_zero")]
    pub inherit: usize,
    /// Edges that are guesses; in none of the others.
    #[serde(skip_serializing_if = "is_zero")]
    pub guesses: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(n: &u32) -> bool {
    *n <= 1
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(b: &bool) -> bool {
    !*b
}
