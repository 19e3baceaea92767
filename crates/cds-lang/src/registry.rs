//! All languages: which one a file is in, and its compiled queries.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use rustc_hash::FxHashMap;
use tree_sitter::Query;

use crate::capture::Capture;
use crate::grammars::{ROWS, SHARED};
use crate::names::NameRules;
use crate::spec::Spec;

/// Maximum size of a file of language data in bytes: four times the largest built-in one. Compiling a query takes time in
/// proportion to its size and cannot be interrupted.
pub const MAX_LANGUAGE_FILE: usize = 64 << 10;

/// Maximum number of language folders over the built-in ones.
pub const MAX_LANGUAGES: usize = 256;

/// A language: a folder of data and, mostly, a grammar.
pub struct Language {
    /// The folder's name.
    pub name: String,
    /// What `language.toml` says.
    pub spec: Spec,
    grammar: Option<tree_sitter::Language>,
    toml_text: String,
    query_text: String,
    query: OnceLock<Compiled>,
    /// Whether its data is not, or not only, the built-in one.
    is_overridden: bool,
}

/// A query with the meaning of its captures.
pub(crate) struct Compiled {
    pub(crate) query: Query,
    pub(crate) captures: Vec<Capture>,
    /// By pattern: whether its definitions count only outside functions, which `(#set! where outer)` says. Cheaper than a
    /// pattern that begins at the file's root: that one is carried along through every node of the file.
    pub(crate) outer: Vec<bool>,
    pub(crate) fields: Fields,
    pub(crate) names: NameRules,
}

/// Ids of the fields that [`crate::spec::Parts`] names: looked up once, used at every definition.
pub(crate) struct Fields {
    pub(crate) body: Vec<u16>,
    pub(crate) body_kinds: Vec<u16>,
    pub(crate) parameters: Vec<u16>,
    pub(crate) parameter_kinds: Vec<u16>,
    pub(crate) not_parameters: Vec<u16>,
    pub(crate) parameter_name: Vec<u16>,
    pub(crate) parameter_type: Vec<u16>,
    pub(crate) return_type: Vec<u16>,
}

/// The files of one language folder, from wherever they were read.
#[derive(Clone, Debug, Default)]
pub struct LanguageFiles {
    /// `language.toml`
    pub toml: Option<String>,
    /// `tags.scm`
    pub tags: Option<String>,
    /// `imports.scm`
    pub imports: Option<String>,
}

impl LanguageFiles {
    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.toml.is_none() && self.tags.is_none() && self.imports.is_none()
    }

    /// Its queries, or these where it has none.
    fn queries(&self, tags: &str, imports: &str) -> String {
        join(self.tags.as_deref().unwrap_or(tags), self.imports.as_deref().unwrap_or(imports))
    }
}

fn join(tags: &str, imports: &str) -> String {
    format!("{tags}\n{imports}\n")
}

/// A language folder that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("language {language}: {file}: {message}")]
pub struct LanguageError {
    /// The folder's name.
    pub language: String,
    /// The file at fault.
    pub file: &'static str,
    /// Why, with the place.
    pub message: String,
}

impl Language {
    /// The name users see: dialects share one.
    pub fn shown(&self) -> &str {
        self.spec.shown_as.as_deref().unwrap_or(&self.name)
    }

    pub(crate) fn grammar(&self) -> Option<&tree_sitter::Language> {
        self.grammar.as_ref()
    }

    pub(crate) fn query_text(&self) -> &str {
        &self.query_text
    }

    /// Whether texts in it are parsed.
    pub fn has_grammar(&self) -> bool {
        self.grammar.is_some()
    }

    /// Words of the grammar that are letters only: its keywords.
    pub fn keywords(&self) -> Vec<&str> {
        let Some(grammar) = &self.grammar else { return Vec::new() };
        let mut words: Vec<&str> = (0..grammar.node_kind_count() as u16)
            .filter(|&id| !grammar.node_kind_is_named(id))
            .filter_map(|id| grammar.node_kind_for_id(id))
            .filter(|word| word.len() > 1 && word.bytes().all(|b| b.is_ascii_lowercase()))
            .collect();
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Does now what the first file of the language would wait for.
    pub fn make_ready(&self) {
        let _ = self.compiled();
    }

    /// The compiled query. Compiling costs milliseconds (Swift: hundreds), so it waits for first use.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        self.grammar.as_ref()?;
        // Overriding folders are compiled before they are used and built-in ones by a test.
        Some(self.query.get_or_init(|| self.compile().expect("language data is checked before use")))
    }

    fn compile(&self) -> Result<Compiled, LanguageError> {
        let error = |file, message| LanguageError { language: self.name.clone(), file, message };
        crate::allocation::install();
        let grammar = self.grammar.as_ref().expect("only languages with a grammar have queries");
        let query = Query::new(grammar, &self.query_text).map_err(|e| {
            let line = self.query_text.lines().nth(e.row).unwrap_or_default();
            error("tags.scm + imports.scm", format!("{} (in `{}`)", e.message, line.trim()))
        })?;
        let captures = query
            .capture_names()
            .iter()
            .map(|name| Capture::parse(name).ok_or_else(|| error("tags.scm", format!("unknown capture @{name}"))))
            .collect::<Result<Vec<_>, _>>()?;
        let mut outer = vec![false; query.pattern_count()];
        for (pattern, outer) in outer.iter_mut().enumerate() {
            for setting in query.property_settings(pattern) {
                let (key, value) = (setting.key.as_ref(), setting.value.as_deref().unwrap_or_default());
                if (key, value) != ("where", "outer") {
                    return Err(error("tags.scm", format!("unknown setting `{key} {value}`")));
                }
                *outer = true;
            }
        }
        let fields = |names: &[String]| -> Vec<u16> {
            names.iter().filter_map(|n| grammar.field_id_for_name(n)).map(std::num::NonZero::get).collect()
        };
        let kinds = |names: &[String]| -> Result<Vec<u16>, LanguageError> {
            names
                .iter()
                .map(|name| match grammar.id_for_node_kind(name, true) {
                    0 => Err(error("language.toml", format!("no node kind {name:?}"))),
                    id => Ok(id),
                })
                .collect()
        };
        let parts = &self.spec.parts;
        let fields = Fields {
            body: fields(&parts.body),
            body_kinds: kinds(&parts.body_kinds)?,
            parameters: fields(&parts.parameters),
            parameter_kinds: kinds(&parts.parameter_kinds)?,
            not_parameters: kinds(&parts.not_parameters)?,
            parameter_name: fields(&parts.parameter_name),
            parameter_type: fields(&parts.parameter_type),
            return_type: fields(&parts.return_type),
        };
        for kind in self.spec.members.iter().flat_map(|(from, to)| [from, to]).chain(&self.spec.member_parents) {
            if cds_model::Kind::from_name(kind).is_none() {
                return Err(error("language.toml", format!("no kind {kind:?}")));
            }
        }
        let names = NameRules::new(grammar, &self.spec)
            .map_err(|entry| error("language.toml", format!("[names]: no node kind or field {:?}", entry.0)))?;
        Ok(Compiled { query, captures, outer, fields, names })
    }
}

/// Refuses language data that would take too long to compile.
fn check_size(folders: &BTreeMap<String, LanguageFiles>) -> Result<(), LanguageError> {
    let refused = |language: &str, file, message| LanguageError { language: language.to_owned(), file, message };
    for (name, files) in folders {
        for (file, text) in [("language.toml", &files.toml), ("tags.scm", &files.tags), ("imports.scm", &files.imports)]
        {
            let bytes = text.as_ref().map_or(0, String::len);
            if bytes > MAX_LANGUAGE_FILE {
                let message =
                    format!("it has {bytes} bytes, the limit is {MAX_LANGUAGE_FILE}: use fewer or shorter patterns");
                return Err(refused(name, file, message));
            }
        }
    }
    match folders.keys().next() {
        Some(first) if folders.len() > MAX_LANGUAGES => {
            let message = format!("{} folders of languages, the limit is {MAX_LANGUAGES}: remove some", folders.len());
            Err(refused(first, "language.toml", message))
        }
        _ => Ok(()),
    }
}

/// Every language cds knows, and how to tell which one a file is in.
pub struct Registry {
    languages: Vec<Language>,
    by_name: FxHashMap<String, usize>,
    by_extension: FxHashMap<String, usize>,
    by_filename: FxHashMap<String, usize>,
    by_interpreter: FxHashMap<String, usize>,
    text: usize,
}

static BUILTIN: LazyLock<Registry> =
    LazyLock::new(|| Registry::with(&BTreeMap::new()).expect("built-in language data is tested"));

impl Registry {
    /// The languages inside the binary.
    pub fn builtin() -> &'static Registry {
        &BUILTIN
    }

    /// The same with files replaced: `overrides` is asked for each language's folder and may answer with
    /// some of its files. Replaced queries are compiled at once, so that a mistake shows here.
    pub fn new(overrides: impl Fn(&str) -> LanguageFiles) -> Result<Registry, LanguageError> {
        let all = SHARED.iter().map(|row| row.0).chain(ROWS.iter().map(|row| row.name));
        let registry = Registry::with(&all.map(|name| (name.to_owned(), overrides(name))).collect())?;
        registry.check_overrides()?;
        Ok(registry)
    }

    /// The built-in languages and `folders` over them, by name: files of a folder that is known replace its own, another
    /// folder is another language. Queries wait for [`Registry::check_overrides`] or for first use.
    pub fn with(folders: &BTreeMap<String, LanguageFiles>) -> Result<Registry, LanguageError> {
        check_size(folders)?;
        let shared = SHARED.iter().map(|(name, tags, imports)| (*name, *tags, *imports));
        let builtin = shared.chain(ROWS.iter().map(|row| (row.name, row.tags, row.imports)));
        let mut queries: BTreeMap<&str, String> =
            folders.iter().map(|(name, files)| (name.as_str(), files.queries("", ""))).collect();
        for (name, tags, imports) in builtin {
            let own = folders.get(name).map_or_else(|| join(tags, imports), |files| files.queries(tags, imports));
            queries.insert(name, own);
        }
        let is_builtin = |name: &str| ROWS.iter().any(|r| r.name == name) || SHARED.iter().any(|r| r.0 == name);
        let added = folders.keys().map(String::as_str).filter(|name| !is_builtin(name));
        let mut languages = Vec::with_capacity(ROWS.len());
        for name in ROWS.iter().map(|row| row.name).chain(added) {
            let error = |message| LanguageError { language: name.to_owned(), file: "language.toml", message };
            let row = ROWS.iter().find(|row| row.name == name);
            let files = folders.get(name);
            let toml_text = files.and_then(|f| f.toml.as_deref()).or(row.map(|r| r.toml));
            let toml_text = toml_text.ok_or_else(|| error("missing: a language of your own needs one".to_owned()))?;
            let spec: Spec = toml::from_str(toml_text).map_err(|e| error(e.to_string().trim().to_owned()))?;
            let grammar = match &spec.grammar {
                None => row.and_then(|r| r.grammar),
                Some(other) => {
                    let lent = ROWS.iter().find(|r| r.name == other).and_then(|r| r.grammar);
                    Some(lent.ok_or_else(|| error(format!("no built-in language {other:?} has a grammar to lend")))?)
                }
            };
            let mut query_text = String::new();
            for part in spec.inherits.iter().map(String::as_str).chain([name]) {
                let neither = || format!("inherits from {part:?}, which is neither a shared folder nor a language");
                query_text.push_str(queries.get(part).ok_or_else(|| error(neither()))?);
            }
            let is_replaced = |part: &str| folders.get(part).is_some_and(|f| !f.is_empty());
            languages.push(Language {
                name: name.to_owned(),
                is_overridden: is_replaced(name) || spec.inherits.iter().any(|part| is_replaced(part)),
                spec,
                grammar: grammar.map(Into::into),
                toml_text: toml_text.to_owned(),
                query_text,
                query: OnceLock::new(),
            });
        }
        Ok(Registry::index(languages))
    }

    /// Compiles what overrides touch and reports the first mistake.
    pub fn check_overrides(&self) -> Result<(), LanguageError> {
        for language in self.languages.iter().filter(|l| l.is_overridden && l.grammar.is_some()) {
            let compiled = language.compile()?;
            let _ = language.query.set(compiled);
        }
        Ok(())
    }

    fn index(languages: Vec<Language>) -> Registry {
        let mut registry = Registry {
            by_name: FxHashMap::default(),
            by_extension: FxHashMap::default(),
            by_filename: FxHashMap::default(),
            by_interpreter: FxHashMap::default(),
            text: 0,
            languages,
        };
        // Added ones come last, and win.
        for (i, language) in registry.languages.iter().enumerate() {
            let spec = &language.spec;
            registry.by_name.insert(language.name.clone(), i);
            registry.by_name.extend(spec.aliases.iter().map(|a| (a.clone(), i)));
            registry.by_extension.extend(spec.extensions.iter().map(|e| (e.clone(), i)));
            registry.by_filename.extend(spec.filenames.iter().map(|f| (f.clone(), i)));
            registry.by_interpreter.extend(spec.interpreters.iter().map(|p| (p.clone(), i)));
        }
        registry.text = registry.by_name["text"];
        registry
    }

    /// Compiles every query and reports the first mistake. Tests call it; users' folders pass through [`Registry::new`].
    pub fn check(&self) -> Result<(), LanguageError> {
        for language in self.languages.iter().filter(|l| l.grammar.is_some()) {
            language.compile()?;
        }
        Ok(())
    }

    /// Every text that decides what is extracted, for fingerprints.
    pub fn data(&self) -> impl Iterator<Item = &str> {
        self.languages.iter().flat_map(|l| [l.toml_text.as_str(), l.query_text.as_str()])
    }

    /// All languages: the built-in ones sorted by name, then added ones.
    pub fn languages(&self) -> &[Language] {
        &self.languages
    }

    /// The language of that name or alias, in any case.
    pub fn by_name(&self, name: &str) -> Option<&Language> {
        let at = self.by_name.get(name).or_else(|| self.by_name.get(&name.to_ascii_lowercase()))?;
        Some(&self.languages[*at])
    }

    /// The names users may write in a filter: shown names, sorted.
    pub fn shown_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.languages.iter().map(Language::shown).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The language of a file, by its name, then by its first line. Every text file has one.
    pub fn detect(&self, path: &str, text: &str) -> &Language {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        if let Some(&i) = self.by_filename.get(name) {
            return &self.languages[i];
        }
        if let Some((stem, extension)) = name.rsplit_once('.')
            && !stem.is_empty()
        {
            let found = self.by_extension.get(extension).or_else(|| {
                extension
                    .bytes()
                    .any(|b| b.is_ascii_uppercase())
                    .then(|| extension.to_ascii_lowercase())
                    .and_then(|lower| self.by_extension.get(&lower))
            });
            if let Some(&i) = found {
                return self.claimant(extension, text).unwrap_or(&self.languages[i]);
            }
        }
        self.by_first_line(text).unwrap_or(&self.languages[self.text])
    }

    /// A language that claims files of this extension by what is in them.
    fn claimant(&self, extension: &str, text: &str) -> Option<&Language> {
        self.languages.iter().find(|language| {
            let claims = language.spec.claims.as_ref().filter(|c| c.extensions.iter().any(|e| e == extension));
            claims.is_some_and(|c| {
                let mut lines = text.lines().map(str::trim_start);
                lines.any(|line| c.lines.iter().any(|begin| line.starts_with(begin.as_str())))
            })
        })
    }

    fn by_first_line(&self, text: &str) -> Option<&Language> {
        let line = text.strip_prefix("#!")?.lines().next()?;
        let mut words = line.split_ascii_whitespace();
        let mut program = words.next()?.rsplit('/').next()?;
        if program == "env" {
            program = words.find(|w| !w.starts_with('-') && !w.contains('='))?;
        }
        let exact = self.by_interpreter.get(program);
        let unversioned =
            || self.by_interpreter.get(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
        exact.or_else(unversioned).map(|&i| &self.languages[i])
    }
}
