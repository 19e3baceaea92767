//! JavaScript and TypeScript: relative paths without extension, folders by their index file, `paths` and `baseUrl` of a
//! `tsconfig.json`, packages of a workspace by the name in their `package.json`.

use serde_json::Value;

use super::{Modules, Place, Target, join, relative};
use crate::dependencies::Recorder;
use crate::tree::FileView;

/// What a path without extension may end in; in the order the compiler tries them.
const EXTENSIONS: [&str; 10] = [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue"];

#[derive(Default)]
pub(super) struct Config {
    /// Folder, pattern before and after its `*`, and what stands for it: longest pattern first.
    aliases: Vec<Alias>,
    /// Folder and its `baseUrl`.
    bases: Vec<(String, String)>,
    /// Name and folder of a package, and the files its `package.json` names.
    packages: Vec<(String, String, Vec<String>)>,
}

struct Alias {
    folder: String,
    before: String,
    after: String,
    to: Vec<String>,
}

impl Config {
    pub(super) fn new(manifests: &[(String, String)]) -> Config {
        let mut config = Config::default();
        for (path, text) in manifests {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if !name.ends_with(".json") {
                continue;
            }
            let Ok(json) = serde_json::from_str::<Value>(&without_comments(text)) else { continue };
            if name == "package.json" {
                config.add_package(folder, &json);
            } else {
                config.add_options(folder, &json["compilerOptions"]);
            }
        }
        config.aliases.sort_by(|a, b| b.before.len().cmp(&a.before.len()).then(a.folder.cmp(&b.folder)));
        config.packages.sort();
        config
    }

    fn add_package(&mut self, folder: &str, json: &Value) {
        let Some(name) = json["name"].as_str() else { return };
        let mut entries = Vec::new();
        for key in ["source", "types", "typings", "module", "main"] {
            entries.extend(json[key].as_str().map(str::to_owned));
        }
        self.packages.push((name.to_owned(), folder.to_owned(), entries));
    }

    fn add_options(&mut self, folder: &str, options: &Value) {
        let base = options["baseUrl"].as_str().and_then(|b| relative(folder, b));
        for (pattern, to) in options["paths"].as_object().into_iter().flatten() {
            let (before, after) = pattern.split_once('*').unwrap_or((pattern, ""));
            let from = base.as_deref().unwrap_or(folder);
            let to = to.as_array().into_iter().flatten().filter_map(Value::as_str).filter_map(|t| relative(from, t));
            self.aliases.push(Alias {
                folder: folder.to_owned(),
                before: before.to_owned(),
                after: after.to_owned(),
                to: to.collect(),
            });
        }
        self.bases.extend(base.map(|b| (folder.to_owned(), b)));
    }
}

/// JSON with comments and trailing commas, as `tsconfig.json` is written.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            '\\' if in_string => {
                out.push(c);
                out.extend(chars.next());
            }
            '/' if !in_string && chars.peek() == Some(&'/') => {
                chars.by_ref().take_while(|&c| c != '\n').for_each(drop);
                out.push('\n');
            }
            '/' if !in_string && chars.peek() == Some(&'*') => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            ']' | '}' if !in_string => {
                let end = out.trim_end().len();
                if out[..end].ends_with(',') {
                    out.truncate(end - 1);
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

impl Modules<'_> {
    pub(super) fn ecma(&self, file: FileView, module: &str) -> Target {
        let at = |path: &str| self.ecma_at(path, file.recorder());
        if module.starts_with('.') {
            let found = relative(file.folder(), module).and_then(|path| at(&path));
            return found.map_or(Target::Unknown, Target::place);
        }
        if let Some(place) = module.strip_prefix('/').and_then(at) {
            return Target::place(place);
        }
        let covers =
            |folder: &str| folder.is_empty() || file.path().strip_prefix(folder).is_some_and(|r| r.starts_with('/'));
        for alias in self.ecma.aliases.iter().filter(|a| covers(&a.folder)) {
            let Some(rest) = module.strip_prefix(alias.before.as_str()) else { continue };
            let Some(star) = rest.strip_suffix(alias.after.as_str()) else { continue };
            let found = alias.to.iter().find_map(|to| at(&to.replace('*', star)));
            if let Some(place) = found {
                return Target::place(place);
            }
        }
        for (_, base) in self.ecma.bases.iter().filter(|(folder, _)| covers(folder)) {
            if let Some(place) = at(&join(base, module)) {
                return Target::place(place);
            }
        }
        for (name, folder, entries) in &self.ecma.packages {
            let Some(rest) = module.strip_prefix(name.as_str()) else { continue };
            let place = match rest.strip_prefix('/') {
                Some(inside) => at(&join(folder, inside)).or_else(|| at(&join(folder, &join("src", inside)))),
                None if rest.is_empty() => {
                    let named = entries.iter().filter_map(|e| relative(folder, e)).find_map(|e| at(&e));
                    named.or_else(|| at(&join(folder, "src"))).or_else(|| at(folder))
                }
                None => continue,
            };
            if let Some(place) = place {
                return Target::place(place);
            }
        }
        // `@scope/package/inside` and `package/inside` are known by their package.
        let parts = if module.starts_with('@') { 2 } else { 1 };
        let end = module.match_indices('/').nth(parts - 1).map_or(module.len(), |(i, _)| i);
        Target::outside(module[..end].strip_prefix("node:").unwrap_or(&module[..end]))
    }

    fn ecma_at(&self, path: &str, recorder: &Recorder) -> Option<Place> {
        let file = |path: &str| self.paths.file(path, recorder).map(|f| Place { file: Some(f), folder: None });
        let with_extension = |path: &str| EXTENSIONS.iter().find_map(|e| file(&format!("{path}{e}")));
        // `./x.js` is how TypeScript writes `./x.ts`.
        let source = [".js", ".jsx", ".mjs", ".cjs"].iter().find_map(|e| path.strip_suffix(e));
        source
            .and_then(with_extension)
            .or_else(|| file(path))
            .or_else(|| with_extension(path))
            .or_else(|| with_extension(&join(path, "index")))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn configuration_may_have_comments_and_trailing_commas() {
        let text = "{ // one\n \"a\": [1, 2,], /* two */ \"b\": \"// no \\\" comment\", }";
        let json: serde_json::Value = serde_json::from_str(&super::without_comments(text)).unwrap();
        assert_eq!(json, serde_json::json!({"a": [1, 2], "b": "// no \" comment"}));
    }
}
