//! What a section says, in a sentence.

use cds_model::counted;

use super::members;
use super::plan::Topic;
use super::sections::{Found, Ground};
use super::subjects::called;

impl Ground<'_> {
    /// A sentence about what was found.
    pub(super) fn about(&self, topic: Topic, found: &Found) -> String {
        let it = called(self.snapshot, &self.question.subjects);
        let n = found.total;
        let places = |noun: &str| counted(n, noun);
        let files =
            if found.files.is_empty() { String::new() } else { format!(" in {}", counted(found.files.len(), "file")) };
        let many = self.question.subjects.len() > 1;
        let does = |single: &str, plural: &str| if many { plural.to_owned() } else { single.to_owned() };
        let one = n == 1;
        let verb = |single: &str, plural: &str| if one { single.to_owned() } else { plural.to_owned() };
        match topic {
            Topic::Callers if n == 0 => format!("no call of {it} is known"),
            Topic::Callers => {
                format!("{}{files} {} {it}, directly or through others", places("place"), verb("calls", "call"))
            }
            Topic::Callees if n == 0 => format!("{it} {} nothing that the tree defines", does("calls", "call")),
            Topic::Callees => {
                format!("{it} {} {}{files}, directly or through others", does("calls", "call"), places("place"))
            }
            Topic::Impact if n == 0 => format!("nothing outside of tests is known to use {it}"),
            Topic::Impact => format!("a change of {it} may touch {}{files}", places("place")),
            Topic::Tests if n == 0 => format!("no test is known to reach {it}"),
            Topic::Tests => format!("{}{files} {} {it}", places("test"), verb("reaches", "reach")),
            Topic::Implementations if n == 0 => format!("nothing is known to implement or extend {it}"),
            Topic::Implementations => {
                let noun = if self.subjects().any(members::is_type) { "type" } else { "method" };
                let what = if noun == "type" {
                    verb("extends or implements", "extend or implement")
                } else {
                    verb("takes the place of", "take the place of")
                };
                format!("{}{files} {what} {it}", places(noun))
            }
            Topic::Dependents if n == 0 => format!("nothing is known to use {it}"),
            Topic::Dependents => format!("{} {} {it}", places("place"), verb("uses", "use")),
            Topic::Dependencies if n == 0 => format!("{it} {} nothing else that the tree defines", does("uses", "use")),
            Topic::Dependencies => format!("{it} {} {}", does("uses", "use"), places("place")),
            Topic::External if n == 0 => format!("{it} {} no module from outside", does("uses", "use")),
            Topic::External => format!("{it} {} {} from outside", does("uses", "use"), places("module")),
            Topic::Related if n == 0 => format!("nothing shares callers or callees with {it}"),
            Topic::Related => format!("{} {} callers or callees with {it}", places("place"), verb("shares", "share")),
            Topic::Similar if n == 0 => format!("nothing is written like {it}"),
            Topic::Similar => format!("{} {} written like {it}", places("place"), verb("is", "are")),
            Topic::Modules | Topic::Path => String::new(),
        }
    }
}
