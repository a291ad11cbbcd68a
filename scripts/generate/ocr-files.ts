/**
 * Copies to generated/ocr/ what OCR uses of two packages: of tesseract.js-core (44 MB) one of six builds, and of
 * @tesseract.js-data/eng (14 MB) the smaller of two data. The installation has 6 MB more so, and not 58.
 */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const target = join(root, 'generated/ocr');

const CORE = 'tesseract.js-core/tesseract-core-simd-lstm';
/** From a name in node_modules to one in generated/ocr/. The module is CommonJS, and this project is not. */
const FILES: Readonly<Record<string, string>> = {
  [`${CORE}.js`]: 'tesseract-core-simd-lstm.cjs',
  [`${CORE}.wasm`]: 'tesseract-core-simd-lstm.wasm',
  'tesseract.js-core/LICENSE': 'LICENSE',
  '@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz': 'eng.traineddata.gz',
};

const sourceOf = (name: string): string => join(root, 'node_modules', name);

/** The names of the copies that are missing, or differ from the installed packages. */
export async function findOcrDrift(): Promise<string[]> {
  const drift: string[] = [];
  for (const [name, copy] of Object.entries(FILES)) {
    const copied = await readFile(join(target, copy)).catch(() => undefined);
    if (!copied?.equals(await readFile(sourceOf(name)))) drift.push(`ocr/${copy}`);
  }
  return drift;
}

export async function copyOcrFiles(): Promise<void> {
  await mkdir(target, { recursive: true });
  for (const [name, copy] of Object.entries(FILES)) await copyFile(sourceOf(name), join(target, copy));
}
