//! Rows to text: the first column is a name, the others are numbers.

/// A table with a head.
pub(crate) struct Table {
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// Columns in line, numbers to the right.
    pub(crate) fn aligned(&self) -> String {
        let widths = self.widths();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate();
            let text: Vec<String> = cells
                .map(|(i, (cell, width))| if i == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") })
                .collect();
            format!("{}\n", text.join("  ").trim_end())
        };
        std::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }

    /// The same for Markdown.
    pub(crate) fn markdown(&self) -> String {
        // A bar would begin a cell.
        let line = |row: &Vec<String>| {
            format!("| {} |\n", row.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
        };
        let rule = format!("|---{}|\n", "|---:".repeat(self.head.len().saturating_sub(1)));
        line(&self.head) + &rule + &self.rows.iter().map(line).collect::<String>()
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
