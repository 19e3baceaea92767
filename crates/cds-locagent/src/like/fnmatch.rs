//! Python's `fnmatch` over a whole path: `*` crosses `/`, case counts.

/// A pattern, in pieces.
pub(crate) struct Pattern(Vec<Piece>);

enum Piece {
    /// `*`.
    Any,
    /// `?`.
    One,
    /// A character as it is.
    Char(char),
    /// `[a-z]`, `[!a-z]`.
    Set { ranges: Vec<(char, char)>, negated: bool },
}

impl Pattern {
    /// Reads a pattern. Every text is one: a bracket that is never closed stands for itself.
    pub(crate) fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < chars.len() {
            let (piece, next) = match chars[at] {
                '*' => (Piece::Any, at + 1),
                '?' => (Piece::One, at + 1),
                '[' => set(&chars, at).unwrap_or((Piece::Char('['), at + 1)),
                c => (Piece::Char(c), at + 1),
            };
            pieces.push(piece);
            at = next;
        }
        Self(pieces)
    }

    /// Whether all of the path is covered. Only the last `*` is ever tried again, so the time is bounded by the product of both lengths.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let (mut piece, mut rest) = (0, path);
        let mut retry: Option<(usize, &str)> = None;
        while !rest.is_empty() || piece < self.0.len() {
            let (next, after) = split_first(rest);
            match self.0.get(piece) {
                Some(Piece::Any) => {
                    piece += 1;
                    retry = Some((piece, rest));
                    continue;
                }
                Some(one) if next.is_some_and(|next| one.takes(next)) => {
                    piece += 1;
                    rest = after;
                    continue;
                }
                _ => {}
            }
            let Some((after_star, start)) = retry.filter(|(_, start)| !start.is_empty()) else { return false };
            rest = split_first(start).1;
            piece = after_star;
            retry = Some((after_star, rest));
        }
        true
    }
}

fn split_first(text: &str) -> (Option<char>, &str) {
    let mut chars = text.chars();
    (chars.next(), chars.as_str())
}

impl Piece {
    fn takes(&self, c: char) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Char(own) => *own == c,
            Self::Set { ranges, negated } => ranges.iter().any(|&(low, high)| low <= c && c <= high) != *negated,
        }
    }
}

/// The set that begins at `open`, and where it ends. A `]` right at its beginning is one of its characters, as is a `-` at either end.
fn set(chars: &[char], open: usize) -> Option<(Piece, usize)> {
    let negated = chars.get(open + 1) == Some(&'!');
    let from = open + 1 + usize::from(negated);
    let close = chars.iter().skip(from + 1).position(|&c| c == ']')? + from + 1;
    let inside = &chars[from..close];
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < inside.len() {
        if at + 2 < inside.len() && inside[at + 1] == '-' {
            ranges.push((inside[at], inside[at + 2]));
            at += 3;
        } else {
            ranges.push((inside[at], inside[at]));
            at += 1;
        }
    }
    Some((Piece::Set { ranges, negated }, close + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_python() {
        let check = |pattern: &str, path: &str, expected: bool| {
            assert_eq!(Pattern::new(pattern).matches(path), expected, "{pattern} {path}")
        };
        check("**/*.py", "a/b/c.py", true);
        check("**/*.py", "setup.py", false);
        check("*.py", "a/b.py", true);
        check("a/[a-m]*.py", "a/fa.py", true);
        check("a/[!a-m]*.py", "a/fa.py", false);
        check("a[b", "a[b", true);
        check("[]x]", "]", true);
        check("[z-a]", "m", false);
        check("?", "", false);
        check("A*", "abc", false);
        check("*a*b", "xaxbxb", true);
        check("*", "", true);
    }
}
