/** The languages whose texts OCR can recognise here: English, and each whose data is installed beside the service. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Language } from '../../analysis/language.ts';

/** Data of a language: Tesseract's code of it, such as `eng`, and the compressed file. */
export type LanguageData = { code: string; file: string };

/** English and the program; scripts/generate/ocr-files.ts writes them. */
const FOLDER = 'generated/ocr/';

/**
 * The folder of the package or checkout. The extraction process runs from a copy in node_modules/.cache, where a
 * package cannot name itself, and may read nothing above but this folder.
 */
function findRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, FOLDER)) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

const root = findRoot();

export const OCR_FOLDER = join(root, FOLDER);

const ENGLISH: LanguageData = { code: 'eng', file: join(OCR_FOLDER, 'eng.traineddata.gz') };

/** The outermost `node_modules`: npm installs packages beside the service, or within a checkout. */
const [modules] = /^.*?[\\/]node_modules[\\/]/.exec(root) ?? [join(root, 'node_modules')];

/** Where a package has its data, the smaller one first. */
const VERSIONS = ['4.0.0_best_int', '4.0.0'];

/** More languages than this are not tried on a page: each takes as long as the first. */
const TRIED_MAX = 4;

/** English, then the others that were installed, by their codes: `npm install @tesseract.js-data/deu`. */
export function installedLanguages(folder = join(modules, '@tesseract.js-data')): LanguageData[] {
  const codes = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  const others = codes.flatMap((code): LanguageData[] => {
    const files = VERSIONS.map((version) => join(folder, code, version, `${code}.traineddata.gz`));
    const file = code === ENGLISH.code ? undefined : files.find((each) => existsSync(each));
    return file === undefined ? [] : [{ code, file }];
  });
  return existsSync(ENGLISH.file) ? [ENGLISH, ...others] : others;
}

/** Tesseract's codes (ISO 639-2) of the languages with a stemmer. */
const CODES: Readonly<Partial<Record<Language, string>>> = {
  arabic: 'ara',
  armenian: 'hye',
  basque: 'eus',
  catalan: 'cat',
  danish: 'dan',
  dutch: 'nld',
  english: 'eng',
  finnish: 'fin',
  french: 'fra',
  german: 'deu',
  greek: 'ell',
  hindi: 'hin',
  hungarian: 'hun',
  indonesian: 'ind',
  italian: 'ita',
  irish: 'gle',
  lithuanian: 'lit',
  nepali: 'nep',
  norwegian: 'nor',
  portuguese: 'por',
  romanian: 'ron',
  russian: 'rus',
  serbian: 'srp',
  spanish: 'spa',
  swedish: 'swe',
  tamil: 'tam',
  turkish: 'tur',
  yiddish: 'yid',
};

/** The languages to try, the likeliest first: those that the knowledge base is written in, then the others. */
export function languagesToTry(
  installed: readonly LanguageData[],
  expected: readonly Language[],
): LanguageData[] {
  const codes = expected.map((language) => CODES[language]);
  const rank = ({ code }: LanguageData) => (codes.includes(code) ? codes.indexOf(code) : codes.length);
  return installed.toSorted((a, b) => rank(a) - rank(b)).slice(0, TRIED_MAX);
}
