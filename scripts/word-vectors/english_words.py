"""English stems, the most frequent first, and the teacher's vector of each: that of its most frequent words."""
import json
import re
import time

import numpy as np
import wordfreq

from bge import WIDTH, Bge
from settings import Results, Size
from words import english_stem

WORD = re.compile('[a-z]{2,24}')
LEAST_FREQUENCY = 2e-8
"""Rarer words are kept if WordNet has them; one that no list counts has the frequency UNCOUNTED."""
UNCOUNTED = 1e-9
MOST_WORDS_OF_STEM = 3
LEAST_SHARE_OF_STEM = 0.15
PARTS_OF_SPEECH = ('noun', 'verb', 'adj', 'adv')


def words_of_wordnet(results: Results) -> set[str]:
    words = set()
    for part in PARTS_OF_SPEECH:
        for line in wordnet_lines(results, f'index.{part}'):
            words.add(line.split(' ')[0].lower())
    return {word for word in words if '_' not in word}


def wordnet_lines(results: Results, name: str) -> list[str]:
    """The lines of a file of WordNet's database without the licence at its head (wndb(5WN))."""
    text = (results.sources / 'usr/share/wordnet' / name).read_text(encoding='latin1')
    return [line for line in text.split('\n') if line and not line.startswith('  ')]


def counted_words(results: Results) -> dict[str, float]:
    known = words_of_wordnet(results)
    words = {
        word: frequency
        for word, frequency in wordfreq.get_frequency_dict('en', 'large').items()
        if WORD.fullmatch(word) and (frequency >= LEAST_FREQUENCY or word in known)
    }
    for word in sorted(known):
        if WORD.fullmatch(word):
            words.setdefault(word, UNCOUNTED)
    return words


def encode_words(results: Results, size: Size) -> None:
    words_of: dict[str, list[tuple[float, str]]] = {}
    for word, frequency in counted_words(results).items():
        words_of.setdefault(english_stem(word), []).append((frequency, word))
    total = {stem: sum(frequency for frequency, _ in words) for stem, words in words_of.items()}
    stems = sorted(words_of, key=lambda stem: -total[stem])[: size.stems]
    read = [
        (row, word, frequency)
        for row, stem in enumerate(stems)
        for frequency, word in sorted(words_of[stem], reverse=True)[:MOST_WORDS_OF_STEM]
        if frequency >= LEAST_SHARE_OF_STEM * total[stem]
    ]
    print(f'  {len(stems)} stems, {len(read)} of their words', flush=True)

    teacher, started, step = Bge(results.sources), time.time(), 20_000
    vectors = np.zeros((len(stems), WIDTH), np.float32)
    for start in range(0, len(read), step):
        part = read[start : start + step]
        encoded = teacher.encode([word for _, word, _ in part], tokens_at_once=8192).astype(np.float32)
        for (row, _, frequency), vector in zip(part, encoded, strict=True):
            vectors[row] += frequency * vector
        print(f'  {start + len(part)} of {len(read)} words, {time.time() - started:.0f} s', flush=True)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.save(results.stem_vectors, vectors.astype(np.float16))
    results.stems.write_text(json.dumps([[stem, total[stem]] for stem in stems]))
