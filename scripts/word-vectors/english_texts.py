"""
English texts to train on, and the teacher's vector of each: definitions and examples of dictionaries, passages, titles
and sentences of the open collections. Of a collection only corpus.jsonl is read, never queries or judgements.
"""
import collections
import gzip
import json
import os
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bge import Bge
from english_words import PARTS_OF_SPEECH, wordnet_lines
from settings import Results, Size

COLLECTIONS = ('scifact', 'cranfield', 'pubmedqa', 'cacm', 'checkthat20', 'xquad-en')
MOST_OF_KIND = {'definition': 118_000, 'example': 25_000, 'foldoc': 14_000, 'gcide': 35_000, 'passage': 9000}
SENTENCES_OF_PASSAGE = 2
SHARE_OF_SENTENCES = 0.6
MOST_CHARACTERS = 700
ENCODED_AT_ONCE = 4000

Text = tuple[str, str, str]
"""Kind, head word or title ('' for none), text."""


def wordnet(results: Results) -> Iterator[Text]:
    """The gloss of a set of synonyms, and its examples, with the first of the synonyms."""
    for part in PARTS_OF_SPEECH:
        for line in wordnet_lines(results, f'data.{part}'):
            fields, gloss = line.split(' | ', 1)
            head = fields.split(' ')[4].replace('_', ' ').split('(')[0].lower()
            definition, *examples = gloss.strip().split('; "')
            yield 'definition', head, definition.strip(' ;')
            for example in examples:
                yield 'example', head, example.strip(' ";')


def dictionary(results: Results, name: str) -> Iterator[tuple[str, str]]:
    """Head word and article of each entry of a dictionary in dictd's format (dictfmt(1))."""
    folder = results.sources / 'usr/share/dictd'
    with gzip.open(folder / f'{name}.dict.dz') as file:
        articles = file.read()
    seen = set()
    for line in (folder / f'{name}.index').read_text(encoding='utf8').rstrip('\n').split('\n'):
        head, start, length = line.split('\t')[:3]
        if head.startswith('00') or start in seen:
            continue
        seen.add(start)
        first = base64_number(start)
        yield head, articles[first : first + base64_number(length)].decode('utf8', 'replace')


DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'


def base64_number(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number * 64 + DIGITS.index(digit)
    return number


def foldoc(results: Results) -> Iterator[Text]:
    for head, article in dictionary(results, 'foldoc'):
        body = one_line(' '.join(article.split('\n')[1:])).replace('{', '').replace('}', '').strip()
        if len(body) > 60:
            yield 'foldoc', head, body[:MOST_CHARACTERS]


GCIDE_SENSE = re.compile(r'\n\s+(?:\d+\. |\([a-z]\) )?([A-Z][^\[\]{}]{40,300}?[.;])')


def gcide(results: Results) -> Iterator[Text]:
    for head, article in dictionary(results, 'gcide'):
        for sense in GCIDE_SENSE.findall(article)[:2]:
            yield 'gcide', head, one_line(sense)


def one_line(text: str) -> str:
    return re.sub(r'\s+', ' ', text)


def passages(collections_folder: Path, choice: random.Random) -> Iterator[Text]:
    for name in COLLECTIONS:
        for line in corpus_lines(collections_folder / name):
            document = json.loads(line)
            title, text = document.get('title') or '', one_line(document['text'])
            yield 'passage', title, text[:MOST_CHARACTERS]
            if title and name != 'checkthat20':  # whose titles are questions
                yield 'title', '', title
            sentences = [each for each in re.split(r'(?<=[.!?]) (?=[A-Z])', text) if 30 < len(each) < 400]
            for sentence in choice.sample(sentences, min(len(sentences), SENTENCES_OF_PASSAGE)):
                yield 'sentence', '', sentence


def corpus_lines(folder: Path) -> Iterator[str]:
    packed = folder / 'corpus.jsonl.gz'
    with gzip.open(packed, 'rt') if packed.exists() else (folder / 'corpus.jsonl').open() as file:
        yield from file


def chosen_texts(results: Results, collections_folder: Path) -> list[Text]:
    """The same texts in the same order each time."""
    choice = random.Random(1)
    texts = [*wordnet(results), *foldoc(results), *gcide(results), *passages(collections_folder, choice)]
    choice.shuffle(texts)
    choice = random.Random(2)
    counts: collections.Counter[str] = collections.Counter()
    chosen = []
    for text in texts:
        kind = text[0]
        counts[kind] += 1
        if counts[kind] > MOST_OF_KIND.get(kind, len(texts)):
            continue
        if kind == 'sentence' and choice.random() > SHARE_OF_SENTENCES:
            continue
        chosen.append(text)
    return chosen


def encode_texts(results: Results, size: Size, collections_folder: Path) -> None:
    """Takes half an hour: what is done is kept in parts."""
    texts = chosen_texts(results, collections_folder)[: size.texts]
    results.texts.write_text(json.dumps(texts))
    results.text_parts.mkdir(exist_ok=True)
    teacher, started = Bge(results.sources), time.time()
    parts = []
    for start in range(0, len(texts), ENCODED_AT_ONCE):
        part = results.text_parts / f'{start:06}.npy'
        if not part.exists():
            chunk = [text for _, _, text in texts[start : start + ENCODED_AT_ONCE]]
            encoded = teacher.encode(chunk, tokens_at_once=1500)
            np.save(part.with_suffix('.new.npy'), encoded)
            os.replace(part.with_suffix('.new.npy'), part)
        parts.append(np.load(part))
        done = start + len(parts[-1])
        print(f'  {done} of {len(texts)} texts, {time.time() - started:.0f} s', flush=True)
    np.save(results.text_vectors, np.concatenate(parts))
