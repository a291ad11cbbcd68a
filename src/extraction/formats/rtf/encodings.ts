/** Determines the encoding of the bytes of an RTF file. */

export const DEFAULT_ENCODING = 'windows-1252';

/** Windows character sets of fonts (`\fcharset`) → WHATWG labels. */
const FONT_ENCODINGS: Record<number, string | undefined> = {
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gb18030',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};

/** Code pages (`\ansicpg`, `\cpg`) whose label is not `windows-` and their number. */
const CODE_PAGES: Record<number, string | undefined> = {
  866: 'ibm866',
  932: 'shift_jis',
  936: 'gb18030',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
};

/** The encoding of a font with this character set; undefined for the document's own encoding. */
export const fontEncoding = (charset: number): string | undefined => FONT_ENCODINGS[charset];

/** The encoding of a code page; windows-1252 for unknown ones. */
export function codePageEncoding(codePage: number): string {
  const windows = codePage === 874 || (codePage >= 1250 && codePage <= 1258);
  return CODE_PAGES[codePage] ?? (windows ? `windows-${codePage}` : DEFAULT_ENCODING);
}
