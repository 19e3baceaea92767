//! Names, paths and qualified names to entities.

use cds_index::NameMatch;
use cds_search::{LookupOptions, lookup};
use proptest::prelude::*;

use crate::fixture::Tree;

const TREE: &str = "\
//- app/auth/login.py
class Login:
    def check(self):
        return 1

    class Inner:
        def check(self):
            return 2

def authenticate():
    return Login().check()
//- app/auth/__init__.py
def authorize():
    return 1
//- app/shape.rs
pub struct Shape;

impl Shape {
    pub fn area(&self) -> u32 { 1 }
}
//- lib/accounts.ex
defmodule App.Accounts do
  def list, do: []
end
//- tests/test_login.py
def authenticate():
    return 2
//- deep/server.go
package deep

func (s *Server) Start() {}
//- colon:name.py
def odd():
    return 1
";

const EXACT: LookupOptions = LookupOptions { ignore_case: false, fuzzy: false };
const ANY_CASE: LookupOptions = LookupOptions { ignore_case: true, fuzzy: false };
const FUZZY: LookupOptions = LookupOptions { ignore_case: false, fuzzy: true };

/// What is found as `how: ids`, or `try: suggestions`.
fn check(tree: &Tree, name: &str, options: LookupOptions, expect: &str) {
    let found = lookup(&tree.snapshot, name, options);
    let keys: Vec<String> =
        found.entities.iter().map(|&id| tree.snapshot.entity(id).expect("an entity").key()).collect();
    let text = if keys.is_empty() {
        format!("try: {}", found.suggestions.join(" "))
    } else {
        assert!(found.suggestions.is_empty(), "{name}: suggestions beside an answer");
        format!("{}: {}", found.how, keys.join(" "))
    };
    assert_eq!(text.trim_end(), expect, "{name:?} {options:?}");
}

#[test]
fn names_are_found_exactly() {
    let tree = Tree::new(TREE);
    let check = |name: &str, expect: &str| check(&tree, name, EXACT, expect);
    check("Login", "exact: app/auth/login.py:Login");
    check("  Login ", "exact: app/auth/login.py:Login");
    check("check", "exact: app/auth/login.py:Login.check app/auth/login.py:Login.Inner.check");
    check("authenticate", "exact: app/auth/login.py:authenticate tests/test_login.py:authenticate");
    // Types stand before what extends them.
    check("Shape", "exact: app/shape.rs:Shape app/shape.rs:Shape#2");
    check("app/shape.rs:Shape", "exact: app/shape.rs:Shape app/shape.rs:Shape#2");
    check("app/shape.rs:Shape#2", "exact: app/shape.rs:Shape#2");
    check("Shape#2", "exact: app/shape.rs:Shape#2");
    check(".", "exact: .");
    check("login", "try: Login login.py");
    check("", "try:");
    check("nothing_like_it", "try:");
}

#[test]
fn types_stand_before_functions_before_files_before_folders() {
    let tree = Tree::new(
        "\
//- a/cart/x.txt
folder
//- b/cart
file
//- c/tests/test_cart.py
def cart(): pass
//- d/source.py
def cart(): pass
//- e/type.rs
struct cart;
//- f/again.rs
impl cart {}
",
    );
    let expect = "e/type.rs:cart f/again.rs:cart d/source.py:cart c/tests/test_cart.py:cart b/cart a/cart";
    check(&tree, "cart", EXACT, &format!("exact: {expect}"));
}

#[test]
fn scopes_narrow_in_every_notation() {
    let tree = Tree::new(TREE);
    let check = |name: &str, expect: &str| check(&tree, name, EXACT, expect);
    for name in
        ["Inner.check", "Inner::check", "Inner#check", "Inner/check", "Inner\\check", "Inner->check", "Inner.check()"]
    {
        check(name, "exact: app/auth/login.py:Login.Inner.check");
    }
    check("Login.check", "exact: app/auth/login.py:Login.check");
    check("Login.Inner.check", "exact: app/auth/login.py:Login.Inner.check");
    check("login.authenticate", "exact: app/auth/login.py:authenticate");
    check("auth.login.authenticate", "exact: app/auth/login.py:authenticate");
    check("app.auth.login.Login.check", "exact: app/auth/login.py:Login.check");
    // Files that speak for their folder are not part of the path.
    check("auth.authorize", "exact: app/auth/__init__.py:authorize");
    check("__init__.authorize", "try: auth authenticate");
    // A module's own dots, and a receiver.
    check("App.Accounts", "exact: lib/accounts.ex:App.Accounts");
    check("App.Accounts.list", "exact: lib/accounts.ex:App.Accounts.list");
    check("Server.Start", "exact: deep/server.go:Server.Start");
    // The name itself is not suggested, although another scope has it.
    check("Wrong.check", "try:");
    check("Inner.Login", "try: login.py");
}

#[test]
fn paths_are_names_too() {
    let tree = Tree::new(TREE);
    let check = |name: &str, expect: &str| check(&tree, name, EXACT, expect);
    check("app/auth/login.py", "exact: app/auth/login.py");
    check("./app/auth/login.py", "exact: app/auth/login.py");
    check("login.py", "exact: app/auth/login.py");
    check("auth/login.py", "exact: app/auth/login.py");
    check("auth", "exact: app/auth");
    check("app/auth", "exact: app/auth");
    check("app/auth/", "exact: app/auth");
    check("lib/auth", "try: authenticate authorize");
    check("app/auth/login.py:Login.check", "exact: app/auth/login.py:Login.check");
    check("app/auth/login.py:check", "exact: app/auth/login.py:Login.check app/auth/login.py:Login.Inner.check");
    check("colon:name.py:odd", "exact: colon:name.py:odd");
    check("app/shape.rs:Login", "try: login.py");
    check("app/auth/login.py:", "try:");
}

#[test]
fn prefixes_cases_and_misspellings_are_asked_for() {
    let tree = Tree::new(TREE);
    check(&tree, "authe*", EXACT, "prefix: app/auth/login.py:authenticate tests/test_login.py:authenticate");
    check(&tree, "Authe*", EXACT, "try: auth authenticate authorize");
    check(&tree, "AUTHE*", ANY_CASE, "prefix: app/auth/login.py:authenticate tests/test_login.py:authenticate");
    check(&tree, "login.auth*", EXACT, "prefix: app/auth/login.py:authenticate");
    check(&tree, "LOGIN", ANY_CASE, "any_case: app/auth/login.py:Login");
    check(&tree, "AUTHORIZE", ANY_CASE, "any_case: app/auth/__init__.py:authorize");
    check(&tree, "authoriez", FUZZY, "fuzzy: app/auth/__init__.py:authorize");
    check(&tree, "Logn", FUZZY, "fuzzy: app/auth/login.py:Login");
    check(&tree, "Lo", FUZZY, "try: Login login.py");
    check(&tree, &"a".repeat(65), FUZZY, "try:");
}

#[test]
fn what_is_near_is_suggested() {
    let tree = Tree::new(TREE);
    let check = |name: &str, expect: &str| check(&tree, name, EXACT, expect);
    check("autenticate", "try: authenticate");
    check("Authorize", "try: authorize auth authenticate");
    check("chek", "try: check");
    check("Shap", "try: Shape shape.rs");
    check("shapely", "try: Shape shape.rs");
}

thread_local! {
    static TREES: std::rc::Rc<Tree> = std::rc::Rc::new(Tree::new(TREE));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_exact_look_up_never_answers_for_another_name(
        name in "[A-Za-z_.:/# ]{0,12}|(Login|auth|check|Inner|App|login.py)([.:/#]{1,2}(check|Inner|authorize|Accounts)){0,3}",
    ) {
        let tree = TREES.with(Clone::clone);
        let found = lookup(&tree.snapshot, &name, EXACT);
        let own = name.trim().trim_end_matches(['.', ':', '/', '#']);
        for id in &found.entities {
            let entity = tree.snapshot.entity(*id).unwrap();
            let own = own.strip_suffix(&format!("#{}", entity.ordinal())).unwrap_or(own);
            prop_assert!(own.ends_with(entity.name()) || entity.key() == ".", "{} for {:?}", entity.key(), name);
        }
        prop_assert!(found.entities.is_empty() || found.suggestions.is_empty());
        prop_assert!(found.suggestions.len() <= 5);
    }

    #[test]
    fn every_entity_is_found_by_its_own_id(which in 0usize..100) {
        let tree = TREES.with(Clone::clone);
        let id = cds_model::EntityId((which % tree.snapshot.entity_count()) as u32);
        let entity = tree.snapshot.entity(id).unwrap();
        let found = lookup(&tree.snapshot, &entity.key(), EXACT);
        prop_assert!(found.entities.contains(&id), "{}", entity.key());
        // The root is found by its path alone.
        let is_named = tree.snapshot.find_names(entity.name(), NameMatch::Exact, 100).contains(&id);
        prop_assert_eq!(is_named, entity.key() != ".");
    }
}
