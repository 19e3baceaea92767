//! What documents say of tests.

use std::path::Path;

/// All test functions of the workspace, as text.
fn sources(folder: &Path, all: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn limits_are_held_by_the_tests_that_the_table_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut code = String::new();
    sources(&root.join("crates"), &mut code);
    let page = std::fs::read_to_string(root.join("docs/limits.md")).unwrap();
    let mut named = 0;
    for row in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| limit")) {
        let last = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap();
        for test in last.split('`').skip(1).step_by(2) {
            assert!(code.contains(&format!("fn {test}(")), "docs/limits.md names a test that is not there: {test}");
            named += 1;
        }
        // Constants are named in the first column.
        let first = row.split('|').nth(1).unwrap();
        for constant in first.split('`').skip(1).step_by(2).filter(|name| !name.contains('.')) {
            assert!(code.contains(&format!("const {constant}: ")), "docs/limits.md names no constant: {constant}");
        }
    }
    assert!(named > 20, "{named}");
}

#[test]
fn guarantees_are_held_by_the_tests_that_the_page_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut code = String::new();
    sources(&root.join("crates"), &mut code);
    let page = std::fs::read_to_string(root.join("docs/security.md")).unwrap();
    let mut named = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let last = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap();
        let is_test = |name: &&str| name.contains('_') && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        for test in last.split('`').skip(1).step_by(2).filter(is_test) {
            assert!(code.contains(&format!("fn {test}(")), "docs/security.md names a test that is not there: {test}");
            named += 1;
        }
    }
    assert!(named > 20, "{named}");
}

#[test]
fn requirements_of_the_designs_name_tests_and_modules_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut code = String::new();
    sources(&root.join("crates"), &mut code);
    sources(&root.join("xtask"), &mut code);
    let page = std::fs::read_to_string(root.join("docs/designs.md")).unwrap();
    let mut named = 0;
    for row in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| requirement")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, _, modules, tests, _] = cells[..] else { panic!("a row has three columns: {row}") };
        for module in modules.split('`').skip(1).step_by(2) {
            let exists = [root.join("crates").join(module), root.join(module)].iter().any(|path| path.exists());
            assert!(exists, "docs/designs.md names a module that does not exist: {module}");
        }
        for test in tests.split('`').skip(1).step_by(2) {
            assert!(code.contains(&format!("fn {test}(")), "docs/designs.md names a test that does not exist: {test}");
            named += 1;
        }
    }
    assert!(named > 60, "{named}");
}
