//! What moves a chunk besides its words.

use cds_model::{Granularity, Query};
use cds_search::{Preset, SearchOptions};

use crate::fixture::{Tree, query};

fn check(tree: &Tree, text: &str, expect: &[&str]) {
    let found = tree.found(&Query { granularity: Granularity::File, chunks_per_file: 1, ..query(text) });
    let paths: Vec<&str> = found.iter().map(|f| f.split(':').next().unwrap_or(f)).collect();
    assert_eq!(paths, expect, "{text:?}");
}

/// Signals of the first hit.
fn signals(tree: &Tree, text: &str) -> Vec<(&'static str, f32)> {
    tree.search(&query(text)).hits[0].signals.iter().map(|s| (s.name, s.value)).collect()
}

#[test]
fn definitions_and_names_of_files_count_more_than_mentions() {
    let tree = Tree::new(
        "\
//- billing.py
def total():
    return 1
//- other.py
def invoice():
    return billing
//- report.txt
The invoice of billing is an invoice.
",
    );
    check(&tree, "billing module", &["billing.py", "other.py", "report.txt"]);
    check(&tree, "make invoice", &["other.py", "report.txt"]);
    let found = signals(&tree, "make invoice");
    assert!(found.iter().any(|(name, value)| *name == "definition" && *value > 0.0), "{found:?}");
}

#[test]
fn folders_speak_for_files_without_a_name_of_their_own() {
    let tree = Tree::new(
        "\
//- billing/__init__.py
walrus = 1
//- shipping/mod.rs
const WALRUS: u32 = 1;
//- index.js
const walrus = 1;
//- ledger/deep.py
walrus = 1
",
    );
    let first = |text: &str| tree.path(&tree.search(&query(text)).hits[0]);
    assert_eq!(first("walrus billing"), "billing/__init__.py");
    assert_eq!(first("walrus shipping"), "shipping/mod.rs");
    assert_eq!(first("walrus ledger"), "ledger/deep.py");
    assert_eq!(first("walrus in deep"), "ledger/deep.py");
    assert!(signals(&tree, "walrus billing").iter().any(|(name, _)| *name == "whole_stem"));
}

#[test]
fn tests_stand_below_source_unless_they_are_asked_for() {
    let tree = Tree::new(
        "\
//- src/cart.py
def checkout(cart):
    return cart
//- tests/cart.py
def checkout(cart):
    return cart
",
    );
    check(&tree, "checkout of a cart", &["src/cart.py", "tests/cart.py"]);
    let factor = |text: &str, path: &str| {
        let outcome = tree.search(&Query { granularity: Granularity::File, ..query(text) });
        let hit = outcome.hits.iter().find(|h| tree.path(h) == path).expect("a hit").clone();
        hit.signals.iter().map(|s| s.name).filter(|n| n.ends_with("role") || n.ends_with("_path")).collect::<Vec<_>>()
    };
    assert_eq!(factor("checkout of a cart", "tests/cart.py"), ["other_role"]);
    assert_eq!(factor("checkout of a cart", "src/cart.py"), ["source_path"]);
    assert_eq!(factor("tests of checkout", "tests/cart.py"), [""; 0]);
}

#[test]
fn a_bare_name_means_the_type_that_bears_it() {
    let tree = Tree::new(
        "\
//- a.rs
pub struct Cart { items: u32 }

impl Cart {
    pub fn cart(&self) -> Cart { Cart { items: 1 } }
}

fn hidden_cart() -> Cart { Cart { items: 0 } }
",
    );
    let names = |text: &str| -> Vec<&str> { signals(&tree, text).iter().map(|(name, _)| *name).collect() };
    assert_eq!(tree.found(&query("Cart"))[0], "a.rs:Cart");
    assert!(names("Cart").contains(&"type_declaration") && names("Cart").contains(&"exact_symbol"));
    assert!(!names("use of a_cart Cart").contains(&"type_declaration"), "words around it: any use may be meant");
    assert!(names("Cart").contains(&"public"));
    assert!(!names("hidden_cart").contains(&"public"));
}

#[test]
fn a_name_that_many_bear_is_not_rare() {
    let many: String = (0..12).map(|i| format!("class C{i}:\n    def render(self):\n        return {i}\n\n")).collect();
    let tree = Tree::of([("many.py", many.as_str()), ("one.py", "def unrender():\n    return 1\n")].into_iter());
    let has = |text: &str| signals(&tree, text).iter().any(|(name, _)| *name == "exact_symbol");
    assert!(!has("render") && has("unrender"));
}

/// Applies the signals of a hit in their order.
fn explained(hit: &cds_model::Hit) -> f32 {
    hit.signals.iter().fold(0.0, |sum, s| if s.multiplies { sum * s.value } else { sum + s.value })
}

#[test]
fn signals_applied_in_order_give_the_score() {
    let tree = Tree::new(
        "//- src/store.rs\npub trait Store { fn get(&self) -> u32; }\n\npub struct Disk;\n\nimpl Store for Disk {\n    fn get(&self) -> u32 { read_store() }\n}\n\n\
         pub fn read_store() -> u32 { 1 }\n\npub fn warm_store(disk: &Disk) -> u32 { disk.get() }\n\
         //- tests/store.rs\nfn store_is_read() { read_store(); }\n",
    );
    let questions =
        ["what implements Store", "what calls read_store()", "Store", "where is the store read", "read store in rust"];
    for preset in cds_search::PRESETS {
        for question in questions {
            for depth in [0, 2] {
                let options = SearchOptions { depth, ..SearchOptions::default() };
                let query = Query { preset: preset.name.to_owned(), ..query(question) };
                let hits = tree.search_with(&query, &options).hits;
                let Some(best) = hits.first() else { continue };
                let scale = best.score / explained(best);
                for hit in &hits {
                    let expect = explained(hit) * scale;
                    assert!(
                        (hit.score - expect).abs() < 1e-3,
                        "{} {question:?} depth {depth}: {expect} {hit:?}",
                        preset.name
                    );
                }
            }
        }
    }
}

#[test]
fn every_number_that_reaches_a_score_is_a_signal() {
    let tree = Tree::new(
        "\
//- src/cart.py
class Cart:
    \"\"\"A cart of goods.\"\"\"

    def checkout(self):
        return self.goods

def _private_cart():
    return Cart()
//- tests/test_cart.py
def test_checkout():
    return Cart().checkout()
//- docs/cart.md
# Cart

Goods go to the cart before checkout.
",
    );
    for text in ["cart", "checkout goods", "Cart.checkout", "test of checkout", "_private_cart", "where is a Cart"] {
        let outcome = tree.search(&query(text));
        let cap = Preset::find("default").expect("a preset").weights.cap;
        let raw: Vec<f32> = outcome
            .hits
            .iter()
            .map(|hit| {
                let sum: f32 = hit.signals.iter().filter(|s| !s.multiplies).map(|s| s.value).sum();
                let product: f32 = hit.signals.iter().filter(|s| s.multiplies).map(|s| s.value).product();
                sum * product.min(cap)
            })
            .collect();
        assert!(raw.len() > 1, "{text}");
        assert!(raw.is_sorted_by(|a, b| a >= b), "{text}: {raw:?}");
        for (hit, raw_score) in outcome.hits.iter().zip(&raw) {
            let expect = outcome.hits[0].score * raw_score / raw[0];
            assert!((hit.score - expect).abs() < 1e-4, "{text}: {hit:?} {expect}");
        }
    }
}
