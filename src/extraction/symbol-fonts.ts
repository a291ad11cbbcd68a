/**
 * Characters of the symbol fonts of office programs, which show other characters than their codes say.
 * Symbol: Adobe's encoding as Unicode publishes it (MAPPINGS/VENDORS/ADOBE/symbol.txt). Wingdings: the characters that
 * Unicode took from the fonts (L2/11-196), with common look-alikes for those that few fonts have.
 */

/** Codes 0x20 to 0x7e, then 0xa0 to 0xfe. */
const SYMBOL =
  ' !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼' +
  '€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭';

/** Codes 0x20 to 0xfe. */
const WINGDINGS =
  ' ✏✂✁👓🔔📖🕯☎✆✉🖃📪📫📬📭📁📂📄🗏🗐🗄⏳⌨🖰🖲💻🖴💾🖬✇✍🖎✌👌👍👎☜☞☝☟🖐☺😐☹💣☠🏳🏱✈☼💧❄🕆✞🕈✠✡☪☯ॐ☸♈♉♊♋♌♍♎♏♐♑♒♓' +
  '&&●❍■□🞐❑❒⬧⧫◆❖⬥⌧⮹⌘❀✿❝❞▯⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿🙢🙠🙡🙣🙞🙜🙝🙟·•▪○⭘⭘◉◎⚪▪☐▴✦★✶✴✹✵⯐⌖⟡⌑⯑✪✰' +
  '🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛⮰⮱⮲⮳⮴⮵⮶⮷🙪🙫🙕🙔🙗🙖🙐🙑🙒🙓⌫⌦⮘➢⮙⮛⮈➲⮉⮋←→↑↓↖↗↙↘←➔↑↓↖↗↙↘⇦⇨⇧⇩⬄⇳⬁⬀⬃⬂▭▫✗✓☒☑';

/** Of these fonts only what forms use: marks and boxes. */
const WINGDINGS_2: [code: number, character: string][] = [
  [0x4f, '✗'],
  [0x50, '✓'],
  [0x51, '☒'],
  [0x52, '☑'],
  [0x53, '☒'],
  [0x54, '☒'],
  [0x95, '•'],
  [0x96, '•'],
  [0x97, '●'],
  [0xa2, '■'],
  [0xa3, '☐'],
];
const WINGDINGS_3: [code: number, character: string][] = [
  [0x66, '←'],
  [0x67, '→'],
  [0x68, '↑'],
  [0x69, '↓'],
  [0x6a, '↖'],
  [0x6b, '↗'],
  [0x6c, '↙'],
  [0x6d, '↘'],
  [0x6e, '↔'],
  [0x6f, '↕'],
  [0x70, '▲'],
  [0x71, '▼'],
  [0x74, '◀'],
  [0x75, '▶'],
  [0x7d, '▶'],
];
const WEBDINGS: [code: number, character: string][] = [
  [0x61, '✓'],
  [0x63, '☐'],
  [0x67, '■'],
  [0x69, 'ℹ'],
  [0x6e, '●'],
  [0x72, '✗'],
];

/** `text` as characters by their codes. `isGapped`: the codes 0x7f to 0x9f are left out. */
function characters(text: string, { isGapped }: { isGapped: boolean }): Map<number, string> {
  return new Map(
    Array.from(text, (character, i) => [0x20 + i + (isGapped && i >= 0x7f - 0x20 ? 0x21 : 0), character]),
  );
}

const FONTS = new Map([
  ['symbol', characters(SYMBOL, { isGapped: true })],
  ['wingdings', characters(WINGDINGS, { isGapped: false })],
  ['wingdings 2', new Map(WINGDINGS_2)],
  ['wingdings 3', new Map(WINGDINGS_3)],
  ['webdings', new Map(WEBDINGS)],
]);

/** Windows keeps the characters of symbol fonts at their code in this private area. */
const PRIVATE_AREA = 0xf000;

export const isSymbolFont = (font: string): boolean => FONTS.has(font.toLowerCase());

/**
 * The character that a font shows for a code: `symbolOf('Symbol', 0xf061)` → `α`. Empty for a code of a symbol font
 * that has no common character, since any letter would be wrong.
 */
export function symbolOf(font: string, code: number): string {
  const known = FONTS.get(font.toLowerCase());
  const isPrivate = code >= PRIVATE_AREA && code <= PRIVATE_AREA + 0xff;
  if (known) return known.get(isPrivate ? code - PRIVATE_AREA : code) ?? '';
  return isPrivate || code > 0x10ffff || !(code > 0) ? '' : String.fromCodePoint(code);
}

/** Single letters in a symbol font are symbols. Longer text has the font by mistake: programs give it to whole runs. */
const SYMBOLS_MAX_LENGTH = 3;
/** Characters that only a symbol font shows. */
const PRIVATE_CHARACTERS = /[\uf020-\uf0ff]/g;

/** `symbolText('Symbol', 'a')` → `α`: text that a symbol font shows as other characters. */
export function symbolText(font: string, text: string): string {
  if (!isSymbolFont(font)) return text;
  const show = (character: string) => symbolOf(font, character.codePointAt(0) ?? 0);
  return text.length > SYMBOLS_MAX_LENGTH
    ? text.replace(PRIVATE_CHARACTERS, show)
    : Array.from(text, show).join('');
}
