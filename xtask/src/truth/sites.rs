//! [`Truth`]: for every place at which the compiler knows a name, the lines at which that name is defined.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result};

use super::packages::Language;
use super::source;
use crate::scip::Document;

/// A name in a file: its line from one, its column in bytes from zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub path: String,
    pub line: u32,
    pub column: u32,
}

/// What the compiler says about the name at a place.
#[derive(Debug, Default)]
pub(crate) struct Site {
    pub name: String,
    /// Path and line of every definition in the project; none for what is defined elsewhere.
    pub targets: BTreeSet<(String, u32)>,
    /// Some target is a whole file.
    pub whole_file: bool,
    /// The compiler knows more than its index says, so that an edge to anything but a target is not judged.
    pub vague: bool,
    /// A function, method or class of the project is called here.
    pub call: bool,
    /// A class of the project is the base of another here.
    pub base: bool,
    /// Something of the project is imported here by its name.
    pub import: bool,
}

pub(crate) struct Truth {
    pub sites: BTreeMap<Place, Site>,
    pub lines: HashMap<String, Vec<String>>,
}

impl Truth {
    /// Reads the sources below `tree` that `documents` are about.
    pub(crate) fn new(documents: &[Document], tree: &Path, language: Language) -> Result<Self> {
        let mut files = Vec::new();
        for document in documents {
            let text = std::fs::read_to_string(tree.join(&document.path)).with_context(|| document.path.clone())?;
            files.push(File::new(document, text, language));
        }
        let symbols = Symbols::new(&files, language);
        let mut sites = BTreeMap::new();
        for file in &files {
            file.sites(&symbols, &mut sites);
        }
        let lines = |file: &File| file.text.lines().map(str::to_owned).collect();
        Ok(Self { sites, lines: files.iter().map(|file| (file.document.path.clone(), lines(file))).collect() })
    }

    /// The line of source at a place.
    pub(crate) fn line(&self, place: &Place) -> &str {
        self.lines.get(&place.path).and_then(|lines| lines.get(place.line as usize - 1)).map_or("", String::as_str)
    }
}

/// A document with its text and the offsets of its occurrences.
struct File<'a> {
    document: &'a Document,
    language: Language,
    text: String,
    line_starts: Vec<usize>,
    names: Vec<Name<'a>>,
}

#[derive(Clone, Copy)]
struct Name<'a> {
    symbol: &'a str,
    definition: bool,
    line: u32,
    start: usize,
    end: usize,
}

impl<'a> File<'a> {
    fn new(document: &'a Document, text: String, language: Language) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(text.match_indices('\n').map(|(i, _)| i + 1));
        let offset = |line: u32, column: u32| {
            let start = *line_starts.get(line as usize)?;
            let end = line_starts.get(line as usize + 1).map_or(text.len(), |next| next - 1);
            Some(start + document.encoding.bytes(&text[start..end], column))
        };
        let names = document.occurrences.iter().filter_map(|o| {
            let (start, end) = (offset(o.line, o.start)?, offset(o.end_line, o.end)?);
            Some(Name { symbol: &o.symbol, definition: o.definition, line: o.line + 1, start, end })
        });
        let mut names: Vec<Name> = names.collect();
        names.sort_by_key(|name| (name.start, !name.definition, name.symbol));
        Self { document, language, text, line_starts, names }
    }

    /// The names of the file, those at one place together.
    fn places(&self) -> impl Iterator<Item = &[Name<'a>]> {
        self.names.chunk_by(|a, b| a.start == b.start)
    }

    /// Locals are numbered for each file.
    fn key(&self, symbol: &str) -> String {
        if symbol.starts_with("local ") { format!("{}:{symbol}", self.document.path) } else { symbol.to_owned() }
    }

    fn sites(&self, symbols: &Symbols, sites: &mut BTreeMap<Place, Site>) {
        let bases: HashSet<usize> = self
            .names
            .iter()
            .filter(|n| n.definition && matches!(source::word_before(&self.text[..n.start]), "class" | "interface"))
            .flat_map(|n| source::bases(&self.text[n.end..], self.language).into_iter().map(|offset| n.end + offset))
            .collect();
        let imports = source::import_lines(&self.text, self.language);
        for place in self.places().filter(|place| !place[0].definition) {
            let Name { line, start, end, .. } = place[0];
            let mut site = Site { name: self.text[start..end].to_owned(), ..Site::default() };
            let mut callable = false;
            let mut class = false;
            for name in place {
                let meaning = symbols.meaning(&self.key(name.symbol), self);
                callable |= meaning.callable;
                class |= name.symbol.ends_with('#') && !meaning.targets.is_empty();
                site.vague |= meaning.vague;
                site.whole_file |= meaning.whole_file;
                site.targets.extend(meaning.targets);
            }
            let before = source::word_before(&self.text[..start]);
            site.call = callable
                && source::is_called(&self.text[end..], self.language)
                && !matches!(before, "function" | "def" | "class");
            site.base = class && bases.contains(&start);
            site.import = !site.targets.is_empty()
                && imports.get(line as usize - 1) == Some(&true)
                && before != "from"
                && !self.text[start..].starts_with(['"', '\'', '`'])
                && !self.text[..start].ends_with("require(");
            let column = (start - self.line_starts[line as usize - 1]) as u32;
            sites.insert(Place { path: self.document.path.clone(), line, column }, site);
        }
    }
}

/// Where symbols are defined.
struct Symbols {
    definitions: HashMap<String, Vec<Definition>>,
    /// `{ a }` defines a field and reads a variable at one place: who calls the field calls what the variable holds.
    same: HashMap<String, Vec<String>>,
    /// Python's modules by their full names.
    modules: HashMap<String, String>,
}

struct Definition {
    path: String,
    line: u32,
    function: bool,
}

#[derive(Default)]
struct Meaning {
    targets: BTreeSet<(String, u32)>,
    callable: bool,
    whole_file: bool,
    vague: bool,
}

impl Symbols {
    fn new(files: &[File], language: Language) -> Self {
        let mut symbols = Self { definitions: HashMap::new(), same: HashMap::new(), modules: HashMap::new() };
        for file in files {
            for place in file.places() {
                for name in place.iter().filter(|name| name.definition) {
                    let key = file.key(name.symbol);
                    if let Some(module) = module(name.symbol) {
                        symbols.modules.insert(module.to_owned(), key.clone());
                    }
                    if language == Language::Script {
                        let others = place.iter().filter(|other| !other.definition).map(|other| file.key(other.symbol));
                        symbols.same.entry(key.clone()).or_default().extend(others);
                    }
                    let function = source::is_function_value(&file.text[name.end..], name.symbol.ends_with(':'));
                    let definition = Definition { path: file.document.path.clone(), line: name.line, function };
                    symbols.definitions.entry(key).or_default().push(definition);
                }
            }
        }
        symbols
    }

    fn meaning(&self, key: &str, file: &File) -> Meaning {
        let mut meaning = Meaning::default();
        self.collect(key, 0, &mut meaning);
        if !meaning.targets.is_empty() {
            return meaning;
        }
        match file.language {
            // Relative imports name a module from where they stand, so only the end of its name is known.
            Language::Python => {
                if let Some(short) = module(key) {
                    let end = format!(".{short}");
                    let mut full = self.modules.iter().filter(|(name, _)| name.ends_with(&end)).map(|(_, key)| key);
                    match (full.next(), full.next()) {
                        (Some(key), None) => self.collect(key, 0, &mut meaning),
                        (only, _) => meaning.vague = only.is_some(),
                    }
                } else {
                    // The indexer forgets some definitions, such as classes named as a builtin.
                    meaning.vague = module_of(key).is_some_and(|module| self.modules.contains_key(module));
                }
            }
            // Functions assigned to fields, `app.use = function…`, are locals of a file that the index does not name.
            Language::Script => meaning.vague = key.contains(":local "),
        }
        meaning
    }

    fn collect(&self, key: &str, depth: u32, meaning: &mut Meaning) {
        let local = key.contains(":local ");
        for definition in self.definitions.get(key).into_iter().flatten() {
            meaning.targets.insert((definition.path.clone(), definition.line));
            meaning.whole_file |= key.ends_with('/') || module(key).is_some();
            meaning.callable |= match key.as_bytes().last() {
                _ if local || key.contains("`<get>") || key.contains("`<set>") => false,
                Some(b'#') => true,
                Some(b'.') if key.ends_with("().") => true,
                Some(b'.' | b':') => definition.function,
                _ => false,
            };
        }
        if depth > 2 {
            return;
        }
        for other in self.same.get(key).into_iter().flatten() {
            self.collect(other, depth + 1, meaning);
        }
        let add = |key: &str, meaning: &mut Meaning| {
            for definition in self.definitions.get(key).into_iter().flatten() {
                meaning.targets.insert((definition.path.clone(), definition.line));
            }
        };
        // A class is called by its name, its constructor or, in its own class methods, as `cls`.
        if key.ends_with('#') {
            for constructor in CONSTRUCTORS {
                add(&format!("{key}{constructor}"), meaning);
            }
        }
        if let Some(class) = CONSTRUCTORS.iter().find_map(|constructor| key.strip_suffix(constructor)) {
            add(class, meaning);
        }
        if let Some((class, _)) = key.strip_suffix("().(cls)").and_then(|method| method.rsplit_once('#')) {
            add(&format!("{class}#"), meaning);
        }
    }
}

/// What a constructor's symbol has behind that of its class.
const CONSTRUCTORS: &[&str] = &["__init__().", "`<constructor>`()."];

/// The name of the Python module that a symbol is.
fn module(symbol: &str) -> Option<&str> {
    symbol.strip_suffix("/__init__:").and_then(|_| module_of(symbol))
}

/// The name of the Python module that a symbol belongs to.
fn module_of(symbol: &str) -> Option<&str> {
    let descriptors = symbol.strip_prefix("scip-python ")?.splitn(4, ' ').nth(3)?;
    Some(match descriptors.strip_prefix('`') {
        Some(quoted) => quoted.split_once('`')?.0,
        None => descriptors.split_once('/')?.0,
    })
}
