//! What hostile sources and hostile language data may cost.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cds_lang::{LanguageFiles, MAX_LANGUAGE_FILE, MAX_LANGUAGES, Registry, extract};

/// Bytes of each hostile source. `CDS_HOSTILE_BYTES=1000000` is the long form: files of the greatest size that is indexed.
fn size() -> usize {
    std::env::var("CDS_HOSTILE_BYTES").ok().and_then(|bytes| bytes.parse().ok()).unwrap_or(8_000)
}

/// Processor time for each of them: twice the extractor's own limit.
const LIMIT: Duration = Duration::from_secs(6);

/// Megabytes for all of them, one after another.
const MEMORY: u64 = 400;

/// Processor time of this thread: what else runs on the machine does not matter. Elsewhere than on Linux the clock on the wall.
fn now() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = stat.and_then(|stat| stat.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Megabytes that this process has taken at most.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn repeated(text: &str) -> String {
    text.repeat(size() / text.len())
}

/// Sources that are slow for some parser or for what reads its trees.
fn sources() -> Vec<(&'static str, String)> {
    let nested = |open: &str, close: &str| {
        let depth = size() / (open.len() + close.len());
        open.repeat(depth) + &close.repeat(depth)
    };
    let mut all: Vec<(&str, String)> = [
        "(",
        "{",
        "[",
        "<",
        "\"",
        "'",
        "`",
        "/*",
        "<!--",
        "#",
        "@",
        "\\",
        "=",
        "-",
        "$",
        "a.",
        "a::",
        "a->",
        "a,",
        "a=>",
        "if(a){",
        "if a:\n ",
        "case a:",
        "fn a(){",
        "class A{",
        "def a\n",
        "a b ",
        "0",
        "a<b<",
        "*a ",
        "!",
        "?a:",
        "${",
        "#{",
        "begin ",
        "end\n",
        "<<A\n",
        "\u{1F600}",
        "é",
        "\t",
        "\r",
        "\n",
        " ",
        "\u{0}",
    ]
    .into_iter()
    .map(|unit| (unit, repeated(unit)))
    .collect();
    all.push(("()", nested("(", ")")));
    all.push(("{}", nested("{", "}")));
    all.push(("[]", nested("[", "]")));
    all.push(("f(f(", nested("f(", ")")));
    all.push(("a<a<", nested("a<", ">")));
    all.push(("<a></a>", nested("<a>", "</a>")));
    let lines = |line: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        let mut count = 0;
        while text.len() < size() {
            text.push_str(&line(count));
            count += 1;
        }
        text
    };
    all.push(("functions {}", lines(&|i| format!("function f{i}() {{ return f{i}(); }}\n"))));
    all.push(("functions :", lines(&|i| format!("def f{i}(): return f{i}()\n"))));
    all.push(("one line", lines(&|i| format!("function f{i}(){{return f{i}()}};"))));
    all.push(("nested functions", nested("function f(){", "}")));
    all.push(("nested classes", nested("class A { ", " }")));
    all
}

#[test]
fn hostile_sources_are_read_in_bounded_time() {
    let registry = Registry::builtin();
    let mut slowest = (Duration::ZERO, String::new());
    let mut late: Vec<String> = Vec::new();
    for language in registry.languages().iter().filter(|language| language.has_grammar()) {
        language.make_ready();
        let only = std::env::var("CDS_HOSTILE_ONLY");
        for (name, text) in sources() {
            if only.as_ref().is_ok_and(|only| *only != format!("{} {name}", language.name)) {
                continue;
            }
            let started = now();
            let facts = extract(registry, language, &text);
            let took = now().saturating_sub(started);
            let covered = facts.chunks.last().map_or(0, |chunk| chunk.span.end as usize);
            assert_eq!(covered, text.len(), "{} {name:?} is not covered", language.name);
            let shown = format!("{} {name:?} {took:?}", language.name);
            if took > LIMIT {
                late.push(shown.clone());
            }
            if took > slowest.0 {
                slowest = (took, shown);
            }
        }
    }
    eprintln!("slowest of {} bytes: {}; {} MB", size(), slowest.1, peak());
    assert!(late.is_empty(), "the limit is {LIMIT:?}: {late:#?}");
    assert!(peak() < MEMORY, "{} MB", peak());
}

#[test]
fn language_data_that_is_too_large_is_refused() {
    let folder = |name: &str, files: LanguageFiles| BTreeMap::from([(name.to_owned(), files)]);
    let check = |folders: &BTreeMap<String, LanguageFiles>, expect: &str| {
        let error = Registry::with(folders).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains(expect), "{expect}: {error}");
    };
    let large = || Some(";".repeat(MAX_LANGUAGE_FILE + 1));
    let says = |file: &str| {
        format!("language python: {file}: it has {} bytes, the limit is {MAX_LANGUAGE_FILE}", MAX_LANGUAGE_FILE + 1)
    };
    check(&folder("python", LanguageFiles { tags: large(), ..LanguageFiles::default() }), &says("tags.scm"));
    check(&folder("python", LanguageFiles { imports: large(), ..LanguageFiles::default() }), &says("imports.scm"));
    check(&folder("python", LanguageFiles { toml: large(), ..LanguageFiles::default() }), &says("language.toml"));
    let own = LanguageFiles { toml: Some("extensions = []".to_owned()), ..LanguageFiles::default() };
    let many: BTreeMap<String, LanguageFiles> = (0..=MAX_LANGUAGES).map(|i| (format!("l{i}"), own.clone())).collect();
    check(&many, &format!("{} folders of languages, the limit is {MAX_LANGUAGES}", MAX_LANGUAGES + 1));
}

/// The slowest grammar by far is Swift's; a query's time grows with the number of its patterns.
#[test]
fn queries_at_the_limit_compile_in_bounded_time() {
    for (language, pattern) in
        [("python", "(call) @comment\n"), ("cpp", "(_ (_ (_))) @comment\n"), ("swift", "(call_expression) @comment\n")]
    {
        let tags = pattern.repeat(MAX_LANGUAGE_FILE / pattern.len());
        let files = LanguageFiles { tags: Some(tags), imports: Some(String::new()), ..LanguageFiles::default() };
        let started = Instant::now();
        let registry = Registry::with(&BTreeMap::from([(language.to_owned(), files)])).unwrap();
        let checked = registry.check_overrides();
        let took = started.elapsed();
        eprintln!("{language}: {took:?} {:?}", checked.as_ref().err().map(ToString::to_string));
        assert!(took < Duration::from_secs(20), "{language} took {took:?}");
    }
}
