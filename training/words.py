"""Words and their numbers: which words the model knows, and what stands for one it does not know."""
import numpy

MAX_WORD = 24
MIN_PIECE = 3


def is_word(word):
    return 1 < len(word) <= MAX_WORD and not word.isdigit() and word.isascii()


def pieces(word, known):
    """A word the model does not know as the longest known pieces from the left; letters in none are passed over."""
    found, at = [], 0
    while at + MIN_PIECE <= len(word):
        for end in range(len(word), at + MIN_PIECE - 1, -1):
            piece = known.get(word[at:end])
            if piece is not None:
                found.append(piece)
                at = end
                break
        else:
            at += 1
    return found


class Words:
    """Text of split words to rows of the table."""

    def __init__(self, words, split_unknown=True):
        self.words = words
        self.number = {word: i for i, word in enumerate(words)}
        self.split_unknown = split_unknown
        self.memory = {}
        self.texts = {}

    def ids(self, text):
        out = []
        for word in text.split():
            number = self.number.get(word)
            if number is not None:
                out.append(number)
            elif self.split_unknown and is_word(word):
                parts = self.memory.get(word)
                if parts is None:
                    parts = self.memory[word] = pieces(word, self.number)
                out.extend(parts)
        return out

    def counted(self, text):
        """Unique rows and how often each stands there. Texts come several times in a row: the last is remembered."""
        if text not in self.texts:
            if len(self.texts) > 100_000:
                self.texts.clear()
            count = {}
            for number in self.ids(text):
                count[number] = count.get(number, 0) + 1
            rows = sorted(count)
            self.texts[text] = (
                numpy.array(rows, dtype=numpy.int32), numpy.array([count[r] for r in rows], dtype=numpy.int32))
        return self.texts[text]
