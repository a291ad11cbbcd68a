/** Leaves out glyphs of fonts that do not say which letters they have. */
import { ACTUAL_TEXT } from '../glyphs/actual-text.ts';
import type { Glyph } from '../glyphs/glyph.ts';
import type { PlacedGlyphs } from '../glyphs/glyphs.ts';
import { addToSample, emptySample, type FontKind, type FontSample, kindOf } from './font-samples.ts';

/** `isUnreliable`: some text of the page is left out as noise, or may be other text than its reader sees. */
export type ReadableGlyphs = { glyphs: Glyph[]; isUnreliable: boolean };

/** More glyphs of a font do not change what is known of it. */
const SAMPLE_MAX = 5_000;

/** Creates the filter for the pages of a file, in their order: each adds to what is known of the fonts. */
export function createGlyphFilter(): (placed: PlacedGlyphs) => ReadableGlyphs {
  const samples = new Map<string, FontSample>();
  const markUnmapped = unmappedMarker();
  return ({ glyphs: placed, blanks }) => {
    const drawn = markUnmapped(placed);
    const onPage = new Map<string, FontSample>();
    let [font, sample] = ['', emptySample()];
    for (const glyph of drawn) {
      if (glyph.font === ACTUAL_TEXT) continue;
      if (glyph.font !== font) {
        font = glyph.font;
        sample = samples.get(font) ?? emptySample();
        samples.set(font, sample);
        onPage.set(font, sample);
      }
      if (sample.glyphs < SAMPLE_MAX) addToSample(sample, glyph);
    }
    for (const [font, { blanks: known }] of onPage)
      for (const width of blanks.get(font) ?? []) known.add(width);
    const kinds = new Map([...onPage].map(([font, sample]) => [font, kindOf(sample)]));
    const isUnreliable = [...kinds.values()].some((kind) => UNRELIABLE.has(kind));
    return { glyphs: withoutNoise(drawn, kinds), isUnreliable };
  };
}

const UNRELIABLE: ReadonlySet<FontKind> = new Set(['noise', 'doubtful', 'incomplete']);

/** Stands for a glyph that the map of its font has no text for. */
const UNMAPPED = '\0';

/**
 * A font whose glyphs have their codes as text more often has letters for codes (UCS-2), or no map at all. In others
 * these are glyphs without text: WeasyPrint and others map the first glyph of a syllable to all of it, the rest to
 * none.
 */
const CODES_SHARE = 0.5;

/** Creates a function that takes the codes of unmapped glyphs for no text, page by page. */
function unmappedMarker(): (drawn: Glyph[]) => Glyph[] {
  const counts = new Map<string, { glyphs: number; codes: number }>();
  return (drawn) => {
    let hasCodes = false;
    for (const { font, isCode } of drawn) {
      const count = counts.get(font) ?? { glyphs: 0, codes: 0 };
      counts.set(font, count);
      count.glyphs++;
      if (!isCode) continue;
      count.codes++;
      hasCodes = true;
    }
    if (!hasCodes) return drawn;
    const isUnmapped = ({ font, isCode }: Glyph): boolean => {
      const { glyphs, codes } = counts.get(font) ?? { glyphs: 0, codes: 0 };
      return isCode && codes < CODES_SHARE * glyphs;
    };
    return drawn.map((glyph) => (isUnmapped(glyph) ? { ...glyph, text: UNMAPPED } : glyph));
  };
}

const CONTROL = /^\p{Cc}/u;

/** What is left out separates words: a control often stands for the blank. A part of a syllable does not. */
function withoutNoise(drawn: Glyph[], kinds: ReadonlyMap<string, FontKind>): Glyph[] {
  const leftOut = new Set(
    [...kinds].filter(([, kind]) => kind === 'noise' || kind === 'signs').map(([font]) => font),
  );
  const isLeftOut = ({ text, font }: Glyph): boolean =>
    ((text < ' ' || text >= '\u007f') && CONTROL.test(text)) || (leftOut.size > 0 && leftOut.has(font));
  if (!drawn.some(isLeftOut)) return drawn;
  const glyphs: Glyph[] = [];
  let isAfterBlank = false;
  for (const glyph of drawn) {
    if (!isLeftOut(glyph)) {
      glyphs.push(isAfterBlank ? { ...glyph, isAfterBlank } : glyph);
      isAfterBlank = false;
    } else if (kinds.get(glyph.font) !== 'incomplete' || glyph.isAfterBlank) isAfterBlank = true;
    else widenLast(glyphs, glyph);
  }
  return glyphs;
}

/** Lets the last glyph reach to the end of the next one, so that there is no gap for a blank. */
function widenLast(glyphs: Glyph[], next: Glyph): void {
  const last = glyphs.at(-1);
  if (
    last &&
    last.font === next.font &&
    Math.abs(last.across - next.across) < last.size &&
    next.end > last.end
  )
    glyphs.splice(-1, 1, { ...last, end: next.end });
}
