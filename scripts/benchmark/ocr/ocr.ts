/**
 * Measures OCR on twenty pages made here: seconds of a processor a page, and the share of wrong words. Run it by
 * `node --import ./bin/require-node.mjs scripts/benchmark/ocr/ocr.ts`.
 */
import type { GreyPicture } from '../../../src/extraction/recognition/grey-picture.ts';
import { installedLanguages, type LanguageData } from '../../../src/extraction/recognition/ocr-languages.ts';
import { createRecognition } from '../../../src/extraction/recognition/recognition.ts';
import { isMain, scriptCommand } from '../../arguments.ts';
import { type WrittenPage, writePages } from './pages.ts';

/** Adds noise of a normal distribution to each grey, always the same. */
function addNoise({ pixels }: GreyPicture, deviation: number): void {
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return (seed + 1) / 2 ** 32;
  };
  for (let i = 0; i < pixels.length; i++) {
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    pixels[i] = Math.min(255, Math.max(0, (pixels[i] as number) + deviation * normal));
  }
}

/** Words that have to be changed, added or taken away to get from one text to the other (Levenshtein). */
export function wrongWords(given: string, read: string): number {
  const [from, to] = [given, read].map((text) => text.split(/\s+/).filter((word) => word !== ''));
  let row = Array.from({ length: (to ?? []).length + 1 }, (_, i) => i);
  for (const [i, word] of (from ?? []).entries()) {
    const next = [i + 1];
    for (const [k, other] of (to ?? []).entries())
      next.push(Math.min((row[k] ?? 0) + Number(word !== other), (row[k + 1] ?? 0) + 1, (next[k] ?? 0) + 1));
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** `least`: how sure the least sure page is. */
type Figures = { pages: number; words: number; wrong: number; seconds: number; least: number };

async function measure(pages: WrittenPage[], languages: LanguageData[]): Promise<Map<string, Figures>> {
  const recognition = createRecognition(languages);
  const figures = new Map<string, Figures>();
  for (const { dpi, damage, text, png, font } of pages) {
    const started = process.cpuUsage();
    const picture = await recognition.decode(png);
    if (picture === undefined) throw new Error('the page cannot be decoded');
    if (damage.noise > 0) addNoise(picture, damage.noise);
    const result = await recognition.read(picture);
    const { user, system } = process.cpuUsage(started);
    const read = 'lines' in result ? result.lines.map((line) => line.text).join(' ') : '';
    for (const name of ['all', `${dpi} dpi`, damage.name, font]) {
      const sum = figures.get(name) ?? { pages: 0, words: 0, wrong: 0, seconds: 0, least: 1 };
      sum.pages++;
      sum.words += text.split(' ').length;
      sum.wrong += wrongWords(text, read);
      sum.seconds += (user + system) / 1e6;
      sum.least = Math.min(sum.least, 'lines' in result ? result.confidence : 0);
      figures.set(name, sum);
    }
  }
  return figures;
}

if (isMain(import.meta.filename)) {
  const command = scriptCommand('ocr')
    .description('Measures OCR on twenty pages: seconds a page, and the share of wrong words.')
    .option('--languages <folder>', 'those of node_modules/@tesseract.js-data there too, tried after English')
    .parse();
  const { languages } = command.opts<{ languages?: string }>();
  const tried = languages === undefined ? installedLanguages().slice(0, 1) : installedLanguages(languages);
  for (const [name, figures] of await measure(await writePages(), tried)) {
    const { pages, words, wrong, seconds, least } = figures;
    process.stdout.write(
      `${name.padEnd(24)} ${pages} pages  ${(seconds / pages).toFixed(1)} s a page  ` +
        `${((100 * wrong) / words).toFixed(2)} % wrong words  confidence from ${least.toFixed(2)}\n`,
    );
  }
}
