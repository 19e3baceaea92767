//! Numbers in words for people.

/// A count with its noun: `1 file`, `2 files`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_not_many() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "hit")), ["0 hits", "1 hit", "2 hits"]);
    }
}
