/** Leaves out glyphs of fonts that do not say which letters they have. */
import type { Glyph, PlacedGlyphs } from '../glyphs/glyphs.ts';
import { addToSample, emptySample, type FontSample, kindOf } from './font-samples.ts';

/** `isUnreliable`: some text of the page is left out as noise, or may be other text than its reader sees. */
export type ReadableGlyphs = { glyphs: Glyph[]; isUnreliable: boolean };

/** More glyphs of a font do not change what is known of it. */
const SAMPLE_MAX = 5_000;

/** Creates the filter for the pages of a file, in their order: each adds to what is known of the fonts. */
export function createGlyphFilter(): (placed: PlacedGlyphs) => ReadableGlyphs {
  const samples = new Map<string, FontSample>();
  return ({ glyphs: drawn, blanks }) => {
    const onPage = new Map<string, FontSample>();
    let [font, sample] = ['', emptySample()];
    for (const glyph of drawn) {
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
    const isUnreliable = [...kinds.values()].some((kind) => kind === 'noise' || kind === 'doubtful');
    const leftOut = [...kinds].filter(([, kind]) => kind === 'noise' || kind === 'signs');
    return { glyphs: withoutNoise(drawn, new Set(leftOut.map(([font]) => font))), isUnreliable };
  };
}

const CONTROL = /^\p{Cc}/u;

/** What is left out separates words: a control often stands for the blank. */
function withoutNoise(drawn: Glyph[], fonts: ReadonlySet<string>): Glyph[] {
  const isLeftOut = ({ text, font }: Glyph): boolean =>
    ((text < ' ' || text >= '\u007f') && CONTROL.test(text)) || (fonts.size > 0 && fonts.has(font));
  if (!drawn.some(isLeftOut)) return drawn;
  const glyphs: Glyph[] = [];
  let isAfterBlank = false;
  for (const glyph of drawn) {
    if (isLeftOut(glyph)) isAfterBlank = true;
    else {
      glyphs.push(isAfterBlank ? { ...glyph, isAfterBlank } : glyph);
      isAfterBlank = false;
    }
  }
  return glyphs;
}
