/** Leaves out glyphs of fonts that do not say which letters they have. */
import type { Glyph } from '../glyphs/glyphs.ts';
import { addToSample, emptySample, type FontKind, type FontSample, kindOf } from './font-samples.ts';

/** `isUnreliable`: some text of the page is left out as noise, or may be other text than its reader sees. */
export type ReadableGlyphs = { glyphs: Glyph[]; isUnreliable: boolean };

/** Creates the filter for the pages of a file, in their order: each adds to what is known of the fonts. */
export function createGlyphFilter(): (drawn: Glyph[]) => ReadableGlyphs {
  const samples = new Map<string, FontSample>();
  return (drawn) => {
    const onPage = new Set<string>();
    for (const glyph of drawn) {
      const sample = samples.get(glyph.font) ?? emptySample();
      samples.set(glyph.font, sample);
      onPage.add(glyph.font);
      addToSample(sample, glyph);
    }
    const kinds = new Map([...onPage].map((font) => [font, kindOf(samples.get(font) ?? emptySample())]));
    const isUnreliable = [...kinds.values()].some((kind) => kind === 'noise' || kind === 'doubtful');
    return { glyphs: withoutNoise(drawn, kinds), isUnreliable };
  };
}

const CONTROL = /^\p{Cc}/u;

/** What is left out separates words: a control often stands for the blank. */
function withoutNoise(drawn: Glyph[], kinds: ReadonlyMap<string, FontKind>): Glyph[] {
  const isLeftOut = ({ text, font }: Glyph): boolean => {
    const kind = kinds.get(font);
    return kind === 'noise' || kind === 'signs' || ((text < ' ' || text >= '\u007f') && CONTROL.test(text));
  };
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
