/**
 * What the service uses of tesseract.js-core beyond its documentation, as of 7.0: see docs/private-insides.md.
 *
 * - Its module without tesseract.js, which would start a thread and load data from the network, and its hook
 *   `instantiateWasm`, for the memory. Instead: tesseract.js, outside of the sandbox.
 * - Leptonica's `Pix` in that memory. Instead: one library for each format of pictures.
 * - An exception of our own in its progress callback, which ends a page. Instead: the page's process has to be killed.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type GreyPicture, greyPicture, toGraymap } from './grey-picture.ts';
import { type LanguageData, OCR_FOLDER } from './ocr-languages.ts';

/** The members that are used of an engine for one language. */
type Api = {
  Init(folder: null, language: string, mode: number): number;
  SetVariable(name: string, value: string): boolean;
  SetImageFile(orientation: number, angle: number): number;
  FindLines(): void;
  GetGradient(): number;
  Recognize(monitor: null): number;
  GetTSVText(page: number): string;
  Clear(): void;
};

type Module = {
  FS: { writeFile(path: string, content: Uint8Array): void };
  TessBaseAPI: new () => Api;
  _malloc(bytes: number): number;
  _free(at: number): void;
  _pixReadMem(at: number, bytes: number): number;
};

/** What is used of WebAssembly, for which Node's types have no members without the types of browsers. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    instantiate(
      code: Uint8Array,
      imports: object,
    ): Promise<{ instance: { exports: Record<string, unknown> }; module: object }>;
    Memory: new (size: { initial: number }) => { buffer: ArrayBuffer };
    RuntimeError: typeof Error;
  };
};

/** Ends the work of an engine which can only be dropped afterwards, as `Overdue` does. */
export const EngineError = WebAssembly.RuntimeError;

type CreateModule = (options: {
  instantiateWasm(imports: object, done: (instance: object, module: object) => void): object;
  print(line: string): void;
  printErr(line: string): void;
  TesseractProgress(): void;
}) => Promise<Module>;

const require = createRequire(import.meta.url);

/** Vectors of 128 bits, and networks alone: the smallest build that takes less than twice the time of another. */
const BUILD = join(OCR_FOLDER, 'tesseract-core-simd-lstm');

/** Networks alone (`OEM_LSTM_ONLY`); columns and blocks are found, and no orientation (`PSM_AUTO`). */
const [NETWORKS, FIND_BLOCKS] = [1, '3'];

/** Half a degree, in radians: a page that is turned more is straightened first. */
const STRAIGHT_MAX = 0.005;

/** Thrown through the engine, which can only be dropped afterwards. */
export class Overdue extends Error {}

export type Tesseract = {
  /** A picture in a format of Leptonica's: PNG, JPEG, TIFF (its first page), WebP, GIF, BMP. undefined: damaged. */
  decode(file: Uint8Array): GreyPicture | undefined;
  /**
   * The words of a picture as tab-separated values. `isOverdue` is asked between words.
   * @throws Overdue, after which this engine must not be used again
   */
  recognise(picture: GreyPicture, language: LanguageData, isOverdue: () => boolean): string;
};

/** Takes 100 ms and 60 MB, a language 300 ms more. */
export async function startTesseract(): Promise<Tesseract> {
  const create: CreateModule = require(`${BUILD}.cjs`);
  let memory = new WebAssembly.Memory({ initial: 0 });
  let isOverdue = () => false;
  const module = await create({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(readFileSync(`${BUILD}.wasm`), imports).then(
        ({ instance, module: compiled }) => {
          for (const each of Object.values(instance.exports))
            if (each instanceof WebAssembly.Memory) memory = each;
          done(instance, compiled);
        },
      );
      return {};
    },
    print: () => {},
    printErr: () => {},
    TesseractProgress() {
      if (isOverdue()) throw new Overdue();
    },
  });
  const engines = new Map<string, Api>();
  return {
    decode: (file) => decode(module, () => memory.buffer, file),
    recognise(picture, language, isLate) {
      const api = engines.get(language.code) ?? startEngine(module, language);
      engines.set(language.code, api);
      isOverdue = isLate;
      module.FS.writeFile('/input', toGraymap(picture));
      setPicture(api, 0);
      api.FindLines();
      const angle = api.GetGradient();
      if (Math.abs(angle) >= STRAIGHT_MAX) setPicture(api, angle);
      api.Recognize(null);
      const words = api.GetTSVText(0);
      api.Clear();
      return words;
    },
  };
}

function startEngine(module: Module, { code, file }: LanguageData): Api {
  module.FS.writeFile(`./${code}.traineddata`, gunzipSync(readFileSync(file)));
  const api = new module.TessBaseAPI();
  if (api.Init(null, code, NETWORKS) !== 0)
    throw new Error(`the OCR data of the language ${code} cannot be used`);
  api.SetVariable('tessedit_pageseg_mode', FIND_BLOCKS);
  return api;
}

/** 1: the picture stands upright. */
function setPicture(api: Api, angle: number): void {
  if (api.SetImageFile(1, angle) !== 0) throw new Error('Tesseract does not read its picture');
}

/** The fields of Leptonica's `Pix` that are used, by their places in it, and the fields of its colour map. */
const PIX = { width: 0, height: 1, depth: 2, samples: 3, wordsPerLine: 4, colours: 11, data: 12 };
const COLOUR_MAP = { colours: 0, count: 3 };

function decode(module: Module, bufferOf: () => ArrayBuffer, file: Uint8Array): GreyPicture | undefined {
  const at = module._malloc(file.length);
  new Uint8Array(bufferOf(), at, file.length).set(file);
  const pix = module._pixReadMem(at, file.length);
  module._free(at);
  if (pix === 0) return undefined;
  // The pixels are freed with the field alone: the head takes 60 bytes.
  const words = new Uint32Array(bufferOf());
  const field = (name: keyof typeof PIX): number => words[(pix >> 2) + PIX[name]] ?? 0;
  const [width, height, depth] = [field('width'), field('height'), field('depth')];
  const greys = greysOf(words, field('colours'), { depth, hasAlpha: field('samples') === 4 });
  const perWord = 32 / depth;
  const picture = greyPicture(width, height, (y, row) => {
    const line = (field('data') >> 2) + y * field('wordsPerLine');
    for (let x = 0; x < width; x++) {
      const word = words[line + Math.floor(x / perWord)] ?? 0;
      row[x] = greys(depth === 32 ? word : (word >>> (32 - depth * ((x % perWord) + 1))) & (2 ** depth - 1));
    }
  });
  module._free(field('data'));
  return picture;
}

/** Returns the grey of a pixel's value. Without a colour map 1 of 1 bit is black, and the highest of more is white. */
function greysOf(
  words: Uint32Array,
  map: number,
  { depth, hasAlpha }: { depth: number; hasAlpha: boolean },
): (value: number) => number {
  if (map !== 0) {
    const colours = (words[(map >> 2) + COLOUR_MAP.colours] ?? 0) >> 2;
    const count = words[(map >> 2) + COLOUR_MAP.count] ?? 0;
    // Blue, green, red and alpha, from the lowest byte.
    const greys = Array.from({ length: count }, (_, i) => {
      const colour = words[colours + i] ?? 0;
      return luminance((colour >>> 16) & 255, (colour >>> 8) & 255, colour & 255);
    });
    return (value) => greys[value] ?? 255;
  }
  if (depth === 1) return (value) => (value === 1 ? 0 : 255);
  if (depth < 32) return (value) => (value * 255) / (2 ** depth - 1);
  return (value) => {
    const grey = luminance(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255);
    return hasAlpha ? 255 + ((grey - 255) * (value & 255)) / 255 : grey;
  };
}

/** ITU-R BT.601. */
export const luminance = (red: number, green: number, blue: number): number =>
  0.299 * red + 0.587 * green + 0.114 * blue;
