//! Compares skeletons with what libcst printed: each line of a file is an object with `id`, `code` and `skel`.
#![allow(clippy::print_stdout, missing_docs)]

use cds_locagent::skeleton::skeleton;

fn main() {
    let mut show: usize = std::env::var("SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let (mut equal, mut total) = (0, 0);
        for line in text.lines() {
            let row: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
            let expected = row["skel"].as_str().unwrap_or_default();
            let found = skeleton(row["code"].as_str().unwrap_or_default());
            total += 1;
            if found == expected {
                equal += 1;
            } else if show > 0 {
                show -= 1;
                let at = found
                    .lines()
                    .zip(expected.lines())
                    .position(|(a, b)| a != b)
                    .unwrap_or(found.lines().count().min(expected.lines().count()));
                let near = |text: &str| {
                    text.lines()
                        .skip(at.saturating_sub(3))
                        .take(7)
                        .map(|line| format!("    |{line}\n"))
                        .collect::<String>()
                };
                println!("--- {} line {at}\nexpected\n{}found\n{}", row["id"], near(expected), near(&found));
            }
        }
        println!("{path}: {equal} of {total}");
    }
}
