//! Every number of ranking, as data. A preset is a row; each field can also be set alone.

use cds_model::Granularity;

use crate::query::ParsedQuery;
use crate::{Error, Result};

/// How much each field of a chunk counts in BM25.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeights {
    /// All of its text.
    pub content: f32,
    /// Names it defines.
    pub symbols: f32,
    /// Its signature.
    pub signature: f32,
    /// Its doc comment.
    pub doc: f32,
    /// Its path.
    pub path: f32,
}

/// What finds chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retriever {
    /// Words.
    Bm25,
    /// Weighted terms.
    Sparse,
    /// Meaning.
    Dense,
}

impl Retriever {
    /// All that take part in a mixture.
    pub const ALL: [Retriever; 3] = [Retriever::Bm25, Retriever::Sparse, Retriever::Dense];

    /// Its name in scores and ranks.
    pub fn name(self) -> &'static str {
        match self {
            Retriever::Bm25 => "bm25",
            Retriever::Sparse => "sparse",
            Retriever::Dense => "dense",
        }
    }
}

/// How much ranks and scores of each retriever count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixture {
    /// Flattens ranks: the first is worth 1/(k+1).
    pub k: f32,
    /// Weight of words.
    pub bm25: f32,
    /// Weight of weighted terms.
    pub sparse: f32,
    /// Weight of meaning.
    pub dense: f32,
    /// How much ranks count; the rest is for scores.
    pub alpha: f32,
}

impl Mixture {
    pub(crate) fn weight(&self, retriever: Retriever) -> f32 {
        match retriever {
            Retriever::Bm25 => self.bm25,
            Retriever::Sparse => self.sparse,
            Retriever::Dense => self.dense,
        }
    }

    /// Whether one retriever decides.
    pub(crate) fn is_alone(&self) -> bool {
        [self.bm25, self.sparse, self.dense].iter().filter(|weight| **weight > 0.0).count() == 1
    }

    /// What a retriever adds for a chunk at a rank, whose score is a share of its best.
    pub fn contribution(&self, retriever: Retriever, share: f32, rank: u32) -> f32 {
        self.weight(retriever) * (self.alpha / (self.k + rank as f32) + (1.0 - self.alpha) * share)
    }

    /// The part of a retriever's contribution that is its weighted reciprocal rank, without `alpha`.
    pub(crate) fn reciprocal_rank(&self, retriever: Retriever, rank: u32) -> f32 {
        self.weight(retriever) / (self.k + rank as f32)
    }

    /// Gives `dense` of the total weight to dense retrieval and shares the rest between BM25 and sparse retrieval in their
    /// present proportion. BM25 gets all of the rest where neither has a weight.
    fn set_semantic_weight(&mut self, dense: f32) {
        let dense = dense.min(1.0);
        let lexical = self.bm25 + self.sparse;
        (self.bm25, self.sparse) = if lexical > 0.0 {
            ((1.0 - dense) * self.bm25 / lexical, (1.0 - dense) * self.sparse / lexical)
        } else {
            (1.0 - dense, 0.0)
        };
        self.dense = dense;
    }
}

/// How retrievers' lists become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fusion {
    /// Names first; BM25 joins when there are fewer than this many; names stay above.
    Hierarchical {
        /// How many names are enough.
        upper_threshold: usize,
    },
    /// Evidence adds up, signals multiply.
    Evidence,
    /// Weights of ranks and scores.
    Mixed(Mixture),
}

/// A named set of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// What it is called.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// Saturation of repeated words.
    pub k1: f32,
    /// How much length counts.
    pub b: f32,
    /// Fields.
    pub fields: FieldWeights,
    /// How lists become one.
    pub fusion: Fusion,
    /// Whether a reranker reorders the first candidates.
    pub rerank: bool,
    /// Number of candidates that a reranker reads.
    pub rerank_top_k: usize,
    /// What a hit stands for unless the request says.
    pub granularity: Granularity,
    /// How many hits unless the request or a setting says.
    pub limit: Option<usize>,
    /// Signals.
    pub weights: Weights,
    /// What replaces `weights` when the query describes code in a sentence.
    pub description: Option<Weights>,
    /// What replaces numbers above when the query is a report.
    pub report: Option<Report>,
}

/// Numbers of a preset for reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Saturation of repeated words.
    pub k1: f32,
    /// How much length counts: long functions are the ones that get mended.
    pub b: f32,
    /// Fields.
    pub fields: FieldWeights,
    /// Signals.
    pub weights: Weights,
}

/// Makes the table of signals: the struct, a column for each kind of ranking, and the list by name, so that a signal is one line.
macro_rules! signals {
    ($($(#[$doc:meta])* $name:ident: $plain:literal, $question:literal, $description:literal, $report:literal;)*) => {
        /// What each signal does. Evidence is added to the score; then multipliers apply, their product capped by `cap`.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Weights {
            $($(#[$doc])* pub $name: f32,)*
        }

        impl Weights {
            /// No signals: the retrievers' scores alone.
            pub(crate) const PLAIN: Weights = Weights { $($name: $plain,)* };
            /// For names, paths, and questions with names in them.
            pub(crate) const QUESTION: Weights = Weights { $($name: $question,)* };
            /// For descriptions: see [`ParsedQuery::is_description`].
            pub(crate) const DESCRIPTION: Weights = Weights { $($name: $description,)* };
            /// For reports: long texts.
            pub(crate) const REPORT: Weights = Weights { $($name: $report,)* };

            fn numbers(&mut self) -> Vec<(&'static str, &mut f32)> {
                vec![$((stringify!($name), &mut self.$name),)*]
            }
        }
    };
}

signals! {
    /// Evidence: the chunk's BM25, as a share of the best.
    bm25: 1.0, 1.0, 3.0, 1.0;
    /// Evidence: the chunk's nearness in meaning, as a share of the best.
    dense: 0.0, 1.0, 3.0, 0.2;
    /// Evidence: how well the name the chunk defines fits the query's words.
    definition: 0.0, 0.5, 0.5, 0.0;
    /// Evidence: share of the query's weight that the chunk's words carry.
    coverage: 0.0, 0.5, 0.5, 0.2;
    /// Evidence: BM25 of the file as a whole, as a share of the best file.
    file_bm25: 0.0, 1.0, 1.0, 0.5;
    /// Evidence: share of the file's chunks that match well.
    saturation: 0.0, 0.5, 0.5, 0.0;
    /// Evidence: nearness in meaning of the file's three best chunks, as a share of the best file.
    file_dense: 0.0, 1.0, 1.0, 0.0;
    /// Evidence: nearness in meaning of the file as a whole, as a share of the best file.
    centroid: 0.0, 1.5, 1.5, 0.0;
    /// How much of all nearness counts when the query is a single name: what it is called says more than what it is like.
    dense_for_names: 1.0, 0.3, 0.3, 1.0;
    /// Evidence: how well names defined in the file fit, summed, as a share of the best file.
    file_definitions: 0.0, 0.5, 0.5, 0.0;
    /// Evidence: every word of the stem is in the query, as a share that is less for words that are common in the project.
    whole_stem: 0.0, 0.5, 0.5, 0.0;
    /// Evidence: the first word of the query that means something is in the stem, as a share that is less for a common word.
    first_word: 0.0, 0.75, 0.75, 0.0;
    /// Evidence: files beside it match too.
    coherence: 0.0, 0.5, 0.5, 0.0;
    /// Evidence: how few folders it lies in, beside the one that lies in fewest.
    shallow: 0.0, 2.0, 2.0, 0.0;
    /// Evidence: its size, up to 500 lines.
    size: 0.0, 1.0, 1.0, 0.0;
    /// Evidence: it has functions, up to 50 lines of them: it does something, and does not only say what there is.
    substance: 0.0, 1.0, 1.0, 0.0;
    /// Evidence: how many files use what it defines.
    used: 0.0, 1.0, 1.0, 0.0;
    /// Evidence: how well the files match that use what it defines.
    users: 0.0, 0.5, 0.5, 0.0;
    /// Evidence: the most of the query's weight in three lines that follow each other, for the best chunks, whose text is read.
    proximity: 0.0, 0.0, 3.0, 0.0;
    /// Evidence: the query names its file, by a path.
    mentioned_file: 0.0, 3.0, 3.0, 0.3;
    /// Evidence: the query names it, or its class.
    mentioned: 0.0, 0.0, 0.0, 0.1;
    /// Evidence: what the title of a report begins with is its name, or its file's.
    subject: 0.0, 0.0, 0.0, 0.2;
    /// Evidence: a rare word of a report is its file's stem.
    named_stem: 0.0, 0.0, 0.0, 0.2;
    /// Evidence: it was running, in a stack that the query shows.
    frame: 0.0, 3.0, 3.0, 0.25;
    /// Evidence: its length, in words.
    length: 0.0, 0.0, 0.0, 0.15;
    /// Evidence: files that match import its file.
    imported: 0.0, 0.0, 0.0, 0.2;
    /// Evidence: the graph says that it is what the query asks for, by a relation that the query names.
    relation: 0.0, 30.0, 30.0, 0.0;
    /// How much of the evidence of the chunk alone counts for a test inside a source file, unless the query asks for tests.
    inline_test: 1.0, 0.0, 0.0, 0.5;
    /// Multiplier: a rare name in the query is exactly the chunk's symbol.
    exact_symbol: 1.0, 2.5, 2.5, 1.0;
    /// Multiplier: the query is a type's name and the chunk declares it.
    type_declaration: 1.0, 1.5, 1.5, 1.0;
    /// Multiplier: the query asks for an interface, and the chunk declares the one it names.
    protocol_kind: 1.0, 1.3, 1.3, 1.0;
    /// Multiplier: the query asks what implements a type, and the chunk declares one that does.
    conformance_implementation: 1.0, 3.0, 3.0, 1.0;
    /// Multiplier: the chunk declares a type that conforms to one that the query names.
    conformance: 1.0, 1.5, 1.5, 1.0;
    /// Multiplier: the query asks how, what or where, and the chunk only makes a type printable, comparable and the like.
    standard_protocol: 1.0, 0.5, 0.5, 1.0;
    /// Multiplier: a name of several words was typed, and the chunk has some of its words but not the name.
    partial_name: 1.0, 0.3, 0.3, 1.0;
    /// Multiplier: source over tests, examples and the rest; 1.0 switches all path roles off.
    source_path: 1.0, 1.1, 1.1, 1.1;
    /// Multiplier: for each role but source and documentation, when the query does not ask for it.
    other_role: 1.0, 0.6, 0.6, 0.5;
    /// Multiplier: in place of `other_role` for documentation when the query is a question in words.
    docs_role: 1.0, 1.0, 1.0, 0.5;
    /// Multiplier: the path names an operating system that is not this one, and the query does not.
    other_platform: 1.0, 0.9, 0.9, 0.9;
    /// Multiplier: the query names the language it is written in.
    language: 1.5, 1.5, 1.5, 1.0;
    /// Multiplier of the evidence of the chunk alone: public over private. In a mixture it multiplies the score.
    public: 1.0, 1.1, 1.0, 1.0;
    /// Share of words in common with a better hit from which on a hit is left out; above 1: none is.
    near_duplicate: 2.0, 2.0, 2.0, 2.0;
    /// Greatest product of all multipliers.
    cap: 5.0, 5.0, 5.0, 5.0;
}

impl Weights {
    /// The multipliers for questions without the evidence.
    pub(crate) const FACTORS: Weights = Weights {
        exact_symbol: Weights::QUESTION.exact_symbol,
        type_declaration: Weights::QUESTION.type_declaration,
        protocol_kind: Weights::QUESTION.protocol_kind,
        conformance_implementation: Weights::QUESTION.conformance_implementation,
        conformance: Weights::QUESTION.conformance,
        standard_protocol: Weights::QUESTION.standard_protocol,
        partial_name: Weights::QUESTION.partial_name,
        source_path: Weights::QUESTION.source_path,
        public: Weights::QUESTION.public,
        relation: Weights::QUESTION.relation,
        near_duplicate: 0.85,
        cap: LARGEST_NUMBER,
        ..Weights::PLAIN
    };

    /// The multipliers by name: in a mixture names of evidence mean its retrievers.
    fn factors(&mut self) -> impl Iterator<Item = (&'static str, &mut f32)> {
        self.numbers().into_iter().skip_while(|(name, _)| *name != "exact_symbol")
    }
}

/// Candidates that a reranker reads.
const RERANK_TOP_K: usize = 30;

const EVEN: FieldWeights = FieldWeights { content: 1.0, symbols: 1.0, signature: 1.0, doc: 1.0, path: 1.0 };

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "default",
        about: "files ranked by words, meaning, definitions, names and the graph",
        k1: 1.2,
        b: 0.5,
        fields: FieldWeights { content: 1.0, symbols: 3.0, signature: 1.0, doc: 1.5, path: 2.0 },
        fusion: Fusion::Evidence,
        rerank: false,
        rerank_top_k: RERANK_TOP_K,
        granularity: Granularity::File,
        limit: None,
        weights: Weights::QUESTION,
        description: Some(Weights::DESCRIPTION),
        report: Some(Report {
            k1: 2.0,
            b: 0.5,
            fields: FieldWeights { content: 1.0, symbols: 4.0, signature: 1.5, doc: 1.0, path: 2.0 },
            weights: Weights::REPORT,
        }),
    },
    Preset {
        name: "cds-index",
        about: "names first, then BM25 (k1 1.5): hierarchical search",
        k1: 1.5,
        b: 0.75,
        fields: EVEN,
        fusion: Fusion::Hierarchical { upper_threshold: 5 },
        rerank: false,
        rerank_top_k: RERANK_TOP_K,
        granularity: Granularity::Entity,
        limit: None,
        weights: Weights::PLAIN,
        description: None,
        report: None,
    },
    Preset {
        name: "bm25",
        about: "BM25 alone, no signals",
        k1: 1.2,
        b: 0.75,
        fields: EVEN,
        fusion: Fusion::Evidence,
        rerank: false,
        rerank_top_k: RERANK_TOP_K,
        granularity: Granularity::File,
        limit: None,
        weights: Weights::PLAIN,
        description: None,
        report: None,
    },
    mixed("dense", "meaning alone, no signals", Mixture { k: 60.0, bm25: 0.0, sparse: 0.0, dense: 1.0, alpha: 0.0 }),
    mixed(
        "sparse",
        "weighted terms alone, no signals",
        Mixture { k: 60.0, bm25: 0.0, sparse: 1.0, dense: 0.0, alpha: 0.0 },
    ),
    mixed(
        "hybrid",
        "meaning with a tenth of words, no signals: the best mixture of both that was measured",
        Mixture { k: 60.0, bm25: 0.1, sparse: 0.0, dense: 0.9, alpha: 0.0 },
    ),
    Preset {
        weights: Weights::FACTORS,
        ..mixed(
            "swiftindex",
            "SwiftIndex's mixture of meaning and words, and its boosts",
            Mixture { k: 60.0, bm25: 0.3, sparse: 0.0, dense: 0.7, alpha: 0.7 },
        )
    },
    rice("rice", "Rice: weighted terms and meaning by rank, then a reranker", 0.5),
    rice("rice-sparse", "the same with more weight on terms", 0.7),
    rice("rice-dense", "the same with more weight on meaning", 0.3),
    Preset {
        granularity: Granularity::Document,
        limit: Some(5),
        ..mixed(
            "breeze",
            "Breeze: words and meaning by rank, files with their best chunks",
            Mixture { k: 60.0, bm25: 0.5, sparse: 0.0, dense: 0.5, alpha: 1.0 },
        )
    },
];

const fn mixed(name: &'static str, about: &'static str, mixture: Mixture) -> Preset {
    let fusion = Fusion::Mixed(mixture);
    Preset {
        name,
        about,
        k1: 1.2,
        b: 0.75,
        fields: EVEN,
        fusion,
        rerank: false,
        rerank_top_k: RERANK_TOP_K,
        granularity: Granularity::File,
        limit: None,
        weights: Weights::PLAIN,
        description: None,
        report: None,
    }
}

const fn rice(name: &'static str, about: &'static str, sparse: f32) -> Preset {
    let mixture = Mixture { k: 60.0, bm25: 0.0, sparse, dense: 1.0 - sparse, alpha: 1.0 };
    Preset { rerank: true, limit: Some(20), ..mixed(name, about, mixture) }
}

/// The largest value of a number of a preset: sums and products of scores stay finite.
const LARGEST_NUMBER: f32 = 1e6;

impl Preset {
    /// Whether a retriever takes part.
    pub(crate) fn wants(&self, retriever: Retriever) -> bool {
        match (self.fusion, retriever) {
            (Fusion::Mixed(mixture), _) => mixture.weight(retriever) > 0.0,
            (Fusion::Hierarchical { .. } | Fusion::Evidence, Retriever::Bm25) => true,
            (Fusion::Evidence, Retriever::Dense) => {
                self.weights.dense + self.weights.file_dense + self.weights.centroid > 0.0
            }
            (Fusion::Hierarchical { .. } | Fusion::Evidence, _) => false,
        }
    }

    /// With the numbers that it has for queries like this one.
    pub(crate) fn for_query(self, query: &ParsedQuery) -> Preset {
        match (self.report, self.description) {
            (Some(Report { k1, b, fields, weights }), _) if query.report.is_some() => {
                Preset { k1, b, fields, weights, ..self }
            }
            (_, Some(weights)) if query.is_description() => Preset { weights, ..self },
            _ => self,
        }
    }

    /// Every number of it, by name. In a mixture the retrievers' names stand for their weights there.
    fn numbers(&mut self) -> Vec<(&'static str, Number<'_>)> {
        let Preset { k1, b, fields, fusion, weights, rerank, rerank_top_k, limit, .. } = self;
        let mut reals: Vec<(&'static str, &mut f32)> = vec![
            ("k1", k1),
            ("b", b),
            ("field_content", &mut fields.content),
            ("field_symbols", &mut fields.symbols),
            ("field_signature", &mut fields.signature),
            ("field_doc", &mut fields.doc),
            ("field_path", &mut fields.path),
        ];
        match fusion {
            Fusion::Mixed(Mixture { k, bm25, sparse, dense, alpha }) => {
                reals.extend([("k", k), ("bm25", bm25), ("sparse", sparse), ("dense", dense), ("alpha", alpha)]);
                reals.extend(weights.factors());
            }
            Fusion::Evidence => reals.extend(weights.numbers()),
            Fusion::Hierarchical { .. } => {}
        }
        let mut numbers: Vec<_> = reals.into_iter().map(|(name, real)| (name, Number::Real(real))).collect();
        numbers.push(("rerank", Number::Switch(rerank)));
        numbers.push(("rerank_top_k", Number::Count(rerank_top_k)));
        if let Some(limit) = limit {
            numbers.push(("limit", Number::Count(limit)));
        }
        numbers
    }

    /// Every number with its present value, by name. Switches are 0 or 1.
    pub fn values(&self) -> Vec<(&'static str, f32)> {
        let mut copy = self.clone();
        copy.numbers().into_iter().map(|(name, number)| (name, number.value())).collect()
    }

    /// Replaces one number. `semantic_weight` sets the weights of all retrievers of a mixture at once.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the preset has no such number, or the value is out of bounds.
    pub fn set(&mut self, name: &str, value: f32) -> Result<()> {
        let invalid = |message: String| Err(Error::Invalid { field: "set", message });
        let canonical = canonical_number(name);
        let most = if FRACTIONS.contains(&canonical) { 1.0 } else { LARGEST_NUMBER };
        if !value.is_finite() || value < 0.0 || value > most {
            let bounds = format!("between 0 and {most}");
            return invalid(format!("{name} must be {bounds}, not {value}"));
        }
        if let (Fusion::Mixed(mixture), "semantic_weight") = (&mut self.fusion, canonical) {
            mixture.set_semantic_weight(value);
            return Ok(());
        }
        let preset = self.name;
        let mut numbers = self.numbers();
        if let Some((_, number)) = numbers.iter_mut().find(|(known, _)| *known == canonical) {
            return number.set(value).or_else(|bounds| invalid(format!("{name} must be {bounds}, not {value}")));
        }
        let names: Vec<&str> = numbers.iter().map(|(known, _)| *known).collect();
        invalid(format!("the preset {preset} has no number {name:?}; it has {}", names.join(", ")))
    }

    /// Whether it has a number of that name.
    pub fn has(&self, name: &str) -> bool {
        let canonical = canonical_number(name);
        let is_mixture = matches!(self.fusion, Fusion::Mixed(_));
        is_mixture && canonical == "semantic_weight" || self.values().iter().any(|(known, _)| *known == canonical)
    }

    /// The preset with these numbers replaced, in order.
    ///
    /// # Errors
    ///
    /// As [`Preset::set`].
    pub fn with<'n>(mut self, numbers: impl IntoIterator<Item = (&'n str, f32)>) -> Result<Preset> {
        numbers.into_iter().try_for_each(|(name, value)| self.set(name, value))?;
        Ok(self)
    }

    /// The preset of that name.
    pub fn by_name(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|p| p.name == name)
    }

    /// The preset of that name; a mistake names those there are.
    pub fn find(name: &str) -> Result<&'static Preset> {
        Preset::by_name(name).ok_or_else(|| {
            let names: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
            Error::Invalid { field: "preset", message: format!("no preset {name:?}; there are {}", names.join(", ")) }
        })
    }
}

/// A number of a preset that requests and settings may replace.
enum Number<'a> {
    Real(&'a mut f32),
    Count(&'a mut usize),
    Switch(&'a mut bool),
}

impl Number<'_> {
    fn value(&self) -> f32 {
        match self {
            Number::Real(real) => **real,
            Number::Count(count) => **count as f32,
            Number::Switch(switch) => f32::from(u8::from(**switch)),
        }
    }

    /// Replaces it, or names the values that it can have.
    fn set(&mut self, value: f32) -> std::result::Result<(), &'static str> {
        match self {
            Number::Real(real) => **real = value,
            Number::Count(count) if value.fract() == 0.0 && (1.0..=MAX_COUNT).contains(&value) => {
                **count = value as usize;
            }
            Number::Count(_) => return Err("a whole number from 1 to 1000"),
            Number::Switch(switch) => match value.to_bits() {
                OFF => **switch = false,
                ON => **switch = true,
                _ => return Err("true or false (1 or 0)"),
            },
        }
        Ok(())
    }
}

const MAX_COUNT: f32 = 1_000.0;

/// The numbers that stand for the positions of a switch.
const OFF: u32 = 0.0f32.to_bits();
const ON: u32 = 1.0f32.to_bits();

/// Numbers with an upper bound of 1.
const FRACTIONS: &[&str] = &["alpha", "b", "semantic_weight"];

/// Other names for numbers, from designs that cds is compatible with.
const NUMBER_ALIASES: &[(&str, &str)] = &[
    ("bm25_weight", "bm25"),
    ("dense_weight", "dense"),
    ("enable_reranking", "rerank"),
    ("rrf_k", "k"),
    ("source_boost", "source_path"),
    ("sparse_weight", "sparse"),
];

/// The name of a number in the tables of this module.
pub fn canonical_number(name: &str) -> &str {
    NUMBER_ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::{Fusion, PRESETS, Preset, Weights};

    #[test]
    fn presets_are_found_by_name() {
        for (i, preset) in PRESETS.iter().enumerate() {
            assert_eq!(Preset::by_name(preset.name), Some(&PRESETS[i]), "names are given once");
            assert_eq!(Preset::find(preset.name).unwrap(), preset);
            assert!(!preset.about.is_empty());
        }
        assert_eq!(Preset::by_name("BM25"), None);
        let error = Preset::find("best").unwrap_err().to_string();
        assert_eq!(
            error,
            "preset: no preset \"best\"; there are default, cds-index, bm25, dense, sparse, hybrid, swiftindex, rice, rice-sparse, rice-dense, breeze"
        );
    }

    #[test]
    fn every_number_can_be_set_alone() {
        let set = |preset: &str, name: &str, value: f32| {
            let mut preset = Preset::find(preset).unwrap().clone();
            preset.set(name, value).map(|()| preset).map_err(|e| e.to_string())
        };
        assert!((set("default", "file_dense", 3.0).unwrap().weights.file_dense - 3.0).abs() < f32::EPSILON);
        assert!(matches!(set("hybrid", "dense", 0.9).unwrap().fusion, Fusion::Mixed(m) if m.dense > 0.8));
        assert!((set("cds-index", "k1", 2.0).unwrap().k1 - 2.0).abs() < f32::EPSILON);
        let rice = |name: &str, value: f32| match set("rice", name, value).unwrap().fusion {
            Fusion::Mixed(mixture) => (mixture.k, mixture.bm25, mixture.sparse, mixture.dense),
            _ => unreachable!("rice is a mixture"),
        };
        assert_eq!(rice("rrf_k", 10.0), (10.0, 0.0, 0.5, 0.5));
        assert_eq!(rice("dense_weight", 0.75), (60.0, 0.0, 0.5, 0.75));
        assert_eq!(rice("sparse_weight", 0.25), (60.0, 0.0, 0.25, 0.5));
        assert_eq!(rice("bm25_weight", 0.25), (60.0, 0.25, 0.5, 0.5));
        assert_eq!(rice("semantic_weight", 0.75), (60.0, 0.0, 0.25, 0.75));
        let dense_only = set("dense", "semantic_weight", 0.75).unwrap().fusion;
        assert!(matches!(dense_only, Fusion::Mixed(m) if (m.bm25, m.sparse) == (0.25, 0.0)));
        assert!(!set("rice", "enable_reranking", 0.0).unwrap().rerank);
        assert_eq!(set("rice", "rerank_top_k", 50.0).unwrap().rerank_top_k, 50);
        assert_eq!(set("breeze", "limit", 7.0).unwrap().limit, Some(7));
        assert!((set("swiftindex", "source_boost", 1.0).unwrap().weights.source_path - 1.0).abs() < f32::EPSILON);
        let rejected = |preset: &str, name: &str, value: f32, why: &str| {
            let error = set(preset, name, value).unwrap_err();
            assert!(error.contains(why), "{error}");
        };
        rejected("hybrid", "beta", 1.0, "set: the preset hybrid has no number \"beta\"; it has k1, b,");
        rejected("default", "alpha", 0.5, "the preset default has no number \"alpha\"");
        rejected("default", "semantic_weight", 0.5, "the preset default has no number \"semantic_weight\"");
        rejected("hybrid", "alpha", -1.0, "alpha must be between 0 and 1, not -1");
        rejected("hybrid", "alpha", 1.5, "alpha must be between 0 and 1, not 1.5");
        rejected("hybrid", "alpha", f32::NAN, "not NaN");
        rejected("hybrid", "dense", -1.0, "dense must be between 0 and 1000000, not -1");
        rejected("rice", "rerank_top_k", 0.5, "rerank_top_k must be a whole number from 1 to 1000, not 0.5");
        rejected("rice", "rerank_top_k", 1001.0, "a whole number from 1 to 1000");
        rejected("rice", "enable_reranking", 2.0, "true or false");
    }

    #[test]
    fn a_preset_lists_every_number_with_its_value() {
        for preset in PRESETS {
            let same = preset.clone().with(preset.values()).unwrap();
            assert_eq!(&same, preset, "setting each number to its value changes nothing");
            assert!(preset.values().iter().all(|(name, _)| preset.has(name)));
        }
        assert!(Preset::find("rice").unwrap().has("rrf_k") && !Preset::find("default").unwrap().has("rrf_k"));
    }

    #[test]
    fn the_manual_has_every_signal() {
        let manual = include_str!("../../../docs/search.md");
        let mut weights = Weights::QUESTION;
        for (name, _) in weights.numbers() {
            assert!(manual.contains(&format!("`{name}`")), "docs/search.md says nothing of {name}");
        }
    }

    #[test]
    fn the_numbers_make_sense() {
        for Preset { name, k1, b, fields, weights, .. } in PRESETS {
            assert!(*k1 > 0.0 && (0.0..=1.0).contains(b), "{name}");
            assert!(fields.content > 0.0, "{name}: phrases and prefixes are asked of the content");
            let factors = [
                weights.exact_symbol,
                weights.type_declaration,
                weights.protocol_kind,
                weights.conformance,
                weights.source_path,
                weights.public,
            ];
            assert!(factors.iter().all(|f| *f >= 1.0 && *f <= weights.cap), "{name}: a factor above its cap");
            assert!(weights.other_role > 0.0 && weights.other_role <= 1.0, "{name}: other roles rank down");
            assert!(weights.bm25 > 0.0, "{name}");
        }
        assert_eq!(Preset::find("cds-index").unwrap().fusion, Fusion::Hierarchical { upper_threshold: 5 });
    }
}
