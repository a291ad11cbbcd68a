/** Recognises the text of pictures (OCR) within bounds of processor time for a page and for a whole upload. */
import { type GreyPicture, roughness, turned } from './grey-picture.ts';
import type { LanguageData } from './ocr-languages.ts';
import { type RecognisedPage, recognisedPage } from './recognised-lines.ts';
import { RECOGNITION_MAX_MS, RECOGNITION_PAGE_MAX_MS } from './recognition-limits.ts';
import { EngineError, Overdue, startTesseract, type Tesseract } from './tesseract-insides.ts';

/** `page`: the page took too long. `file`: the upload has used up its time before. */
export type Unrecognised = { overdue: 'page' | 'file' };

export type Recognition = {
  /** Announces pages, which `onPage` counts. */
  expect(pages: number): void;
  /** The picture in a file of any format that Leptonica reads; undefined where it is damaged. */
  decode(file: Uint8Array): Promise<GreyPicture | undefined>;
  /** The text of a page; without lines where there is none. */
  read(picture: GreyPicture): Promise<RecognisedPage | Unrecognised>;
  /** An announced page has ended without having been read. */
  skip(): void;
};

export type RecognisedPages = { done: number; of: number };

/** A page that was recognised this well needs no other language. A German page has .8 in English, and .96 in German. */
const SURE_OF_LANGUAGE = 0.9;
/** A page that was recognised this well is upright. */
const SURE = 0.8;
/** Below it the page may stand on its head or lie on its side. */
const UPRIGHT_MIN = 0.6;
/** A page with fewer letters is not turned: it holds a few spots. */
const TURNED_MIN_LETTERS = 40;
/** Text has up to a tenth; see `roughness`. */
const ROUGH = 0.25;

/** Milliseconds of a processor that this process has used: on a busy machine a page gets the same time. */
const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The engine, which starts with the first page, and again after `drop`. */
function createEngine() {
  let running: Promise<Tesseract> | undefined;
  return {
    start: (): Promise<Tesseract> => {
      running ??= startTesseract();
      return running;
    },
    drop(): void {
      running = undefined;
    },
  };
}

/** Reads a picture in the languages in turn, and turned where it may lie on its side. */
async function readBest(
  tesseract: Tesseract,
  picture: GreyPicture,
  { languages, isOverdue }: { languages: readonly LanguageData[]; isOverdue: () => boolean },
): Promise<{ page: RecognisedPage; language: LanguageData }> {
  const read = (from: GreyPicture, language: LanguageData) =>
    recognisedPage(tesseract.recognise(from, language, isOverdue));
  const { page, language } = readInTurn(languages, (each) => read(picture, each));
  return { page: readTurned(page, (quarters) => read(turned(picture, quarters), language)), language };
}

/** What became of a page whose recognition failed. @throws errors of ours */
function afterFailure(error: unknown): Awaited<ReturnType<Recognition['read']>> {
  if (error instanceof Overdue) return { overdue: 'page' };
  if (error instanceof EngineError) return NO_TEXT;
  throw error;
}

/**
 * `languages`: to try, the likeliest first. The language that read the last page well is tried first on the next.
 * `onPage` hears of each page that has ended, and of each announced page.
 */
export function createRecognition(
  languages: readonly LanguageData[],
  onPage: (pages: RecognisedPages) => void = () => {},
  { pageMaxMs = RECOGNITION_PAGE_MAX_MS, fileMaxMs = RECOGNITION_MAX_MS } = {},
): Recognition {
  const pages: RecognisedPages = { done: 0, of: 0 };
  let order = [...languages];
  const engine = createEngine();
  const startedMs = usedMs();
  const end = () => {
    pages.done++;
    onPage(pages);
  };
  const readWithin = async (picture: GreyPicture, isOverdue: () => boolean): Promise<RecognisedPage> => {
    if (roughness(picture) > ROUGH) return NO_TEXT;
    const { page, language } = await readBest(await engine.start(), picture, { languages: order, isOverdue });
    order = [...order].sort((a, b) => Number(b === language) - Number(a === language));
    return page;
  };
  return {
    expect(count) {
      pages.of += count;
      onPage(pages);
    },
    decode: async (file) => (await engine.start()).decode(file),
    skip: end,
    async read(picture) {
      const pageStartedMs = usedMs();
      try {
        if (pageStartedMs - startedMs > fileMaxMs) return { overdue: 'file' };
        return await readWithin(picture, () => usedMs() - pageStartedMs > pageMaxMs);
      } catch (error) {
        engine.drop(); // after an error in the middle of its work
        return afterFailure(error);
      } finally {
        end();
      }
    },
  };
}

const NO_TEXT: RecognisedPage = { lines: [], confidence: 0, doubtful: 0 };

/** How much of a page was recognised, in letters. */
const worth = ({ lines, confidence }: RecognisedPage): number =>
  confidence * lines.reduce((sum, { text }) => sum + text.length, 0);

function readInTurn(languages: readonly LanguageData[], read: (language: LanguageData) => RecognisedPage) {
  let best: { page: RecognisedPage; language: LanguageData } | undefined;
  for (const language of languages) {
    const page = read(language);
    if (best === undefined || worth(page) > worth(best.page)) best = { page, language };
    if (page.confidence >= SURE_OF_LANGUAGE) break;
  }
  if (best === undefined) throw new TypeError('recognition needs a language');
  return best;
}

/** Reads a page that was hardly readable again, on its head and on either side. */
function readTurned(upright: RecognisedPage, read: (quarters: 1 | 2 | 3) => RecognisedPage): RecognisedPage {
  const letters = upright.doubtful + upright.lines.reduce((sum, { text }) => sum + text.length, 0);
  if (letters < TURNED_MIN_LETTERS || (upright.confidence >= UPRIGHT_MIN && upright.doubtful < letters / 2))
    return upright;
  let best = upright;
  for (const quarters of [2, 1, 3] as const) {
    const page = read(quarters);
    if (worth(page) > worth(best)) best = page;
    if (page.confidence >= SURE && page.doubtful < letters / 2) break;
  }
  return best;
}
