//! Which blocks make a chunk together?

use super::blocks::{BlockId, Blocks, Kind};
use super::naming::contains_ignoring_case;

/// Below so many tokens a chunk is merged with a neighbour.
const MIN_TOKENS: u32 = 100;
/// A chunk of a definition or module is closed before it reaches so many tokens.
const SOFT_TOKENS: u32 = 500;
/// No chunk is to have more tokens, neither by adding nor by merging.
const MAX_TOKENS: u32 = 2000;
/// With more chunks than this, all are merged with neighbours.
const MAX_CHUNKS: usize = 200;

/// Words that make a comment, and those after it, worthless.
const BOILERPLATE: [&str; 3] = ["author", "copyright", "license"];

/// Blocks of a chunk, in the order they were added, and the sum of their own tokens.
#[derive(Default)]
pub(crate) struct Cut {
    pub(crate) blocks: Vec<BlockId>,
    tokens: u32,
}

impl Cut {
    fn append(&mut self, mut other: Self) {
        self.blocks.append(&mut other.blocks);
        self.tokens += other.tokens;
    }

    fn prepend(&mut self, mut other: Self) {
        std::mem::swap(self, &mut other);
        self.append(other);
    }
}

/// Whether a long file begins with a comment that says it is generated. Any such comment will do, also one about what the file generates.
pub(crate) fn looks_generated(blocks: &Blocks, text: &str) -> bool {
    blocks.blocks[0].total > MAX_TOKENS
        && blocks.children(0).next().is_some_and(|first| {
            let first = &blocks.blocks[first as usize];
            first.kind == Kind::Comment && contains_ignoring_case(&text[first.text.clone()], "generated")
        })
}

/// The chunks of a file.
pub(crate) fn cut(blocks: &Blocks, text: &str) -> Vec<Cut> {
    let cutter = Cutter { blocks, text };
    if blocks.blocks[0].total < MIN_TOKENS {
        let mut whole = Cut::default();
        cutter.add(&mut whole, 0);
        cutter.add_inside(&mut whole, 0);
        return vec![whole];
    }
    cutter.cut(0)
}

struct Cutter<'b> {
    blocks: &'b Blocks,
    text: &'b str,
}

impl Cutter<'_> {
    fn add(&self, cut: &mut Cut, block: BlockId) {
        cut.blocks.push(block);
        cut.tokens += self.blocks.blocks[block as usize].tokens;
    }

    fn add_inside(&self, cut: &mut Cut, block: BlockId) {
        let block_end = self.blocks.blocks[block as usize].end;
        for inside in block + 1..block_end {
            self.add(cut, inside);
        }
    }

    fn cut(&self, of: BlockId) -> Vec<Cut> {
        let block = &self.blocks.blocks[of as usize];
        let is_module = of == 0;
        let around = block.tokens + if is_module { 0 } else { self.blocks.blocks[block.parent as usize].tokens };
        let mut done: Vec<Cut> = Vec::new();
        let mut current = Cut::default();
        let mut waiting = Cut::default();
        let mut ignoring = false;
        for id in self.blocks.children(of) {
            let child = &self.blocks.blocks[id as usize];
            if child.kind == Kind::Comment {
                if ignoring || self.is_boilerplate(id) {
                    ignoring = true;
                    continue;
                }
                if is_module {
                    self.add(&mut waiting, id);
                    continue;
                }
            } else if child.tokens > MAX_TOKENS {
                continue;
            } else {
                ignoring = false;
            }

            if is_split(child.kind) && child.total > MIN_TOKENS || around + child.total > MAX_TOKENS {
                if !current.blocks.is_empty() {
                    done.push(std::mem::take(&mut current));
                }
                current.append(std::mem::take(&mut waiting));
                self.add(&mut current, id);
                self.cut_inside(id, around, std::mem::take(&mut current), &mut done);
                continue;
            }

            let size = around + current.tokens + child.total;
            if size < SOFT_TOKENS || !is_split(block.kind) && size < MAX_TOKENS {
                current.append(std::mem::take(&mut waiting));
            } else {
                // A quirk: waiting comments go to the chunk that ends here, and are lost if it is empty.
                let comments = std::mem::take(&mut waiting);
                if !current.blocks.is_empty() {
                    current.append(comments);
                    done.push(std::mem::take(&mut current));
                }
            }
            self.add(&mut current, id);
            self.add_inside(&mut current, id);
        }
        match done.last_mut() {
            Some(last) if current.tokens < MIN_TOKENS => last.append(current),
            _ => done.push(current),
        }
        merge(done)
    }

    /// Cuts a child by itself; its first chunk joins the head if both are short enough.
    fn cut_inside(&self, child: BlockId, around: u32, mut head: Cut, done: &mut Vec<Cut>) {
        let mut chunks = self.cut(child).into_iter();
        let first = chunks.next().unwrap_or_default();
        if around + self.blocks.blocks[child as usize].tokens + first.tokens < MAX_TOKENS {
            head.append(first);
            done.push(head);
        } else {
            done.push(head);
            done.push(first);
        }
        done.extend(chunks);
    }

    fn is_boilerplate(&self, comment: BlockId) -> bool {
        let text = &self.text[self.blocks.blocks[comment as usize].text.clone()];
        text.is_empty() || BOILERPLATE.iter().any(|word| contains_ignoring_case(text, word))
    }
}

/// Kinds that get chunks of their own when they are long enough. Constructors are not among them.
fn is_split(kind: Kind) -> bool {
    matches!(kind, Kind::Module | Kind::Class | Kind::Function)
}

/// Merges chunks that are too short, or all when there are too many, with a neighbour. One pass, unless there are still too many.
fn merge(mut chunks: Vec<Cut>) -> Vec<Cut> {
    loop {
        let (merged, changed) = merge_once(chunks);
        chunks = merged;
        if chunks.len() < MAX_CHUNKS || !changed {
            return chunks;
        }
    }
}

fn merge_once(mut chunks: Vec<Cut>) -> (Vec<Cut>, bool) {
    let count = chunks.len();
    let mut merged: Vec<Cut> = Vec::with_capacity(count);
    let mut changed = false;
    // Chunks are taken out as the pass goes on, but comparing with the previous one is by its size before.
    let mut previous = 0;
    for i in 0..count {
        let chunk = std::mem::take(&mut chunks[i]);
        let tokens = chunk.tokens;
        if tokens < MIN_TOKENS || count > MAX_CHUNKS {
            let is_last = i + 1 == count;
            let backward = is_last || i > 0 && previous < chunks[i + 1].tokens;
            let fits = |other: &Cut| other.tokens + tokens <= MAX_TOKENS;
            if !backward && fits(&chunks[i + 1]) {
                chunks[i + 1].prepend(chunk);
                changed = true;
            } else if backward && merged.last().is_some_and(fits) {
                merged.last_mut().expect("just seen").append(chunk);
                changed = true;
            } else {
                merged.push(chunk);
            }
        } else {
            merged.push(chunk);
        }
        previous = tokens;
    }
    (merged, changed)
}
