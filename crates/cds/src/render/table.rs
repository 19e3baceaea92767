//! Rows to text: the first column is a name, the others are numbers.

use super::markdown::prose;
use crate::output::TextOutput;

/// A table with a head.
pub(crate) struct Table {
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// Columns in line, numbers to the right.
    pub(crate) fn aligned(&self, out: &mut TextOutput) {
        let widths = self.widths();
        for row in std::iter::once(&self.head).chain(&self.rows) {
            let cells = row.iter().zip(&widths).enumerate();
            let text: Vec<String> = cells
                .map(|(i, (cell, width))| if i == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") })
                .collect();
            out.line(format_args!("{}", text.join("  ").trim_end()));
        }
    }

    /// The same for Markdown.
    pub(crate) fn markdown(&self, out: &mut TextOutput) {
        let rule = format!("|---{}|", "|---:".repeat(self.head.len().saturating_sub(1)));
        // A bar would begin a cell.
        let line = |out: &mut TextOutput, row: &[String]| {
            let cells: Vec<String> = row.iter().map(|cell| prose(cell).replace('|', "\\|")).collect();
            out.line(format_args!("| {} |", cells.join(" | ")));
        };
        line(out, &self.head);
        out.line(format_args!("{rule}"));
        self.rows.iter().for_each(|row| line(out, row));
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.head.len()];
        for row in std::iter::once(&self.head).chain(&self.rows) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        widths
    }
}
