//! `cds symbol`: names, prefixes, qualified names and ids.

use crate::fixture::{Project, column, sorted};

const AUTH: &str = "\
//- src/auth.py
class AuthService:
    \"\"\"Signs people in.\"\"\"

    def login(self, user):
        return user

    def logout(self):
        pass


class UserAuth:
    pass


def authorize(user):
    return True
//- src/auth.rs
pub struct AuthController {
    name: String,
}

impl AuthController {
    pub fn login(&self) -> bool {
        true
    }
}

pub fn AuthHelper() {}
//- pkg/auth.go
package pkg

type AuthService struct{}

func (s *AuthService) Login() bool { return true }
";

/// Ids of the answer, in its order.
fn check(project: &Project, args: &[&str], expect: &[&str]) {
    assert_eq!(project.ids(&[&["symbol"], args].concat()), expect, "{args:?}");
}

#[test]
fn c1_two_classes_of_one_name_are_both_found() {
    let project = Project::new(AUTH);
    let found = project.json(&["symbol", "AuthService", "--type", "class"]);
    assert_eq!(sorted(column(&found, "id")), ["pkg/auth.go:AuthService", "src/auth.py:AuthService"]);
    assert_eq!(found["total"], 2);
    assert_eq!(column(&found, "match_type"), ["exact", "exact"]);
}

#[test]
fn c2_a_prefix_finds_what_begins_so_and_types_are_filtered_after_the_name() {
    let project = Project::new(AUTH);
    let found = project.json(&["symbol", "Auth*"]);
    let names = column(&found, "name");
    assert!(names.iter().all(|n| n.starts_with("Auth")), "neither UserAuth nor authorize: {names:?}");
    for name in ["AuthService", "AuthController", "AuthHelper"] {
        assert!(names.iter().any(|n| n == name), "{name} in {names:?}");
    }
    let classes = project.json(&["symbol", "Auth*", "--type", "class"]);
    assert!(column(&classes, "entity_type").iter().all(|t| t == "class"));
    assert!(!column(&classes, "name").contains(&"AuthHelper".to_owned()));
    check(&project, &["Auth*", "--type", "function"], &["src/auth.rs:AuthHelper"]);
    // The name is never widened to find something that passes.
    check(&project, &["AuthService", "--type", "function"], &[]);
}

#[test]
fn c5_nested_entities_of_every_level_are_found_with_place_type_and_parent() {
    let project = Project::new(
        "\
//- deep.py
class Outer:
    class Middle:
        def method(self):
            def inner():
                def innermost():
                    return 1
                return innermost
            return inner
//- deep.rs
mod outer {
    pub mod middle {
        pub struct Holder;
        impl Holder {
            pub fn hold(&self) {
                fn held() {}
                held();
            }
        }
    }
}
//- Deep.java
class Outer2 {
    static class Middle2 {
        class Leaf {
            void leaf() {}
        }
    }
}
//- server.go
package server

func (s *Server[T]) Start() {}
",
    );
    let check = |name: &str, expect: &[&str]| {
        let hit = &project.json(&["symbol", name])["hits"][0];
        let text = |field: &str| hit[field].as_str().unwrap_or_default().to_owned();
        let lines = format!("{}-{}", hit["start_line"], hit["end_line"]);
        let found = [text("id"), lines, text("entity_type"), text("breadcrumb"), text("parent_context")];
        assert_eq!(found, expect, "{name}");
    };
    check("Start", &["server.go:Server.Start", "3-3", "function", "Server > Start", "Server"]);
    check("Middle", &["deep.py:Outer.Middle", "2-8", "class", "Outer > Middle", "class Outer"]);
    check("method", &["deep.py:Outer.Middle.method", "3-8", "function", "Outer > Middle > method", "class Middle"]);
    check(
        "innermost",
        &[
            "deep.py:Outer.Middle.method.inner.innermost",
            "5-6",
            "function",
            "Outer > Middle > method > inner > innermost",
            "def inner()",
        ],
    );
    check(
        "held",
        &[
            "deep.rs:outer.middle.Holder.hold.held",
            "6-6",
            "function",
            "outer > middle > Holder > hold > held",
            "pub fn hold(&self)",
        ],
    );
    check(
        "leaf",
        &["Deep.java:Outer2.Middle2.Leaf.leaf", "4-4", "function", "Outer2 > Middle2 > Leaf > leaf", "class Leaf"],
    );
}

#[test]
fn s10_the_declaration_comes_first_and_its_methods_follow() {
    let cases = [
        (
            "//- a.swift
class AuthenticationManager {
    func signIn() {}
    func signOut() {}
}
//- b.swift
func use() { let m = AuthenticationManager(); m.signIn() }
",
            vec![
                "a.swift:AuthenticationManager",
                "a.swift:AuthenticationManager.signIn",
                "a.swift:AuthenticationManager.signOut",
            ],
        ),
        (
            "//- use.py
from auth import AuthenticationManager

def use():
    return AuthenticationManager().sign_in()
//- zauth.py
class AuthenticationManager:
    def sign_in(self):
        pass

    def sign_out(self):
        pass
",
            vec![
                "zauth.py:AuthenticationManager",
                "zauth.py:AuthenticationManager.sign_in",
                "zauth.py:AuthenticationManager.sign_out",
            ],
        ),
        (
            "//- Use.java
class Use { AuthenticationManager m = new AuthenticationManager(); }
//- z/AuthenticationManager.java
public class AuthenticationManager {
    void signIn() {}
    void signOut() {}
}
",
            vec![
                "z/AuthenticationManager.java:AuthenticationManager",
                "z/AuthenticationManager.java:AuthenticationManager.signIn",
                "z/AuthenticationManager.java:AuthenticationManager.signOut",
            ],
        ),
    ];
    for (fixture, expect) in cases {
        let project = Project::new(fixture);
        check(&project, &["AuthenticationManager"], &expect);
        let first = &project.ids(&["search", "AuthenticationManager"])[0];
        assert_eq!(first, expect[0], "the declaration also leads a search");
    }
}

#[test]
fn names_answer_exactly_by_prefix_in_any_case_and_misspelled_and_say_which() {
    let project = Project::new(AUTH);
    let check = |args: &[&str], how: &str, expect: &[&str]| {
        let found = project.json_or_nothing(&[&["symbol"], args].concat());
        assert_eq!(column(&found, "name"), expect, "{args:?}");
        assert!(column(&found, "match_type").iter().all(|m| m == how), "{args:?}: {found}");
    };
    check(&["UserAuth"], "exact", &["UserAuth"]);
    check(&["userauth"], "exact", &[]);
    check(&["userauth", "--ignore-case"], "any_case", &["UserAuth"]);
    check(&["userauth", "-i"], "any_case", &["UserAuth"]);
    check(&["UsrAuth"], "exact", &[]);
    check(&["UsrAuth", "--fuzzy"], "fuzzy", &["UserAuth"]);
    check(&["User*"], "prefix", &["UserAuth"]);
    check(&["user*"], "prefix", &[]);
    check(&["user*", "-i"], "prefix", &["UserAuth"]);
    check(&["logout"], "exact", &["logout"]);
}

#[test]
fn qualified_names_ids_paths_and_file_names_are_understood() {
    let project = Project::new(
        "\
//- src/shop/cart.py
class Cart:
    def add(self):
        pass
//- src/shop/basket.py
class Basket:
    def add(self):
        pass
//- src/shop/__init__.py
def checkout():
    pass
//- src/lib.rs
pub struct Cart;
impl Cart {
    pub fn add(&self) {}
}
//- lib/accounts.ex
defmodule App.Accounts do
  def fetch(id), do: id
end
",
    );
    let check = |name: &str, first: &str| {
        assert_eq!(project.ids(&["symbol", name]).first().map_or("", String::as_str), first, "{name}");
    };
    check("Basket.add", "src/shop/basket.py:Basket.add");
    check("basket.Basket.add", "src/shop/basket.py:Basket.add");
    check("shop.basket.Basket.add", "src/shop/basket.py:Basket.add");
    check("Basket.add()", "src/shop/basket.py:Basket.add");
    check("src/shop/cart.py:Cart.add", "src/shop/cart.py:Cart.add");
    check("./src/shop/cart.py:Cart.add", "src/shop/cart.py:Cart.add");
    check("lib.Cart::add", "");
    check("src.Cart::add", "src/lib.rs:Cart.add");
    check("shop.checkout", "src/shop/__init__.py:checkout");
    check("src/shop/cart.py", "src/shop/cart.py");
    check("cart.py", "src/shop/cart.py");
    check("shop/cart.py", "src/shop/cart.py");
    check("src/shop", "src/shop");
    check("App.Accounts", "lib/accounts.ex:App.Accounts");
    check("App.Accounts.fetch", "lib/accounts.ex:App.Accounts.fetch");
    check("lib/accounts.ex:App.Accounts", "lib/accounts.ex:App.Accounts");
    check("Nothing.add", "");
}

#[test]
fn a_name_nobody_bears_is_said_so_with_neighbours() {
    let project = Project::new(AUTH);
    let check = |args: &[&str], stderr: &str, suggestions: &[&str]| {
        let output = project.cds(&[&["symbol"], args].concat());
        assert_eq!((output.code, output.stdout.as_str(), output.stderr.trim()), (1, "", stderr), "{args:?}");
        let found = project.json_or_nothing(&[&["symbol"], args].concat());
        assert_eq!(found["total"], 0);
        assert_eq!(found["suggestions"], serde_json::json!(suggestions), "{args:?}");
    };
    check(&["logaut"], "cds: nothing is named \"logaut\"; near it: logout", &["logout"]);
    check(&["LOGOUT"], "cds: nothing is named \"LOGOUT\"; near it: logout", &["logout"]);
    let further = "; --ignore-case and --fuzzy look further, `cds search` looks inside texts";
    check(&["zzzzzz"], &format!("cds: nothing is named \"zzzzzz\"{further}"), &[]);
    check(
        &["logout", "--lang", "go"],
        "cds: one entity is named \"logout\", and it does not pass the filters: leave one of them out",
        &[],
    );
}

#[test]
fn a_limit_bounds_the_hits_and_the_total_counts_all() {
    let many: String = (0..30).map(|i| format!("//- m{i:02}.py\ndef same():\n    return {i}\n")).collect();
    let project = Project::new(&many);
    let check = |args: &[&str], hits: usize| {
        let found = project.json(&[&["symbol", "same"], args].concat());
        assert_eq!((found["hits"].as_array().unwrap().len(), &found["total"]), (hits, &30.into()), "{args:?}");
    };
    check(&[], 10);
    check(&["--limit", "3"], 3);
    check(&["-n", "100"], 30);
}
