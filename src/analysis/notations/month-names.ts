/** The names of months in many languages, as Unicode's CLDR has them. */
import { foldAccents } from '../normalise.ts';

/** The languages of `LANGUAGES`, and further ones whose texts have no stemmer. */
const LOCALES =
  'ar ar-SY bg ca cs da de el en es eu fa fi fr ga he hi hr hu hy id it lt nb ne nl pl pt ro ru sr ' +
  'sr-Latn sv ta th tr uk yi';

/** The name in a date, alone, and as an abbreviation: `5 марта`, `март`, `мар.`. */
const STYLES: Intl.DateTimeFormatOptions[] = [
  { month: 'long', day: 'numeric' },
  { month: 'long' },
  { month: 'short', day: 'numeric' },
];

/** What CLDR lacks. */
const FURTHER: [name: string, month: number][] = [
  ['sept', 9],
  ['märz', 3],
  ['maerz', 3],
];

/** `de març` → `març`, `d’abril` → `abril`. */
const ARTICLE = /^(?:de |d['’])/u;
const NAME = /^[\p{L}\p{M}]{3,}\.?$/u;
/** Letters that a date adds to the name: Hebrew ב before it, Basque `ren` after it. */
const ADJOINING_BEFORE = /\p{L}+$/u;
const ADJOINING_AFTER = /^\p{L}+/u;

function* namesIn(locale: string): Generator<[name: string, month: number]> {
  for (const style of STYLES) {
    const format = new Intl.DateTimeFormat(locale, { ...style, calendar: 'gregory', timeZone: 'UTC' });
    for (let month = 1; month <= 12; month++) {
      const parts = format.formatToParts(Date.UTC(2024, month - 1, 1));
      const at = parts.findIndex(({ type }) => type === 'month');
      const name = parts[at]?.value.replace(ARTICLE, '') ?? '';
      if (!NAME.test(name)) continue;
      const plain = name.replace('.', '').toLowerCase().normalize('NFKC');
      const before = ADJOINING_BEFORE.exec(parts[at - 1]?.value ?? '')?.[0] ?? '';
      const after = ADJOINING_AFTER.exec(parts[at + 1]?.value ?? '')?.[0] ?? '';
      yield [plain, month];
      if (before + after !== '') yield [before + plain + after, month];
    }
  }
}

/** Names that stand for different months in two languages, as `listopada` in Croatian and Polish, are left out. */
function readMonths(): ReadonlyMap<string, number> {
  const months = new Map<string, number>();
  for (const [name, month] of [...LOCALES.split(' ').flatMap((locale) => [...namesIn(locale)]), ...FURTHER]) {
    for (const spelling of [name, foldAccents(name)]) {
      months.set(spelling, (months.get(spelling) ?? month) === month ? month : 0);
    }
  }
  return new Map([...months].filter(([, month]) => month !== 0));
}

let months: ReadonlyMap<string, number> | undefined;

/** The month, from 1, of a name in lower case; undefined for another word. The first call reads the names: 50 ms. */
export function monthOf(name: string): number | undefined {
  months ??= readMonths();
  return months.get(name);
}
