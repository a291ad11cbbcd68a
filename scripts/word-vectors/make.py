"""
Makes the tables of generated/word-vectors from nothing:

    python make.py --work FOLDER [--quick] [--tables FOLDER] [--collections FOLDER]

A step whose result is in the work folder is not run again; to repeat it, delete its result and those after it.
"""
import argparse
import os
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description='Makes the tables of word vectors from nothing.')
    parser.add_argument('--work', type=Path, required=True, help='folder for sources and results of steps, 3 GB')
    parser.add_argument('--tables', type=Path, help='folder for the tables (default: WORK/tables)')
    parser.add_argument(
        '--collections',
        type=Path,
        default=ROOT.parent / 'shared/collections',
        help='folder of the open collections (default: %(default)s)',
    )
    parser.add_argument('--quick', action='store_true', help='2,000 stems and texts, to see that it runs')
    parser.add_argument('--threads', type=int, default=2, help='default: %(default)s')
    return parser.parse_args()


def main() -> None:
    given = arguments()
    os.environ['OMP_NUM_THREADS'] = str(given.threads)  # read when the libraries are loaded
    import torch

    import english_texts
    import english_words
    import other_languages
    import sources
    import train
    import write_tables
    from settings import FULL, QUICK, Results

    torch.set_num_threads(given.threads)
    size, results = QUICK if given.quick else FULL, Results(given.work)
    given.work.mkdir(parents=True, exist_ok=True)
    tables = given.tables or given.work / 'tables'
    steps = [
        ('sources', lambda: sources.fetch(results.sources)),
        ('english words', lambda: english_words.encode_words(results, size)),
        ('english texts', lambda: english_texts.encode_texts(results, size, given.collections)),
        ('english training', lambda: train.train(results, size)),
        ('other languages', lambda: other_languages.encode_units(results, size)),
        ('mapping', lambda: other_languages.map_units(results)),
        ('tables', lambda: write_tables.write_tables(results, size, tables)),
    ]
    settings = given.work / 'size'
    if settings.exists() and settings.read_text() != repr(size):
        raise SystemExit(f'{given.work} has results of another size: take another folder')
    settings.write_text(repr(size))
    for number, (name, step) in enumerate(steps, 1):
        done = given.work / f'{number}-{name.replace(" ", "-")}.done'
        if done.exists() and name != 'tables':
            print(f'{number} of {len(steps)}: {name}, done before', flush=True)
            continue
        print(f'{number} of {len(steps)}: {name}', flush=True)
        started = time.time()
        step()
        done.write_text(f'{time.time() - started:.0f} s\n')
        print(f'  done in {time.time() - started:.0f} s', flush=True)
    if tables == given.work / 'tables':
        print(f'The tables are in {tables}. Compare them, then copy them to generated/word-vectors.')


if __name__ == '__main__':
    main()
