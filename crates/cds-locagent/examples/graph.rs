//! Prints the graph of a folder.
use std::io::Write;
fn main() {
    let root = std::env::args().nth(1).expect("a folder");
    let t = std::time::Instant::now();
    let graph = cds_locagent::build_graph(std::path::Path::new(&root)).expect("a folder");
    eprintln!(
        "{} nodes {} edges {:?} problems {:?}",
        graph.nodes.len(),
        graph.edges.len(),
        t.elapsed(),
        graph.problems
    );
    if let Some(out) = std::env::args().nth(2) {
        let mut f = std::io::BufWriter::new(std::fs::File::create(format!("{out}.nodes")).unwrap());
        for n in graph.by_id() {
            let n = &graph.nodes[n as usize];
            writeln!(f, "{}\t{:?}\t{}\t{}", n.id, n.kind, n.start_line, n.end_line).unwrap();
        }
        let mut f = std::io::BufWriter::new(std::fs::File::create(format!("{out}.edges")).unwrap());
        for e in &graph.edges {
            writeln!(
                f,
                "{}\t{}\t{:?}\t{}",
                graph.nodes[e.source as usize].id,
                graph.nodes[e.target as usize].id,
                e.kind,
                graph.alias(e).unwrap_or("-")
            )
            .unwrap();
        }
    }
}
