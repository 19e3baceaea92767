//! Whatever `manifest.json` says.

use std::path::Path;

use serde_json::Value;

use crate::damage::ask_everything;
use crate::project::Indexed;

const NAME: &str = "manifest.json";

thread_local! {
    static PROJECT: Indexed = Indexed::new(Indexed::SOURCE);
}

/// The bytes are the manifest. If they are an object, its fields also take the place of the real manifest's, with a checksum
/// that is right: what the checksum would keep out must not hurt either.
pub fn manifest(data: &[u8]) {
    PROJECT.with(|project| {
        project.damage(Path::new(NAME), Some(data));
        ask_everything(&project.engine());
        if let Some(text) = patched(project, data) {
            project.damage(Path::new(NAME), Some(text.as_bytes()));
            ask_everything(&project.engine());
        }
        project.heal(Path::new(NAME));
    });
}

fn patched(project: &Indexed, data: &[u8]) -> Option<String> {
    let Value::Object(fields) = serde_json::from_slice(data).ok()? else { return None };
    let (_, whole) = project.files().iter().find(|(path, _)| path == Path::new(NAME))?;
    let mut manifest: Value = serde_json::from_slice(whole).ok()?;
    for (name, value) in fields {
        manifest[name] = value;
    }
    manifest.as_object_mut()?.remove("checksum");
    // The checksum stands last and is of all before its own name.
    let fields = serde_json::to_string(&manifest).ok()?;
    let before = fields.strip_suffix('}')?.to_owned() + ",";
    Some(format!("{before}\"checksum\":\"{:08x}\"}}", crc32fast::hash(before.as_bytes())))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{NAME, PROJECT, patched};

    /// Else every patch would be refused at the door, and nothing behind it tried.
    #[test]
    fn a_patched_manifest_opens() {
        PROJECT.with(|project| {
            let check = |patch: &str, expect: &str| {
                let text = patched(project, patch.as_bytes()).unwrap();
                project.damage(Path::new(NAME), Some(text.as_bytes()));
                let found = project.engine().status(false).map_or_else(|e| e.to_string(), |s| s.files.to_string());
                assert!(found.contains(expect), "{patch}: {found}");
            };
            check("{}", "4");
            check("{\"built\": 7}", "4");
            check("{\"counts\": {}}", "the index is damaged");
            assert!(patched(project, b"[]").is_none());
        });
    }
}
