//! What text does a chunk show?
//!
//! The text of its blocks, and of all blocks around them up to the module; inside of functions and compound statements, a remark for what
//! is left out.

use super::blocks::{Block, BlockId, Blocks, Kind};
use super::paths::PathId;

/// The remark for what is left out.
const LEFT_OUT: &str = "# ... other code";

/// Writes the texts of a file's chunks.
pub(crate) struct Renderer<'b> {
    blocks: &'b Blocks,
    text: &'b str,
    /// For each path, the last chunk that shows something at or below it.
    shown: Vec<u32>,
    /// For each path, the last chunk that lists a block of it.
    listed: Vec<u32>,
    chunk: u32,
}

impl<'b> Renderer<'b> {
    pub(crate) fn new(blocks: &'b Blocks, text: &'b str) -> Self {
        let paths = blocks.paths.len();
        Self { blocks, text, shown: vec![0; paths], listed: vec![0; paths], chunk: 0 }
    }

    /// The text of a chunk.
    pub(crate) fn render(&mut self, chunk: &[BlockId]) -> String {
        self.chunk += 1;
        for id in chunk {
            self.mark(self.blocks.blocks[*id as usize].path);
        }
        let mut out = String::new();
        self.write(0, &mut out);
        let kept = out.trim_matches('\n');
        if kept.len() < out.len() { kept.to_owned() } else { out }
    }

    fn mark(&mut self, path: PathId) {
        self.listed[path.index()] = self.chunk;
        let mut at = path;
        while self.shown[at.index()] != self.chunk {
            self.shown[at.index()] = self.chunk;
            let Some(parent) = self.blocks.paths.parent(at) else { return };
            at = parent;
        }
    }

    fn write(&self, id: BlockId, out: &mut String) {
        let block = &self.blocks.blocks[id as usize];
        self.write_own(block, out);
        let remarks = !matches!(block.kind, Kind::Class | Kind::Module);
        let mut left_out = false;
        let mut last = None;
        for child_id in self.blocks.children(id) {
            let child = &self.blocks.blocks[child_id as usize];
            let is_comment = matches!(child.kind, Kind::Comment | Kind::Placeholder);
            last = Some(child);
            // Space at the end has no path of its own, and is never shown.
            if child.kind != Kind::Space && self.shown[child.path.index()] == self.chunk {
                if left_out && remarks && !is_comment && self.listed[child.path.index()] == self.chunk {
                    self.write_remark(child, out);
                }
                self.write(child_id, out);
                left_out = false;
            } else if !is_comment {
                left_out = true;
            }
        }
        if let (true, true, Some(last)) = (left_out, remarks, last) {
            self.write_remark(last, out);
        }
    }

    /// Writes a block's own text. Of what stands before it only line breaks and the indentation are kept, so a backslash is lost there; that
    /// after an assignment's `=` is put back, unless the assignment does not begin a line.
    fn write_own(&self, block: &Block, out: &mut String) {
        let text = &self.text[block.text.clone()];
        let before = &self.text[block.before.clone()];
        let lines = before.bytes().filter(|byte| *byte == b'\n').count();
        if lines == 0 {
            out.push_str(before);
        } else {
            out.extend(std::iter::repeat_n('\n', lines));
            if !text.is_empty() && !text.starts_with('\n') {
                out.push_str(indentation(before));
            }
            if block.continued {
                let line = text.find('\n').unwrap_or(text.len());
                out.push_str(&text[..line]);
                out.push_str(" \\");
                out.push_str(&text[line..]);
                return;
            }
        }
        out.push_str(text);
    }

    fn write_remark(&self, beside: &Block, out: &mut String) {
        out.push('\n');
        out.push_str(indentation(&self.text[beside.before.clone()]));
        out.push_str(LEFT_OUT);
    }
}

/// What stands on the last line before a block.
fn indentation(before: &str) -> &str {
    before.rsplit('\n').next().unwrap_or_default()
}
