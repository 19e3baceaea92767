//! A block of our own in a file of somebody else's: between two marks, and nothing outside of them.

const BEGIN: &str = "<!-- cds:begin -->";
const END: &str = "<!-- cds:end -->";

/// The text with the block, once.
pub(crate) fn set(text: &str, block: &str) -> String {
    let block = format!("{BEGIN}\n{}\n{END}\n", block.trim());
    match find(text) {
        Some(span) => [&text[..span.start], &block, &text[span.end..]].concat(),
        None if text.trim().is_empty() => block,
        None => format!("{}\n\n{block}", text.trim_end_matches('\n')),
    }
}

/// The text without it, and without the empty line that came with it.
pub(crate) fn remove(text: &str) -> String {
    let Some(span) = find(text) else { return text.to_owned() };
    let (before, after) = (&text[..span.start], &text[span.end..]);
    let before = if after.trim().is_empty() {
        before.strip_suffix("\n\n").map_or(before.to_owned(), |b| format!("{b}\n"))
    } else {
        before.to_owned()
    };
    if before.trim().is_empty() { after.to_owned() } else { format!("{before}{after}") }
}

fn find(text: &str) -> Option<std::ops::Range<usize>> {
    let start = text.find(BEGIN)?;
    let end = start + text[start..].find(END)? + END.len();
    let end = if text[end..].starts_with('\n') { end + 1 } else { end };
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::{remove, set};

    #[test]
    fn a_block_comes_and_goes() {
        let check = |before: &str| {
            let with = set(before, "use cds");
            assert!(with.contains("use cds"), "{with}");
            assert_eq!(set(&with, "use cds"), with, "once more changes nothing");
            assert_eq!(set(&set(before, "old words"), "use cds"), with, "old words are replaced");
            assert_eq!(remove(&with), before);
        };
        check("");
        check("# Mine\n\nWords.\n");
        let between = set("# Mine\n", "x") + "\n# After\n";
        assert_eq!(remove(&between), "# Mine\n\n\n# After\n");
    }
}
