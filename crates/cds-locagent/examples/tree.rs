//! Compares trees with recorded ones.
use cds_locagent::*;
use std::io::BufRead;
fn main() {
    let root = std::env::args().nth(1).expect("a folder");
    let graph = build_graph(std::path::Path::new(&root)).expect("a folder");
    let edges = Adjacency::new(&graph);
    let (mut same, mut all) = (0, 0);
    for line in std::io::stdin().lock().lines() {
        let row: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let strings = |v: &serde_json::Value| {
            v.as_array().map(|a| a.iter().map(|s| s.as_str().unwrap().to_owned()).collect::<Vec<_>>())
        };
        let starts = strings(&row["starts"]).unwrap_or_else(|| vec![row["start"].as_str().unwrap().to_owned()]);
        let request = TreeRequest {
            starts,
            direction: match row["direction"].as_str().unwrap() {
                "downstream" => Direction::Downstream,
                "upstream" => Direction::Upstream,
                _ => Direction::Both,
            },
            depth: u32::try_from(row["hops"].as_i64().unwrap()).ok(),
            node_types: strings(&row["entity_type_filter"])
                .map(|t| graph::NodeType::ALL.into_iter().filter(|k| t.contains(&k.name().to_owned())).collect()),
            edge_types: strings(&row["dependency_type_filter"])
                .map(|t| graph::EdgeType::ALL.into_iter().filter(|k| t.contains(&k.name().to_owned())).collect()),
        };
        let t = std::time::Instant::now();
        let text = draw_trees(&graph, &edges, &request, |_| Vec::new());
        let t = t.elapsed();
        all += 1;
        if row["text_canonical"].as_str().is_some_and(|e| e == text || (text.len() > 400_000 && text.starts_with(e))) {
            same += 1
        } else {
            eprintln!(
                "differs: {:?} {} {} {t:?}\n{}\n{}",
                request.starts,
                request.direction as u8,
                row["hops"],
                row["text_canonical"].as_str().unwrap_or("?").chars().take(300).collect::<String>(),
                text.chars().take(300).collect::<String>()
            );
        }
    }
    println!("{root} {same}/{all}");
}
