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
    /// The files that the import here names: `a.py` in `from a import b`, wherever `b` comes from.
    pub from: BTreeSet<String>,
    /// The first line of that import.
    pub statement: Option<u32>,
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

    /// Where `name` is imported, given the place of its name or the line of the statement with the column of its name.
    pub(crate) fn import_place<'a>(&'a self, place: &'a Place, name: &str) -> &'a Place {
        let is_it = |(at, site): &(&Place, &Site)| {
            at.path == place.path
                && at.column == place.column
                && site.statement == Some(place.line)
                && site.name.split(|c| !source::is_word(c)).next() == Some(name)
        };
        if self.sites.contains_key(place) {
            return place;
        }
        self.sites.range(place..).take_while(|(at, _)| at.path == place.path).find(is_it).map_or(place, |(at, _)| at)
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
            // Only the first of several definitions has the role in Python's index.
            let again = language == Language::Python && matches!(source::word_before(&text[..start]), "def" | "class");
            Some(Name { symbol: &o.symbol, definition: o.definition || again, line: o.line + 1, start, end })
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

    /// A class or function that is named as one of another package is indexed as that: it is known in its file only.
    fn definition_key(&self, symbol: &str) -> String {
        let foreign = self.language == Language::Python && !self.is_of_project(symbol);
        if foreign { format!("{}:{symbol}", self.document.path) } else { self.key(symbol) }
    }

    /// Has the symbol the package and version of the file's own?
    fn is_of_project(&self, symbol: &str) -> bool {
        let package = |symbol: &str| symbol.match_indices(' ').nth(3).map(|(end, _)| symbol[..end].to_owned());
        self.names
            .iter()
            .find(|name| module(name.symbol).is_some())
            .is_some_and(|own| package(own.symbol) == package(symbol))
    }

    fn sites(&self, symbols: &Symbols, sites: &mut BTreeMap<Place, Site>) {
        let bases: HashSet<usize> = self
            .names
            .iter()
            .filter(|n| n.definition && matches!(source::word_before(&self.text[..n.start]), "class" | "interface"))
            .flat_map(|n| source::bases(&self.text[n.end..], self.language).into_iter().map(|offset| n.end + offset))
            .collect();
        let imports = source::import_lines(&self.text, self.language);
        let mut from: HashMap<u32, BTreeSet<String>> = HashMap::new();
        let mut imported = Vec::new();
        for place in self.places().filter(|place| !place[0].definition) {
            let Name { line, start, end, .. } = place[0];
            let mut site = Site { name: self.text[start..end].to_owned(), ..Site::default() };
            let mut callable = false;
            let mut class = false;
            let mut global = false;
            for name in place {
                let meaning = symbols.meaning(name, self);
                global |= !name.symbol.starts_with("local ") && !meaning.targets.is_empty();
                callable |= meaning.callable;
                class |= name.symbol.ends_with('#') && !meaning.targets.is_empty();
                site.vague |= meaning.vague;
                site.whole_file |= meaning.whole_file;
                site.targets.extend(meaning.targets);
            }
            let before = source::word_before(&self.text[..start]);
            site.call = callable
                && source::is_called(&self.text[..start], &self.text[end..], self.language)
                && !matches!(before, "function" | "def" | "class");
            site.base = class && bases.contains(&start);
            site.statement = imports.get(line as usize - 1).copied().flatten().map(|first| first as u32 + 1);
            site.import = global
                && site.statement.is_some()
                && before != "from"
                && !self.text[start..].starts_with(['"', '\'', '`'])
                && !self.text[..start].ends_with("require(");
            let column = (start - self.line_starts[line as usize - 1]) as u32;
            let at = Place { path: self.document.path.clone(), line, column };
            if let Some(statement) = site.statement {
                if site.whole_file {
                    from.entry(statement).or_default().extend(site.targets.iter().map(|(path, _)| path.clone()));
                }
                imported.push(at.clone());
            }
            sites.insert(at, site);
        }
        for place in &imported {
            let Some(site) = sites.get_mut(place) else { continue };
            site.from = site.statement.and_then(|statement| from.get(&statement).cloned()).unwrap_or_default();
        }
    }
}

/// Where symbols are defined.
#[derive(Default)]
struct Symbols {
    definitions: HashMap<String, Vec<Definition>>,
    /// `{ a }` defines a field and reads a variable at one place: who calls the field calls what the variable holds.
    same: HashMap<String, Vec<String>>,
    /// `f = a.b`: who calls `f` calls `b`, so that an edge to either is right.
    held: HashMap<String, Vec<String>>,
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
        let mut symbols = Self::default();
        for file in files {
            let ends: HashMap<usize, &Name> = file.names.iter().map(|name| (name.end, name)).collect();
            for place in file.places() {
                let others = || place.iter().filter(|other| !other.definition).map(|other| file.key(other.symbol));
                for name in place {
                    let key = if name.definition { file.definition_key(name.symbol) } else { file.key(name.symbol) };
                    let rest = &file.text[name.end..];
                    if let Some(value) =
                        source::assigned_name(rest, name.definition).and_then(|i| ends.get(&(name.end + i)))
                    {
                        symbols.held.entry(key.clone()).or_default().push(file.key(value.symbol));
                    }
                    let function = match name.definition {
                        true => source::is_function_value(rest, name.symbol.ends_with(':')),
                        false if source::is_assigned_function(rest) => true,
                        false => continue,
                    };
                    if let Some(module) = module(name.symbol) {
                        symbols.modules.insert(module.to_owned(), key.clone());
                    }
                    if language == Language::Script && name.definition {
                        symbols.same.entry(key.clone()).or_default().extend(others());
                    }
                    let definition = Definition { path: file.document.path.clone(), line: name.line, function };
                    symbols.definitions.entry(key).or_default().push(definition);
                }
            }
        }
        symbols
    }

    fn meaning(&self, name: &Name, file: &File) -> Meaning {
        let mut meaning = Meaning::default();
        for key in [file.key(name.symbol), file.definition_key(name.symbol)] {
            self.collect(&key, 0, &mut meaning);
        }
        if !meaning.targets.is_empty() {
            return meaning;
        }
        if file.language == Language::Script {
            // Functions assigned to fields, `app.use = function…`, are locals of a file that the index does not name.
            meaning.vague = name.symbol.starts_with("local ");
        } else if file.is_of_project(name.symbol) {
            if let Some(short) = module(name.symbol) {
                // Relative imports name a module from where they stand, so only the end of its name is known.
                let end = format!(".{short}");
                let mut full = self.modules.iter().filter(|(name, _)| name.ends_with(&end)).map(|(_, key)| key);
                match (full.next(), full.next()) {
                    (Some(key), None) => self.collect(key, 0, &mut meaning),
                    (only, _) => meaning.vague = only.is_some(),
                }
            } else {
                // The indexer forgets some definitions, such as classes named as a builtin.
                meaning.vague = module_of(name.symbol).is_some_and(|module| self.modules.contains_key(module));
            }
        } else {
            // It also takes `self.set` for the builtin `set`.
            let member = file.text[..name.start].ends_with('.');
            meaning.vague = member && name.symbol.ends_with(&format!("builtins/{}#", &file.text[name.start..name.end]));
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
        if depth > 3 {
            return;
        }
        for other in self.held.get(key).into_iter().flatten() {
            let mut held = Meaning::default();
            self.collect(other, depth + 1, &mut held);
            meaning.targets.extend(held.targets);
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
