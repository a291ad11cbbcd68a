"""
Vectors of the words of other languages in the space of the English table, without training. Nothing here is random,
and no text of a collection is used.

1. The words of each language and of English, each alone, through multilingual-e5-small; a unit (a stem, or a word of a
   language without a stemmer) has the mean of its words by frequency.
2. Each language's mean is removed; then over all languages, each with equal weight, the first principal direction, and
   the others are scaled by eigenvalue^-1/4.
3. The orthogonal map from the English units to their rows in the English table (Schönemann 1966, Procrustes).
4. Translation: the rows of the nearest English units, by cosine less half of what the English unit has with its nearest
   in the language (as CSLS, Conneau et al. 2018), weighted by a softmax.
5. A unit's vector: .6 of its mapped vector and .4 of its translation, each of length 1.
"""
import json
import os
import re
import time

import numpy as np
import wordfreq

from e5 import E5, WIDTH
from settings import TABLE_NAMES, Results, Size
from words import normalise, unit_of

LETTERS = {
    'de': r'[a-z\u00df-\u024f\u1e00-\u1eff]+',
    'en': r'[a-z\u00df-\u024f\u1e00-\u1eff]+',
    'ru': r'[а-яё]+',
    'ar': r'[\u0621-\u064a]+',
    'hi': r'[\u0900-\u0963\u0970-\u097f]+',
    'zh': r'[\u3400-\u9fff]+',
    'th': r'[\u0e01-\u0e4e]+',
}
BASIS = ('en', 'de', 'ru', 'zh', 'ar', 'hi', 'th')
"""The languages whose words define the directions, in this order."""
MOST_WORDS = {'en': 96_000, 'zh': 96_000, 'de': 80_000, 'ru': 80_000, 'th': 80_000, 'ar': 64_000, 'hi': 64_000}
"""Of a language's list; their frequencies are added up for each unit."""
MOST_LENGTH = 30
LEAST_SHARE_OF_FIRST = 0.6
ENCODED_AT_ONCE = 1000

KEPT_DIRECTIONS = slice(1, WIDTH - 1)
SCALING = -0.25
ENGLISH_ROWS = 60_000
NEAREST = 10
TEMPERATURE = 0.05
SHARE_OF_TRANSLATION = 0.4

Unit = tuple[str, float, list[tuple[str, float]]]
"""The unit, its frequency, its one or two most frequent words with theirs."""


def frequencies_of(results: Results, language: str) -> dict[str, float]:
    """Words and their share of all words. wordfreq has no list of Thai: that one is of PyThaiNLP."""
    if language != 'th':
        return wordfreq.get_frequency_dict(language, 'best')  # large where there is one
    counts: dict[str, int] = {}
    for line in (results.sources / 'thai-words.txt').read_text(encoding='utf8').rstrip('\n').split('\n'):
        word, count = line.split('\t')
        if len(word) > 1:
            counts[word] = counts.get(word, 0) + int(count)
    total = sum(counts.values())
    return {word: count / total for word, count in counts.items()}


def units_of(results: Results, language: str) -> list[Unit]:
    """The most frequent first."""
    letters, unit = re.compile(LETTERS[language]), unit_of(language)
    words_of: dict[str, dict[str, float]] = {}
    by_frequency = sorted(frequencies_of(results, language).items(), key=lambda item: (-item[1], item[0]))
    for raw, frequency in by_frequency[: MOST_WORDS[language]]:
        word = normalise(raw)
        short = len(word) == 1 and language != 'zh'
        if letters.fullmatch(word) and len(word) <= MOST_LENGTH and not short:
            words = words_of.setdefault(unit(word), {})
            words[word] = max(frequency, words.get(word, 0))
    units = []
    for name, counted in words_of.items():
        words = sorted(counted.items(), key=lambda item: -item[1])
        read = [(word, share) for word, share in words[:2] if share >= LEAST_SHARE_OF_FIRST * words[0][1]]
        units.append((name, sum(counted.values()), read))
    return sorted(units, key=lambda each: -each[1])


def encode_units(results: Results, size: Size) -> None:
    """Takes half an hour: what is done is kept in parts."""
    results.units.mkdir(exist_ok=True)
    model, started = E5(results.sources), time.time()
    for language, count in size.units.items():
        units = units_of(results, language)[:count]
        (results.units / f'{language}.json').write_text(json.dumps(units, ensure_ascii=False), encoding='utf8')
        for start in range(0, len(units), ENCODED_AT_ONCE):
            part = results.units / f'{language}-{start:05}.npy'
            if not part.exists():
                vectors = mean_vectors(model, units[start : start + ENCODED_AT_ONCE], language)
                np.save(part.with_suffix('.new.npy'), vectors.astype(np.float16))
                os.replace(part.with_suffix('.new.npy'), part)
        print(f'  {language}: {len(units)} units, {time.time() - started:.0f} s', flush=True)


def as_read(word: str, language: str) -> str:
    """A word as the model reads it. A German noun alone resembles what is spelt alike: `Unterkunft` `undercut`."""
    return f'die {word.capitalize()} und der {word.capitalize()}' if language == 'de' else word


def mean_vectors(model: E5, units: list[Unit], language: str) -> np.ndarray:
    read = [(row, word, frequency) for row, (_, _, words) in enumerate(units) for word, frequency in words]
    vectors = np.zeros((len(units), WIDTH), np.float32)
    encoded = model.encode([as_read(word, language) for _, word, _ in read])
    for (row, _, frequency), vector in zip(read, encoded, strict=True):
        vectors[row] += frequency * vector
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def unit_rows(rows: np.ndarray) -> np.ndarray:
    return rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)


def centred_vectors(results: Results, language: str) -> np.ndarray:
    parts = sorted(results.units.glob(f'{language}-*.npy'))
    vectors = np.concatenate([np.load(part) for part in parts]).astype(np.float32)
    return vectors - vectors.mean(0)


def spread(vectors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Step 2 for all languages."""
    covariance = sum(vectors[each].T @ vectors[each] / len(vectors[each]) for each in BASIS)
    values, directions = np.linalg.eigh(covariance)  # ascending
    values, directions = values[::-1], directions[:, ::-1]
    scaled = directions[:, KEPT_DIRECTIONS] * values[KEPT_DIRECTIONS] ** SCALING
    return {language: unit_rows(each @ scaled) for language, each in vectors.items()}


def translations(vectors: np.ndarray, english: np.ndarray, english_rows: np.ndarray) -> np.ndarray:
    """Step 4. `english` and `english_rows`: the same units in the spread space and in the English table."""
    hubness = np.concatenate(
        [
            np.partition(english[start : start + 2000] @ vectors.T, -NEAREST, 1)[:, -NEAREST:].mean(1)
            for start in range(0, len(english), 2000)
        ]
    )
    translated = []
    for start in range(0, len(vectors), 2000):
        nearness = vectors[start : start + 2000] @ english.T - hubness / 2
        nearest = np.argpartition(-nearness, NEAREST, 1)[:, :NEAREST]
        nearness = np.take_along_axis(nearness, nearest, 1)
        weights = np.exp((nearness - nearness.max(1, keepdims=True)) / TEMPERATURE)
        weights /= weights.sum(1, keepdims=True)
        translated.append(np.einsum('ij,ijk->ik', weights, english_rows[nearest]))
    return np.concatenate(translated)


def map_units(results: Results) -> None:
    units = {each: json.loads((results.units / f'{each}.json').read_text(encoding='utf8')) for each in BASIS}
    vectors = spread({each: centred_vectors(results, each) for each in BASIS})
    stems = json.loads(results.stems.read_text())
    table = unit_rows(np.load(results.trained)[:ENGLISH_ROWS].astype(np.float32))
    row_of = {stem: row for row, (stem, _) in enumerate(stems[: len(table)])}
    known = [(at, row_of[name]) for at, (name, _, _) in enumerate(units['en']) if name in row_of]
    english = vectors['en'][[at for at, _ in known]]
    english_rows = table[[row for _, row in known]]
    left, _, right = np.linalg.svd(english.T @ english_rows, full_matrices=False)
    rotation = left @ right
    results.mapped.mkdir(exist_ok=True)
    for language in TABLE_NAMES:
        translated = unit_rows(translations(vectors[language], english, english_rows))
        mapped = unit_rows(vectors[language] @ rotation)
        mixed = unit_rows((1 - SHARE_OF_TRANSLATION) * mapped + SHARE_OF_TRANSLATION * translated)
        np.savez_compressed(
            results.mapped_language(language),
            units=np.array([name for name, _, _ in units[language]]),
            vectors=mixed.astype(np.float16),
            frequency=np.array([frequency for _, frequency, _ in units[language]], np.float32),
        )
        print(f'  {language}: {len(mixed)} units, {len(known)} of English to map by', flush=True)
