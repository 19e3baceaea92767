//! Relations that a question names, and what it names them of: "what calls login()", "path from main to Store.get".

use super::{is_code, words};

/// What is asked about one thing, or about two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// What it calls.
    Callees,
    /// Who calls it.
    Callers,
    /// What it needs.
    Dependencies,
    /// Who needs it.
    Dependents,
    /// What a change of it would touch.
    Impact,
    /// Which types extend, implement or conform to it.
    Implementations,
    /// How its parts depend on each other.
    Modules,
    /// How one thing leads to another.
    Path,
    /// What goes together with it.
    Related,
    /// Which tests reach it.
    Tests,
}

/// What people write before a name, what they write after it, and what they mean. Of two that begin at the same place the first is
/// taken: longer ones come first where one begins another. Where nothing stands behind it, a phrase goes on to the end. A path
/// has its second name after the words in the middle.
#[rustfmt::skip]
const PHRASES: &[(&str, &str, Relation)] = &[
    ("implementations of ",       "",               Relation::Implementations),
    ("implementers of ",          "",               Relation::Implementations),
    ("implementors of ",          "",               Relation::Implementations),
    ("what implements ",          "",               Relation::Implementations),
    ("that implement ",           "",               Relation::Implementations),
    ("types implement ",          "",               Relation::Implementations),
    ("classes implement ",        "",               Relation::Implementations),
    ("structs implement ",        "",               Relation::Implementations),
    ("who implements ",           "",               Relation::Implementations),
    ("which implement ",          "",               Relation::Implementations),
    ("that conform to ",          "",               Relation::Implementations),
    ("types conform to ",         "",               Relation::Implementations),
    ("that extend ",              "",               Relation::Implementations),
    ("classes extend ",           "",               Relation::Implementations),
    ("implements ",               "",               Relation::Implementations),
    ("implementing ",             "",               Relation::Implementations),
    ("conformances of ",          "",               Relation::Implementations),
    ("conformances to ",          "",               Relation::Implementations),
    ("conforms to ",              "",               Relation::Implementations),
    ("conforming to ",            "",               Relation::Implementations),
    ("subclasses of ",            "",               Relation::Implementations),
    ("subtypes of ",              "",               Relation::Implementations),
    ("what extends ",             "",               Relation::Implementations),
    ("",                          " implementations", Relation::Implementations),
    ("",                          " implementers",  Relation::Implementations),
    ("",                          " conformances",  Relation::Implementations),
    ("",                          " subclasses",    Relation::Implementations),
    ("callers of ",               "",               Relation::Callers),
    ("what calls ",               "",               Relation::Callers),
    ("who calls ",                "",               Relation::Callers),
    ("calls to ",                 "",               Relation::Callers),
    ("what does ",                " depend on",     Relation::Dependencies),
    ("what does ",                " call",          Relation::Callees),
    ("what does ",                " use",           Relation::Dependencies),
    ("what does ",                " need",          Relation::Dependencies),
    ("what does ",                " import",        Relation::Dependencies),
    ("path from ",                " to ",           Relation::Path),
    ("path between ",             " and ",          Relation::Path),
    ("way from ",                 " to ",           Relation::Path),
    ("route from ",               " to ",           Relation::Path),
    ("chain from ",               " to ",           Relation::Path),
    ("flow from ",                " to ",           Relation::Path),
    ("get from ",                 " to ",           Relation::Path),
    ("how does ",                 " reach ",        Relation::Path),
    ("how does ",                 " get to ",       Relation::Path),
    ("how does ",                 " end up in ",    Relation::Path),
    ("how does ",                 " call ",         Relation::Path),
    ("how does ",                 " lead to ",      Relation::Path),
    ("does ",                     " reach ",        Relation::Path),
    ("does ",                     " call ",         Relation::Path),
    ("can ",                      " reach ",        Relation::Path),
    ("",                          " -> ",           Relation::Path),
    ("callees of ",               "",               Relation::Callees),
    ("called by ",                "",               Relation::Callees),
    ("calls made by ",            "",               Relation::Callees),
    ("tests are affected by ",    "",               Relation::Tests),
    ("tests that reach ",         "",               Relation::Tests),
    ("tests that cover ",         "",               Relation::Tests),
    ("tests reach ",              "",               Relation::Tests),
    ("tests cover ",              "",               Relation::Tests),
    ("tests exercise ",           "",               Relation::Tests),
    ("tests call ",               "",               Relation::Tests),
    ("tests use ",                "",               Relation::Tests),
    ("tests touch ",              "",               Relation::Tests),
    ("tests of ",                 "",               Relation::Tests),
    ("tests for ",                "",               Relation::Tests),
    ("tests to run for ",         "",               Relation::Tests),
    ("tests to run if ",          "",               Relation::Tests),
    ("which tests ",              "",               Relation::Tests),
    ("break if ",                 "",               Relation::Impact),
    ("breaks if ",                "",               Relation::Impact),
    ("break when ",               "",               Relation::Impact),
    ("breaks when ",              "",               Relation::Impact),
    ("impact of ",                "",               Relation::Impact),
    ("affected by ",              "",               Relation::Impact),
    ("affected if ",              "",               Relation::Impact),
    ("blast radius of ",          "",               Relation::Impact),
    ("consequences of ",          "",               Relation::Impact),
    ("happens if i change ",      "",               Relation::Impact),
    ("happens if we change ",     "",               Relation::Impact),
    ("safe to change ",           "",               Relation::Impact),
    ("safe to delete ",           "",               Relation::Impact),
    ("safe to remove ",           "",               Relation::Impact),
    ("safe to rename ",           "",               Relation::Impact),
    ("depends on ",               "",               Relation::Dependents),
    ("depend on ",                "",               Relation::Dependents),
    ("dependents of ",            "",               Relation::Dependents),
    ("who uses ",                 "",               Relation::Dependents),
    ("what uses ",                "",               Relation::Dependents),
    ("which files use ",          "",               Relation::Dependents),
    ("users of ",                 "",               Relation::Dependents),
    ("usages of ",                "",               Relation::Dependents),
    ("uses of ",                  "",               Relation::Dependents),
    ("what imports ",             "",               Relation::Dependents),
    ("who imports ",              "",               Relation::Dependents),
    ("where is ",                 " used",          Relation::Dependents),
    ("dependencies of ",          "",               Relation::Dependencies),
    ("imports of ",               "",               Relation::Dependencies),
    ("dependency map",            "",               Relation::Modules),
    ("dependency graph",          "",               Relation::Modules),
    ("module map",                "",               Relation::Modules),
    ("modules of ",               "",               Relation::Modules),
    ("architecture",              "",               Relation::Modules),
    ("structure of ",             "",               Relation::Modules),
    ("how is ",                   " structured",    Relation::Modules),
    ("how is ",                   " organised",     Relation::Modules),
    ("how is ",                   " organized",     Relation::Modules),
    ("related to ",               "",               Relation::Related),
    ("goes together with ",       "",               Relation::Related),
    ("works with ",               "",               Relation::Related),
    ("what is around ",           "",               Relation::Related),
    ("components around ",        "",               Relation::Related),
];

/// Words that stand beside a name and are none: what is done to it, by whom, and what a whole project is called.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "behaves", "behavior", "behaviour", "change", "changed", "changes", "changing", "codebase", "delete", "deleted", "deleting",
    "edit", "edited", "editing", "everything", "modified", "modify", "modifying", "module", "modules", "project", "remove",
    "removed", "removing", "rename", "renamed", "renaming", "repo", "repository", "someone", "touch", "touched",
];

/// Little words that functions are called by all the same: right behind a phrase they are names.
const NAMES_TOO: &[&str] = &["all", "any", "find", "get", "has", "let", "locate", "look", "over", "show", "with"];

/// A relation that a question asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Which.
    pub relation: Relation,
    /// The word right behind the phrase.
    pub first: String,
    /// Words that may be the name it asks about, the likeliest first.
    pub names: Vec<String>,
    /// The same of the other end of a path.
    pub to: Vec<String>,
}

/// The relations that a question asks for, each once, in the order it names them.
pub fn relations(text: &str) -> Vec<Asked> {
    let lower = text.to_ascii_lowercase();
    let mut found: Vec<(usize, usize, Asked)> = Vec::new();
    for row in PHRASES {
        let Some((at, end, asked)) = read(text, &lower, row) else { continue };
        let inside = |(start, stop, _): &(usize, usize, Asked)| *start <= at && at < *stop;
        let known = |(_, _, other): &(usize, usize, Asked)| other.relation == asked.relation;
        if !found.iter().any(|other| inside(other) || known(other)) {
            found.push((at, end, asked));
        }
    }
    found.sort_by_key(|(at, ..)| *at);
    found.into_iter().map(|(_, _, asked)| asked).collect()
}

/// The first of these relations that a query asks for, in the order of the table, with the word behind it.
pub(crate) fn relation_of(text: &str, wanted: &[Relation]) -> Option<(Relation, String)> {
    let lower = text.to_ascii_lowercase();
    let rows = PHRASES.iter().filter(|(_, _, relation)| wanted.contains(relation));
    let mut found = rows.filter_map(|row| read(text, &lower, row));
    found.next().map(|(_, _, asked)| (asked.relation, asked.first))
}

/// Where a phrase begins and its first part ends, and what it asks for.
fn read(text: &str, lower: &str, row: &(&str, &str, Relation)) -> Option<(usize, usize, Asked)> {
    let (before, after, relation) = *row;
    let at = lower.find(before)?;
    let is_word = at == 0 || lower.as_bytes()[at - 1] == b' ';
    let start = at + before.len();
    let goes_on = |end: usize| after.ends_with(' ') || !lower[end..].starts_with(|c: char| c.is_alphanumeric());
    let (names, rest) = match after {
        "" => (&text[start..], ""),
        after => {
            let middle = start + lower[start..].find(after)?;
            let end = middle + after.len();
            if !goes_on(end) {
                return None;
            }
            (&text[start..middle], &text[end..])
        }
    };
    let names: Vec<Word> = words(names);
    let to = if relation == Relation::Path { words(rest) } else { Vec::new() };
    let is_whole = match relation {
        Relation::Path => !names.is_empty() && !to.is_empty(),
        // All of it, where nothing is named.
        Relation::Modules => true,
        _ => !names.is_empty(),
    };
    // A phrase that follows a name means the word before it, which must be written as a name.
    let follows = before.is_empty() && relation == Relation::Implementations;
    let named = if follows { names.last() } else { names.iter().find(|w| w.text != "the").or(names.first()) };
    let is_whole = is_whole
        && (!follows
            || named.is_some_and(|w| w.is_marked || is_name(w.text) || w.text.starts_with(char::is_uppercase)));
    let first = named.map(|w| w.text.to_owned()).unwrap_or_default();
    (is_word && is_whole).then(|| (at, start, Asked { relation, first, names: likeliest(&names), to: likeliest(&to) }))
}

/// A word as it is written, without what stands around it.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    /// Whether it is marked as code: `` `so` ``, so().
    is_marked: bool,
}

fn words(text: &str) -> Vec<Word<'_>> {
    let word = |word| {
        let bare = str::trim_end_matches(word, ['?', '!', ',', ';', '.', ':']);
        let inner = bare.trim_matches(['`', '"', '\'', '(']);
        let text = inner.trim_end_matches("()");
        Word { text, is_marked: text != inner || bare.starts_with('`') }
    };
    text.split_whitespace().map(word).filter(|w| !w.text.is_empty()).collect()
}

/// Words that may be names: what is written as code first, then words that say something, then those that fit any question.
fn likeliest(words: &[Word]) -> Vec<String> {
    let behind = words.iter().position(|w| w.text != "the");
    let rank = |at: usize, word: &Word| match word.text {
        "I" => None,
        text if word.is_marked || is_name(text) || text.starts_with(char::is_uppercase) => Some(0),
        text if Some(at) == behind && NAMES_TOO.contains(&text) => Some(1),
        text if words::is_stop(text) => None,
        text if FILLERS.contains(&text.to_lowercase().as_str()) => Some(3),
        text if words::is_talk(text) => Some(2),
        _ => Some(1),
    };
    let mut ranked: Vec<(u8, &str)> =
        words.iter().enumerate().filter_map(|(at, w)| Some((rank(at, w)?, w.text))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    // What is only done to a name is none beside it.
    let has_name = ranked.first().is_some_and(|(rank, _)| *rank < 3);
    ranked.into_iter().filter(|(rank, _)| !has_name || *rank < 3).map(|(_, text)| text.to_owned()).collect()
}

/// Whether a word is written as names are: in code, or as a path.
pub fn is_name(word: &str) -> bool {
    is_code(word) || word.contains('/') || word.contains(':')
}

/// Whether a word only stands for the whole project, or for nothing.
pub fn is_filler(word: &str) -> bool {
    let lower = word.to_lowercase();
    FILLERS.contains(&lower.as_str()) || words::is_stop(&lower)
}

#[cfg(test)]
mod tests {
    use super::{FILLERS, PHRASES, Relation, relation_of, relations};

    /// `relation names > to` of each relation, in order.
    fn check(text: &str, expect: &[&str]) {
        let show = |asked: super::Asked| {
            let to = if asked.to.is_empty() { String::new() } else { format!(" > {}", asked.to.join(" ")) };
            format!("{:?} {}{to}", asked.relation, asked.names.join(" ")).trim_end().to_owned()
        };
        assert_eq!(relations(text).into_iter().map(show).collect::<Vec<_>>(), expect, "{text}");
    }

    #[test]
    fn questions_name_relations_and_what_they_are_of() {
        check("what would break if Session.send changed", &["Impact Session.send"]);
        check("What would break if I change the function `send`?", &["Impact send function"]);
        check("how does login reach validateCredentials", &["Path login > validateCredentials"]);
        check("what implements Encoder", &["Implementations Encoder"]);
        check("path from main to Store.get", &["Path main > Store.get"]);
        check("main -> Store.get", &["Path main > Store.get"]);
        check("which tests reach parse_header", &["Tests parse_header"]);
        check("what depends on src/auth", &["Dependents src/auth"]);
        check("what does Cart.total depend on?", &["Dependencies Cart.total"]);
        check("what does total() call", &["Callees total"]);
        check("does total call parse?", &["Path total > parse"]);
        check("who calls login in the web layer", &["Callers login web layer"]);
        check("impact of changing request", &["Impact request"]);
        check("what would break if Cart changed, and which tests reach it", &["Impact Cart tests reach", "Tests"]);
        check("architecture", &["Modules"]);
        check("how is this project structured", &["Modules project"]);
        check("module map of crates/cds-graph", &["Modules crates/cds-graph"]);
        check("components related to Session", &["Related Session"]);
        check("where is Money used", &["Dependents Money"]);
        check("what calls get", &["Callers get"]);
        check("callers of the show of a cart", &["Callers show cart"]);
        check("what calls it", &["Callers"]);
        check("what does the parser use", &["Dependencies parser"]);
        check("what does the parser useless", &[]);
        check("what calls", &[]);
        check("retry on failure", &[]);
        check("", &[]);
    }

    #[test]
    fn search_asks_for_two_of_them_by_the_word_behind() {
        let check = |text: &str, expect: Option<(Relation, &str)>| {
            let found = relation_of(text, &[Relation::Callers, Relation::Implementations]);
            assert_eq!(found, expect.map(|(relation, name)| (relation, name.to_owned())), "{text}");
        };
        check("what calls login()", Some((Relation::Callers, "login")));
        check("Who calls `Auth.login`?", Some((Relation::Callers, "Auth.login")));
        check("implementations of AuthProtocol", Some((Relation::Implementations, "AuthProtocol")));
        check("types conforming to the Store protocol", Some((Relation::Implementations, "Store")));
        check("implements Codable", Some((Relation::Implementations, "Codable")));
        check("classes that implement Store", Some((Relation::Implementations, "Store")));
        check("which types implement Store?", Some((Relation::Implementations, "Store")));
        check("Store implementations", Some((Relation::Implementations, "Store")));
        check("where are the Store implementations", Some((Relation::Implementations, "Store")));
        check("Store conformances", Some((Relation::Implementations, "Store")));
        check("search implementations", None);
        check("what calls", None);
        check("reimplements x", None);
        check("retry on failure", None);
        check("what depends on login", None);
    }

    #[test]
    fn phrases_are_lower_case_and_fillers_in_order() {
        for (before, after, _) in PHRASES {
            assert_eq!((before.to_lowercase(), after.to_lowercase()), ((*before).to_owned(), (*after).to_owned()));
        }
        assert!(FILLERS.is_sorted_by(|a, b| a < b));
    }
}
