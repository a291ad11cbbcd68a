"""
Writes the tables; their layout is described in src/meaning/word-vectors.ts.

A row is the word's vector times its weight, turned by one random rotation for all languages: it spreads what the
vectors say evenly over the numbers, so that few bits of each are enough.
"""
import json
import struct
from pathlib import Path

import numpy as np

from settings import DIMENSIONS, TABLE_NAMES, Results, Size
from words import english_stems, weights_of

MAGIC = 0x3156574B  # KWV1
GENERATION = 1
"""`WORD_VECTORS_GENERATION` of src/meaning/passage-vectors.ts: raise both when the tables change."""
LARGEST = 127
"""Of the numbers in memory, 8 bits with a sign."""
COMMON_WORDS = 30_000
TEXTS_OF_OTHER_LANGUAGES, WORDS_OF_TEXT = 4000, 60


def hash_of(word: str) -> int:
    """As `hashOf` of word-vectors.ts: FNV-1a, 32 bits, of UTF-16 units."""
    value, units = 0x811C9DC5, word.encode('utf-16-le')
    for at in range(0, len(units), 2):
        value = ((value ^ (units[at] | units[at + 1] << 8)) * 0x01000193) & 0xFFFFFFFF
    return value


def write_table(path: Path, words: list[str], rows: np.ndarray, mean: np.ndarray, step: float) -> None:
    """`words`: the most frequent first; of two with one hash the first stays. `step`: the rows' unit in memory."""
    row_of: dict[int, int] = {}
    for row, word in enumerate(words):
        row_of.setdefault(hash_of(word), row)
    hashes = sorted(row_of)
    numbers = rows[[row_of[each] for each in hashes]].astype(np.float32) / step
    numbers = np.clip(numbers, -LARGEST, LARGEST)
    scales = np.abs(numbers).max(1) / 7.5
    scales[scales == 0] = 1
    fours = np.clip(np.round(numbers / scales[:, None]), -8, 7).astype(np.int16) + 8
    body = np.zeros((len(hashes), 4 + DIMENSIONS // 2), np.uint8)
    body[:, :4] = scales.astype('<f4').view(np.uint8).reshape(-1, 4)
    body[:, 4:] = fours[:, 0::2] << 4 | fours[:, 1::2]
    with path.open('wb') as file:
        file.write(struct.pack('<IHHI', MAGIC, DIMENSIONS, GENERATION, len(hashes)))
        file.write(mean.astype('<f4').tobytes())
        file.write(np.array(hashes, '<u4').tobytes())
        file.write(body.tobytes())
    print(f'  {path.name}: {len(hashes)} words, length of the mean {np.linalg.norm(mean):.3f}', flush=True)


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / (np.linalg.norm(vector) + 1e-9)


def write_tables(results: Results, size: Size, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    stems = json.loads(results.stems.read_text())[: size.rows]
    trained = np.load(results.trained).astype(np.float32)
    weights = weights_of(np.array([frequency for _, frequency in stems]))
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(DIMENSIONS, DIMENSIONS)))[0].astype(np.float32)
    rows = (trained * weights[:, None]) @ rotation
    step = np.abs(rows).max() / LARGEST
    mean = mean_of_english(results, size, {stem: row for row, (stem, _) in zip(rows, stems, strict=True)})
    write_table(folder / 'english.bin', [stem for stem, _ in stems], rows, mean, step)

    length = np.linalg.norm(trained[:COMMON_WORDS], axis=1).mean()
    for code, name in TABLE_NAMES.items():
        mapped = np.load(results.mapped_language(code))
        frequency = mapped['frequency'].astype(float)
        weights = weights_of(frequency)
        rows = (mapped['vectors'].astype(np.float32) * length * weights[:, None]) @ rotation
        write_table(folder / f'{name}.bin', list(mapped['units']), rows, mean_of_random_texts(rows, frequency), step)


def mean_of_english(results: Results, size: Size, row_of: dict[str, np.ndarray]) -> np.ndarray:
    """The mean of the vectors of texts, each of length 1."""
    texts = json.loads(results.texts.read_text())
    chosen = np.random.default_rng(1).choice(len(texts), min(size.texts_for_mean, len(texts)), replace=False)
    vectors = []
    for text in chosen:
        rows = [row_of[stem] for stem in english_stems(texts[text][2]) if stem in row_of]
        vectors.append(unit(sum(rows, np.zeros(DIMENSIONS))))
    return np.array(vectors).mean(0)


def mean_of_random_texts(rows: np.ndarray, frequency: np.ndarray) -> np.ndarray:
    """The same for texts of words drawn by their frequency."""
    random = np.random.default_rng(2)
    share = frequency / frequency.sum()
    texts = [random.choice(len(rows), WORDS_OF_TEXT, p=share) for _ in range(TEXTS_OF_OTHER_LANGUAGES)]
    return np.mean([unit(rows[text].sum(0)) for text in texts], 0)
