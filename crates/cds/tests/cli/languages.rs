//! Language data of the user's own.

use crate::fixture::{Project, Run};

const CODE: &str = "\
//- a.py
class Thing:
    def method(self):
        return 1
//- b.widget
def gadget():
    return 1
";

const CLASSES_ARE_STRUCTS: &str = "(class_definition name: (identifier) @name) @definition.struct";

fn user_file(project: &Project, path: &str, text: &str) {
    let path = project.home().join(".config/cds/languages").join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn kind(project: &Project, name: &str) -> String {
    project.json(&["symbol", name])["hits"][0]["kind"].as_str().unwrap().to_owned()
}

#[test]
fn a_file_replaces_the_built_in_one_and_makes_the_index_anew() {
    let project = Project::new(CODE);
    assert_eq!(kind(&project, "Thing"), "class");
    user_file(&project, "python/tags.scm", CLASSES_ARE_STRUCTS);
    assert_eq!(project.json(&["status"])["freshness"], "settings changed");
    assert_eq!(kind(&project, "Thing"), "struct");
    assert_eq!(project.cds(&["symbol", "method"]).code, 1, "the whole file is replaced");
    let generation = project.generation();
    assert_eq!(kind(&project, "Thing"), "struct");
    assert_eq!(project.generation(), generation, "once");
    std::fs::remove_dir_all(project.home().join(".config/cds/languages")).unwrap();
    assert_eq!(kind(&project, "Thing"), "class");
}

#[test]
fn another_folder_is_another_language() {
    let project = Project::new(CODE);
    assert_eq!(project.cds(&["symbol", "gadget"]).code, 1);
    assert_eq!(project.cds(&["search", "gadget", "--lang", "widget"]).code, 2);
    let toml = "extensions = [\"widget\"]\naliases = [\"wdg\"]\ngrammar = \"python\"\ninherits = [\"python\"]\n";
    user_file(&project, "widget/language.toml", toml);
    assert_eq!(project.ids(&["search", "gadget", "--lang", "wdg"]), ["b.widget:gadget"]);
    assert_eq!(project.json(&["symbol", "gadget"])["hits"][0]["language"], "widget");
    // One without a grammar is cut as text.
    user_file(&project, "widget/language.toml", "extensions = [\"widget\"]\n");
    assert_eq!(project.cds(&["symbol", "gadget"]).code, 1);
    assert_eq!(project.json(&["search", "gadget"])["hits"][0]["language"], "widget");
}

#[test]
fn a_setting_points_elsewhere() {
    let project = Project::new(CODE);
    project.write("data/python/tags.scm", CLASSES_ARE_STRUCTS);
    project.write(".cds.toml", "[index]\nlanguages = \"data\"\n");
    assert_eq!(kind(&project, "Thing"), "struct");
    let env = [("CDS_LANGUAGES", "absent")];
    let output = project.run(&Run { args: &["symbol", "Thing"], env: &env, ..Run::default() });
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("index.languages: ") && output.stderr.contains("absent is no folder"));
}

#[test]
fn mistakes_are_named_with_their_place() {
    let project = Project::new(CODE);
    assert_eq!(kind(&project, "Thing"), "class");
    let check = |path: &str, text: &str, expect: &str| {
        user_file(&project, path, text);
        for args in [&["index"][..], &["symbol", "Thing"]] {
            let output = project.cds(args);
            assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{path}: {}", output.stderr);
            assert!(output.stderr.contains(expect) && output.stderr.contains("cds/languages"), "{}", output.stderr);
        }
        assert_eq!(project.cds(&["symbol", "Thing", "--no-update"]).code, 0, "the old index answers");
        std::fs::remove_dir_all(project.home().join(".config/cds/languages")).unwrap();
    };
    check("python/tags.scm", "(nothing) @comment", "language python: tags.scm + imports.scm: \"nothing\"");
    check("python/language.toml", "extension = 1", "language python: language.toml: ");
    check("widget/tags.scm", "", "language widget: language.toml: missing");
    check("widget/language.toml", "grammar = \"cobol\"", "no built-in language \"cobol\" has a grammar to lend");
    check("ecma/tags.scm", "(nothing) @comment", "language javascript: tags.scm");
    assert_eq!(kind(&project, "Thing"), "class");
}
