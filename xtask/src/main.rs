//! Dev tools.
fn main() {}
