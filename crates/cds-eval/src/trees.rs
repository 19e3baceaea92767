//! Which folder each question is about.

use std::path::{Path, PathBuf};

use cds_engine::Result;
use serde::Deserialize;

use crate::set::{Family, Question, invalid};

/// What a file about repositories says of one.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct KnownRepo {
    /// As in `repo` of a question.
    pub name: String,
    /// The folder below its root that is indexed; empty: all of it.
    #[serde(default)]
    pub benchmark_root: String,
    /// Where it is, unless in the folder of all repositories.
    #[serde(default)]
    pub path: Option<PathBuf>,
}

/// Reads a file about repositories: a list of objects with `name`, `benchmark_root` and `path`.
pub fn parse_repos(name: &str, text: &str) -> Result<Vec<KnownRepo>> {
    serde_json::from_str(text).map_err(|e| invalid(format!("{name}: {e}")))
}

/// Where the code is.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// One folder a repository; none: every question is asked of the root.
    pub repos: Option<PathBuf>,
    /// What is known of some of them.
    pub known: Vec<KnownRepo>,
    /// The root, when there are no repositories.
    pub root: PathBuf,
}

/// A folder to be indexed and asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// What its index is called.
    pub name: String,
    /// What is indexed.
    pub folder: PathBuf,
    /// What stands before its paths to make them relative to the repository's root.
    pub prefix: String,
}

impl Places {
    /// The tree of a question, or the folder that is missing.
    pub fn tree_of(&self, question: &Question) -> Result<std::result::Result<Tree, PathBuf>> {
        let Some(repos) = &self.repos else {
            let name = self.root.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            return Ok(Ok(Tree { name, folder: self.root.clone(), prefix: String::new() }));
        };
        let Some(repo) = &question.repo else {
            let what = format!("line {}: \"repo\" is missing, and --repos asks for it", question.line);
            return Err(invalid(what));
        };
        let known = self.known.iter().find(|known| known.name == *repo);
        let last = repo.rsplit('/').next().unwrap_or(repo);
        // An issue has a tree of its own, at its commit.
        let own = (question.family() == Family::Issues).then_some(question.id.as_str());
        let mut names: Vec<&str> = own.into_iter().chain([repo.as_str(), last]).collect();
        names.retain(|name| is_inside(name));
        let Some(first) = names.first() else {
            return Err(invalid(format!("line {}: {repo:?} is no name of a folder", question.line)));
        };
        let below = |name: &str| match known.and_then(|known| known.path.as_ref()) {
            Some(path) => path.clone(),
            None => repos.join(name),
        };
        let found = names.iter().find(|name| below(name).is_dir());
        let Some(name) = found else { return Ok(Err(below(first))) };
        let prefix = match known.map_or("", |known| known.benchmark_root.trim_matches('/')) {
            "" | "." => String::new(),
            root => format!("{root}/"),
        };
        let folder = below(name).join(prefix.trim_end_matches('/'));
        if !folder.is_dir() {
            return Ok(Err(folder));
        }
        Ok(Ok(Tree { name: (*name).to_owned(), folder, prefix }))
    }
}

/// Whether a name leads to a folder below another, and nowhere else.
fn is_inside(name: &str) -> bool {
    let parts = Path::new(name).components();
    !name.is_empty() && parts.into_iter().all(|part| matches!(part, std::path::Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::{Places, parse_repos};
    use crate::set::parse_set;

    #[test]
    fn a_question_has_a_tree() {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["flask/src/flask", "django", "django-11"] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        let known = r#"[{"name": "flask", "benchmark_root": "src/flask", "url": "x"}, {"name": "cds", "path": "."}]"#;
        let known = parse_repos("repos.json", known).unwrap();
        let places = Places { repos: Some(dir.path().to_owned()), known, root: ".".into() };
        let check = |question: &str, expect: &str| {
            let found = match places.tree_of(&parse_set("x", question).unwrap()[0]) {
                Ok(Ok(tree)) => format!("{} {:?}", tree.name, tree.prefix),
                Ok(Err(missing)) => format!("missing {}", missing.strip_prefix(dir.path()).unwrap().display()),
                Err(error) => error.to_string(),
            };
            assert_eq!(found, expect, "{question}");
        };
        let query = |repo: &str| format!(r#"{{"id": "a", "query": "q", "targets": [{{"path": "p"}}]{repo}}}"#);
        check(&query(r#", "repo": "flask""#), "flask \"src/flask/\"");
        check(&query(r#", "repo": "pallets/flask""#), "flask \"\"");
        check(&query(r#", "repo": "cds""#), "cds \"\"");
        check(&query(r#", "repo": "gone""#), "missing gone");
        check(&query(r#", "repo": "..""#), "line 1: \"..\" is no name of a folder");
        check(&query(""), "line 1: \"repo\" is missing, and --repos asks for it");
        let issue = |id: &str| {
            format!(
                r#"{{"instance_id": "{id}", "repo": "django/django", "problem_statement": "s", "gold_files": ["f"], "gold_functions": ["f:g"]}}"#
            )
        };
        check(&issue("django-11"), "django-11 \"\"");
        check(&issue("django-12"), "django \"\"");
    }

    #[test]
    fn without_repositories_the_root_is_asked() {
        let question = parse_set("x", r#"{"id": "a", "repo": "r", "query": "q", "targets": [{"path": "p"}]}"#).unwrap();
        let places = Places { root: "/some/where".into(), ..Places::default() };
        let tree = places.tree_of(&question[0]).unwrap().unwrap();
        assert_eq!((tree.name.as_str(), tree.prefix.as_str()), ("where", ""));
    }
}
