"""How much is made, and where the results of the steps are kept."""
from dataclasses import dataclass
from pathlib import Path

DIMENSIONS = 256


@dataclass(frozen=True)
class Size:
    """`stems`: English stems that are read by the teacher; `rows`: those of the table, the most frequent ones."""

    stems: int
    rows: int
    texts: int
    texts_for_mean: int
    units: dict[str, int]
    """The stems or words of each other language, and of English to map them by."""


FULL = Size(
    stems=10**9,
    rows=85_000,
    texts=10**9,
    texts_for_mean=8000,
    units={'de': 16_000, 'ru': 16_000, 'zh': 12_000, 'ar': 12_000, 'hi': 12_000, 'th': 12_000, 'en': 16_000},
)
QUICK = Size(
    stems=2000,
    rows=2000,
    texts=2000,
    texts_for_mean=1000,
    units=dict.fromkeys(FULL.units, 400),
)

TABLE_NAMES = {'de': 'german', 'ru': 'russian', 'zh': 'chinese', 'ar': 'arabic', 'hi': 'hindi', 'th': 'thai'}


class Results:
    """The files of the steps in a folder. A step whose file is there is not run again."""

    def __init__(self, folder: Path):
        self.sources = folder / 'sources'
        self.stems = folder / 'english-stems.json'
        """[[stem, frequency], …], the most frequent first."""
        self.stem_vectors = folder / 'english-stems.npy'
        """A row for each stem: the teacher's vectors of its words, float16."""
        self.texts = folder / 'english-texts.json'
        """[[kind, head word or title, text], …]"""
        self.text_vectors = folder / 'english-texts.npy'
        """A row for each text, float16."""
        self.text_parts = folder / 'english-texts'
        self.trained = folder / 'english-trained.npy'
        """A row of `DIMENSIONS` for each stem of the table, float16."""
        self.units = folder / 'units'
        self.mapped = folder / 'mapped'

    def mapped_language(self, code: str) -> Path:
        """`units`, `vectors` (float16, of length 1) and `frequency` of a language."""
        return self.mapped / f'{code}.npz'
