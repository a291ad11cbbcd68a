"""Words as the product looks them up: English tokens and stems, units of the other languages, weights."""
import functools
import re
import unicodedata
from collections.abc import Callable

import numpy as np
import snowballstemmer

WORD = re.compile(r'[^\W_]+')

STEMMERS = {'en': 'english', 'de': 'german', 'ru': 'russian', 'ar': 'arabic', 'hi': 'hindi'}

_english = snowballstemmer.stemmer('english')
english_stem = functools.lru_cache(1 << 20)(_english.stemWord)


def english_stems(text: str) -> list[str]:
    """The stems of a text's words, in their order."""
    return [english_stem(word) for word in WORD.findall(text.lower().replace("'s", ''))]


def weights_of(frequencies: np.ndarray) -> np.ndarray:
    """
    Weights of words by their frequency in the language (a share of all words), as an inverse document frequency: of a
    word that is every 3,000th one ln 2, of a hundred times rarer one 4.6.
    """
    return np.log(1 + 1 / (frequencies * 3000 + 1e-6)).clip(0.05, None)


# As src/analysis: Hebrew and Arabic points and Cyrillic accents are dropped, variants of a letter are one.
_POINTS = '\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670'
_ACCENTS = '\u0300-\u0305\u0307-\u036f'
_MARKS = re.compile(f'[{_POINTS}]|(?<=[\u0400-\u04ff])(?:(?<![иу])\u0306|[{_ACCENTS}])[{_ACCENTS}]*')
_VARIANTS = str.maketrans({'ٱ': 'ا', 'ى': 'ي', 'ی': 'ي', 'ک': 'ك', 'ة': 'ه'})


def normalise(word: str) -> str:
    """Compatibility forms are folded, tatweel and soft hyphens are dropped."""
    return unicodedata.normalize('NFKC', word).replace('\u0640', '').replace('\u00ad', '').lower()


def unify(word: str) -> str:
    if word.isascii():
        return word
    bare = _MARKS.sub('', unicodedata.normalize('NFD', word))
    return unicodedata.normalize('NFC', bare).translate(_VARIANTS) or word


def unit_of(language: str) -> Callable[[str], str]:
    """The stem of a word where the language has a stemmer, else the word."""
    if language not in STEMMERS:
        return unify
    stem = snowballstemmer.stemmer(STEMMERS[language]).stemWord
    return lambda word: unify(stem(word) or word)
