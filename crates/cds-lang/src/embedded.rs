//! Stretches of one language inside another: scripts in markup, fenced code in prose.

use std::ops::Range;

use crate::registry::{Language, Registry};
use crate::sections;
use crate::spec::Structure;

pub(crate) struct Stretch<'a> {
    pub(crate) language: &'a Language,
    pub(crate) range: Range<usize>,
    /// Where the markup around it begins.
    pub(crate) opens: usize,
    /// Whether what is defined in it counts as defined in the file. Examples in prose do not.
    pub(crate) is_code: bool,
}

/// The stretches of `text`, in order, not overlapping.
pub(crate) fn find<'a>(registry: &'a Registry, language: &Language, text: &str) -> Vec<Stretch<'a>> {
    if language.spec.structure == Structure::Headings {
        return sections::fences(text)
            .filter_map(|(tag, range)| {
                Some(Stretch { language: registry.by_name(tag)?, opens: range.start, range, is_code: false })
            })
            .collect();
    }
    if language.spec.embedded.is_empty() {
        return Vec::new();
    }
    let lower = text.to_ascii_lowercase();
    let mut stretches = Vec::new();
    let mut at = 0;
    while let Some((open, rule)) = language
        .spec
        .embedded
        .iter()
        .filter_map(|rule| lower[at..].find(&rule.open).map(|i| (at + i, rule)))
        .min_by_key(|(i, _)| *i)
    {
        let Some(tag_end) = lower[open..].find('>').map(|i| open + i + 1) else { break };
        let close = lower[tag_end..].find(&rule.close).map_or(text.len(), |i| tag_end + i);
        let tag = &lower[open..tag_end];
        let named = ["lang=", "type="].iter().find_map(|attribute| {
            let value = &tag[tag.find(attribute)? + attribute.len()..];
            let value = value.trim_start_matches(['"', '\'']);
            value.split(['"', '\'', ' ', '>']).next()?.rsplit('/').next()
        });
        // A tag may say that it holds something else: data, templates.
        let language = match named {
            None | Some("" | "module" | "babel") => registry.by_name(&rule.language),
            Some(name) => registry.by_name(name),
        };
        if let Some(language) = language {
            stretches.push(Stretch { language, range: tag_end..close, opens: open, is_code: language.has_grammar() });
        }
        at = close.max(open + 1);
    }
    stretches
}
