//! Go: an import path is the module's own path and a folder below it.

use super::{Modules, Place, Target, join};
use crate::tree::FileView;

#[derive(Default)]
pub(super) struct Config {
    /// Module path and folder, longest path first.
    modules: Vec<(String, String)>,
}

impl Config {
    pub(super) fn new(manifests: &[(String, String)]) -> Config {
        let mut modules = Vec::new();
        for (path, text) in manifests {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let declared = text.lines().find_map(|l| l.trim().strip_prefix("module "));
            if let Some(module) = declared.filter(|_| name == "go.mod") {
                modules.push((module.trim().trim_matches('"').to_owned(), folder.to_owned()));
            }
        }
        modules.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.cmp(b)));
        Config { modules }
    }
}

impl Modules<'_> {
    pub(super) fn go(&self, file: FileView, module: &str) -> Target {
        let place = |folder: u32| Target::place(Place { file: None, folder: Some(folder) });
        if module.starts_with('.') {
            let at = super::relative(file.folder(), module).and_then(|p| self.paths.folder(&p, file.recorder()));
            return at.map_or(Target::Unknown, place);
        }
        for (name, folder) in &self.go.modules {
            let Some(rest) = module.strip_prefix(name.as_str()) else { continue };
            if !rest.is_empty() && !rest.starts_with('/') {
                continue;
            }
            let at = join(folder, rest.trim_start_matches('/'));
            if let Some(folder) = self.paths.folder(at.trim_end_matches('/'), file.recorder()) {
                return place(folder);
            }
        }
        // A tree without `go.mod` (vendored, GOPATH): the folder whose path ends so.
        let vendored = module.contains('.').then(|| {
            let mut ends = self.paths.all_folders(file.recorder()).iter().enumerate().filter(|(_, f)| {
                f.path.strip_suffix(module).is_some_and(|b| b.is_empty() || b.ends_with('/')) && !f.files.is_empty()
            });
            ends.next().map(|(i, _)| i as u32)
        });
        vendored.flatten().map_or_else(|| Target::outside(module), place)
    }
}
