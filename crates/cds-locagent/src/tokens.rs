//! How many tokens is a text?

/// The vocabulary's special tokens. LocAgent's tokenizer lets them through as such, so each counts for one wherever it is written out.
const SPECIAL: [&str; 5] = ["<|endofprompt|>", "<|endoftext|>", "<|fim_middle|>", "<|fim_prefix|>", "<|fim_suffix|>"];

/// cl100k_base tokens of a text.
pub(crate) fn count(text: &str) -> u32 {
    let mut total = 0;
    let mut rest = text;
    while let Some((at, special)) = next_special(rest) {
        total += plain(&rest[..at]) + 1;
        rest = &rest[at + special.len()..];
    }
    total + plain(rest)
}

fn plain(text: &str) -> u32 {
    if text.is_empty() { 0 } else { bpe_openai::cl100k_base().count(text) as u32 }
}

fn next_special(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices("<|").find_map(|(at, _)| SPECIAL.iter().find(|s| text[at..].starts_with(**s)).map(|s| (at, *s)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        for (text, expect) in [("", 0), ("class A:", 3), ("u = \\\n", 3), ("a<|endoftext|>b", 3), ("<|", 1)] {
            assert_eq!(count(text), expect, "{text:?}");
        }
    }
}
