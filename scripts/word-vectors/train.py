"""
Trains the English table: the sum of a text's word vectors shall be near the sums of the same texts that the teacher
finds near.

Distillation of similarities within a batch: for each text the softmax of its cosines with the others, at the
temperature `TEMPERATURE`, shall be the teacher's (Kullback–Leibler divergence). The same for words: head words of
definitions with the texts of the batch, and a random sample of words among themselves.
"""
import json
import re
import time

import numpy as np
import torch
import torch.nn.functional as F

from settings import DIMENSIONS, Results, Size
from words import english_stem, english_stems, weights_of

EPOCHS = 10
BATCH = 1024
LEARNING_RATE = 0.003
TEMPERATURE = 0.05
SEED = 1
LEAST_WORDS, MOST_WORDS = 3, 120
SKIPPED_DIRECTIONS = 2
"""The first principal directions say how common a word is and what kind of word it is, not what it means."""
STEMS_FOR_DIRECTIONS = 100_000


def unit_rows(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def initial_rows(stem_vectors: np.ndarray) -> np.ndarray:
    """The teacher's vectors of single words in `DIMENSIONS` principal directions, of length 1."""
    centred = stem_vectors - stem_vectors[:STEMS_FOR_DIRECTIONS].mean(0)
    common = centred[:STEMS_FOR_DIRECTIONS]
    _, directions = np.linalg.eigh(common.T @ common)  # ascending
    kept = directions[:, ::-1][:, SKIPPED_DIRECTIONS : SKIPPED_DIRECTIONS + DIMENSIONS]
    return unit_rows(centred @ kept)


def divergence(ours: tuple, teachers: tuple, *, same: bool) -> torch.Tensor:
    """
    Of the similarities between two lists of unit vectors, rows × columns, ours from the teacher's. `same`: both lists
    are one, and the similarity of each with itself is left out.
    """
    similarities = [rows @ columns.T / TEMPERATURE for rows, columns in (ours, teachers)]
    if same:
        itself = torch.eye(len(similarities[0]), dtype=torch.bool)
        similarities = [each.masked_fill(itself, -1e4) for each in similarities]
    student, teacher = (F.log_softmax(each, 1) for each in similarities)
    return F.kl_div(student, teacher, log_target=True, reduction='batchmean')


def train(results: Results, size: Size) -> None:
    stems = json.loads(results.stems.read_text())[: size.rows]
    row_of = {stem: row for row, (stem, _) in enumerate(stems)}
    frequencies = np.array([frequency for _, frequency in stems])
    texts = json.loads(results.texts.read_text())
    words = [[row_of[stem] for stem in english_stems(text) if stem in row_of] for _, _, text in texts]
    heads = np.array([head_row(head, row_of) for _, head, _ in texts])

    text_vectors = np.load(results.text_vectors).astype(np.float32)
    mean = text_vectors.mean(0)
    teacher_texts = torch.tensor(unit_rows(text_vectors - mean))
    stem_vectors = np.load(results.stem_vectors).astype(np.float32)
    teacher_words = torch.tensor(unit_rows(stem_vectors[: len(stems)] - mean))

    torch.manual_seed(SEED)
    random = np.random.default_rng(SEED)
    table = torch.nn.Parameter(torch.tensor(initial_rows(stem_vectors)[: len(stems)]))
    optimiser = torch.optim.SparseAdam([table], lr=LEARNING_RATE)
    weights = torch.tensor(weights_of(frequencies), dtype=torch.float32)
    sampling = frequencies**0.35
    sampling /= sampling.sum()

    def vectors_of(rows: np.ndarray) -> torch.Tensor:
        return F.normalize(F.embedding(torch.tensor(rows), table, sparse=True), dim=1)

    def sums_of(batch: np.ndarray) -> torch.Tensor:
        bags = [words[text][:MOST_WORDS] for text in batch]
        flat = torch.tensor([row for bag in bags for row in bag])
        starts = torch.tensor(np.cumsum([0] + [len(bag) for bag in bags[:-1]]))
        sums = F.embedding_bag(
            flat, table, starts, mode='sum', per_sample_weights=weights[flat], sparse=True
        )
        return F.normalize(sums, dim=1)

    def loss_of(batch: np.ndarray) -> torch.Tensor:
        sums, wanted = sums_of(batch), teacher_texts[batch]
        loss = divergence((sums, sums), (wanted, wanted), same=True)
        defined = heads[batch][heads[batch] >= 0]
        if len(defined):
            loss = loss + divergence((vectors_of(defined), sums), (teacher_words[defined], wanted), same=False)
        sample = random.choice(len(sampling), min(BATCH, len(sampling)), replace=False, p=sampling)
        ours, teachers = vectors_of(sample), teacher_words[sample]
        return loss + divergence((ours, ours), (teachers, teachers), same=True)

    usable = np.array([text for text, bag in enumerate(words) if len(bag) >= LEAST_WORDS])
    steps, started = len(usable) // BATCH, time.time()
    for epoch in range(EPOCHS):
        order, total = random.permutation(usable), 0.0
        for step in range(steps):
            loss = loss_of(order[step * BATCH : (step + 1) * BATCH])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.item()
            done = (epoch * steps + step) / (EPOCHS * steps)
            optimiser.param_groups[0]['lr'] = LEARNING_RATE * (1 - done)
        print(f'  epoch {epoch + 1} of {EPOCHS}: loss {total / steps:.4f}, {time.time() - started:.0f} s', flush=True)
    np.save(results.trained, table.detach().numpy().astype(np.float16))


def head_row(head: str, row_of: dict[str, int]) -> int:
    """-1 for a text without a head word, or with several."""
    return row_of.get(english_stem(head), -1) if re.fullmatch('[a-z]+', head) else -1
