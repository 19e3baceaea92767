//! Imports that are paths of files: headers, Ruby's and Lua's `require`, Zig's `@import`, shell's `source`.

use super::{Modules, Place, Target, relative, shared_folders};
use crate::tree::FileView;

/// What a path without extension may end in.
const EXTENSIONS: [&str; 9] = ["", ".rb", ".lua", "/init.lua", ".zig", ".sh", ".bash", ".php", ".hrl"];

impl Modules<'_> {
    pub(super) fn include(&self, file: FileView, module: &str) -> Target {
        self.near(file, module, &[]).map_or_else(|| Target::outside(module), Target::place)
    }

    pub(super) fn path(&self, file: FileView, module: &str, roots: &[String]) -> Target {
        // Lua writes dots for folders.
        let dotted = (!module.contains('/') && file.path().ends_with(".lua")).then(|| module.replace('.', "/"));
        // Of a path that a script puts together only its end is known: `/lib.sh`.
        let module = dotted.as_deref().unwrap_or(module).trim_start_matches('/');
        let found = EXTENSIONS.iter().find_map(|end| self.near(file, &format!("{module}{end}"), roots));
        if found.is_none() && module.starts_with('.') {
            return Target::Unknown;
        }
        found.map_or_else(|| Target::outside(module.split('/').next().unwrap_or(module)), Target::place)
    }

    /// The file at a path from the file's own folder, from the root, or the nearest one whose path ends so; a lone name
    /// only in folders that hold such files, where these are known.
    fn near(&self, file: FileView, path: &str, roots: &[String]) -> Option<Place> {
        let place = |file: u32| Place { file: Some(file), folder: None };
        let at = |path: &str| self.paths.file(path, file.recorder());
        let direct = relative(file.folder(), path).and_then(|p| at(&p)).or_else(|| at(path));
        if direct.is_some() || path.starts_with('.') {
            return direct.map(place);
        }
        let name = path.rsplit('/').next()?;
        // A path with a folder says enough; a lone name may be a library's.
        let is_specific = roots.is_empty() || path.contains('/');
        let ends = |f: &&u32| {
            let full = self.paths.path_of(**f);
            full.strip_suffix(path).is_some_and(|before| {
                let root = before.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                before.is_empty() || (before.ends_with('/') && (is_specific || roots.iter().any(|r| r == root)))
            })
        };
        let nearest = self.paths.files_named(name, file.recorder())?.iter().filter(ends).max_by_key(|&&f| {
            let full = self.paths.path_of(f);
            (shared_folders(full, file.path()), std::cmp::Reverse(full.len()), std::cmp::Reverse(f))
        });
        nearest.map(|&f| place(f))
    }
}
