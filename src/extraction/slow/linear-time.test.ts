/** Every function takes linear time for its worst text of 500,000 characters. Quadratic time would be minutes. */
import { expect, test } from 'vitest';
import { usedMsOf } from '../../../contract-tests/harness/machine/processor-time.ts';
import { compoundTokens } from '../../analysis/compounds.ts';
import { detectLanguage } from '../../analysis/language.ts';
import { lexemesOf, wordsToStem } from '../../analysis/lexemes.ts';
import { foldAccents, normaliseText, unifyLetters } from '../../analysis/normalise.ts';
import { tokenise } from '../../analysis/tokens.ts';
import { byPosition, parseCursor } from '../../handlers/pagination.ts';
import { isBlank } from '../../indexing/split/extracted-text.ts';
import { scanMarkdown } from '../../indexing/split/markdown.ts';
import { splitPassages } from '../../indexing/split/passages.ts';
import { ServiceError } from '../../terms/errors.ts';
import { decodeText } from '../decode-text.ts';
import { detectType } from '../detect-type.ts';
import { ExtractionError } from '../extraction-error.ts';
import { extractCsv } from '../formats/csv.ts';
import { extractHtml } from '../formats/html.ts';
import { extractJson } from '../formats/json.ts';
import { extractRtf } from '../formats/rtf/rtf.ts';
import { extractSubtitles } from '../formats/subtitles.ts';
import { extractXml } from '../formats/xml.ts';

const LENGTH = 500_000;
/** Of processor time. The slowest takes a second; another machine may take ten times as long. */
const LINEAR_MAX_MS = 10_000;

const latin1 = (text: string) => Buffer.from(text, 'latin1');

/** Each unit is repeated up to the length; `before` precedes them. */
const readers: [name: string, read: (text: string) => unknown, units: string[], before?: string][] = [
  [
    'scanMarkdown',
    scanMarkdown,
    ['[', '](', '# [', '#', ' #', '`', '```\n', '|', '|\n', '{#', '-', '\n', ' '],
  ],
  ['scanMarkdown, in a heading', scanMarkdown, ['[', '](', '#', ' #', '{#', ' {#', '*', ' '], '# '],
  [
    'splitPassages',
    (text) => Array.from(splitPassages(scanMarkdown(text))).length,
    [' ', '\n', '\n ', '#', '# a\n', '|a|\n|-|\n', '```\n', '- a\n', 'A.) ', 'a', '漢', '\u0301', '👨\u200d'],
    'x',
  ],
  ['isBlank', isBlank, [' ', '\u200b', '\ue000', '\ufffd']],
  ['normaliseText', normaliseText, ['\u0301', 'a\u0301', '\u200c', 'م\u200c', '\u0640', "'", '\u2010']],
  [
    'tokenise',
    tokenise,
    ['a.', 'a-', '.', "a'", '1,', ',', '1.', ':', 'a:', '://', '+', '#', '한 ', '\u0301', '_'],
  ],
  [
    'compoundTokens',
    compoundTokens,
    ['a', '1', 'A', 'aB', 'A.', '1,000', '1a', 'aa11', 'a_', "n't", 'v1.', "l'"],
  ],
  ['foldAccents', foldAccents, ['\u0301', 'и\u0306', 'é', 'ß', '१']],
  ['unifyLetters', unifyLetters, ['\u0301', 'и\u0306', 'и\u0301', '\u064b']],
  [
    'lexemesOf',
    (text) => lexemesOf(text, new Map(wordsToStem([text]).map((word) => [word, word]))),
    ['a', 'é', "'"],
  ],
  ['detectLanguage', (text) => detectLanguage(text), ['a', ' ', '漢', '😀']],
  ['decodeText', (text) => decodeText(latin1(text)), ['\x1b$B', '\x1b$B!!', '\r', '\0', '\xff\xfe', 'a\0']],
  ['decodeText, no UTF-8', (text) => decodeText(latin1(text)), ['\xe9', 'a', '\xe9\n', '\x80'], '\xe9'],
  [
    'decodeText of markup',
    (text) => decodeText(latin1(text), { markup: 'html' }),
    ['<meta', '<meta charset', ' '],
  ],
  [
    'decodeText of XML',
    (text) => decodeText(latin1(text), { markup: 'xml' }),
    [' ', 'encoding', 'encoding='],
    '<?xml',
  ],
  [
    'detectType',
    (text) => detectType(latin1(text), 'a'),
    ['<!--', '<!--a-->', ' ', '<?xml', '<html', '\0', '\xe9'],
  ],
  ['detectType by the name', (text) => detectType(latin1('a'), text), ['.', '.a', 'a', ' ']],
  [
    'extractHtml',
    extractHtml,
    [
      '<',
      '<a ',
      '<!--',
      '<![CDATA[',
      '&',
      '</a>',
      '<title>',
      '<script>',
      '<div>',
      '<ul><li>',
      '<table><tr><th>',
      '<svg>',
      '<table><td>',
      '<tr></center>',
      '<aside>a',
      '<div class="menu"><a href="b">c',
      '<math><msup><mrow>x',
      '<math><mtable><mtr><mtd>',
      '<ol type="i"><li value="3999">',
    ],
  ],
  ['extractHtml, an attribute', extractHtml, ['display:', 'display :', ' ', '&', '"a"'], '<p style="'],
  [
    'extractHtml, tables in tables',
    (html) => extractHtml(`${html}${'</table>'.repeat(3_000)}`),
    ['<p>a', 'a '],
    '<table role=table><tr><td>'.repeat(3_000),
  ],
  [
    'extractSubtitles',
    (text) => extractSubtitles(latin1(text)),
    [
      '{1}{2}a|',
      '{1}{2}\n',
      '[00:01.00]',
      '[00:01.00]a\n',
      '[ti:] ',
      '<SYNC Start=1>a<br>',
      '<SAMI ',
      '1:00.0 -->',
    ],
  ],
  [
    'extractSubtitles, a line that is repeated',
    (text) => extractSubtitles(latin1(text)),
    ['a ', 'a<'],
    '[00:01.00]'.repeat(LENGTH / 10),
  ],
  [
    'extractXml, a book',
    (text) => extractXml(latin1(text)),
    ['<section>', '<title><p>a', '<a type="note">b</a>', '<author><nickname>c', '<annotation>d'],
    '<FictionBook><description><title-info>',
  ],
  ['extractCsv', (text) => extractCsv(latin1(text)), ['"', '""', ',"', '",', '"a', '" ', ',', '\n"', '\r']],
  ['extractJson', (text) => extractJson(latin1(text)), ['[', '{"a":', '"', '\\', '1\n', '[]\n', 'a\n']],
  [
    'extractXml',
    (text) => extractXml(latin1(text)),
    ['<!DOCTYPE[', '<!DOCTYPE ', '<!--', '<!---->', '<?a?>', ' ', '<![CDATA[', '<a ', '&', ']'],
  ],
  [
    'extractXml, inside',
    (text) => extractXml(latin1(text)),
    ['<!DOCTYPE[', '</b>', '<b/>', '<', '&#', ']]>', ' '],
    '<a>',
  ],
  [
    'extractRtf',
    (text) => extractRtf(latin1(text)),
    [
      '{}',
      '\\',
      '\\a',
      '\\u1?',
      "\\'e9",
      '\\f1',
      '\\par ',
      'a{\\footnote b}',
      '{\\listtext 1.}a\\par ',
      '{\\header a}',
    ],
    '{\\rtf1 ',
  ],
  [
    'extractRtf, a table',
    (text) => extractRtf(latin1(text)),
    [
      '\\cell ',
      '\\row ',
      'a\\cell\\row ',
      '\\clvmgf\\cellx1 a\\cell\\row',
      '\\itap9 a',
      '\\nestcell\\nestrow ',
      '\\cellx1',
    ],
    '{\\rtf1\\trowd\\cellx100\\cellx900\\intbl ',
  ],
  [
    'extractRtf, notes in notes',
    (text) => extractRtf(latin1(text)),
    ['a\\par ', '\\trowd\\intbl a\\cell\\row\\pard '],
    `{\\rtf1 ${'a{\\footnote\\trowd\\intbl '.repeat(400)}`,
  ],
  ['parseCursor', (text) => parseCursor('list', text, byPosition), ['a', '=', '.', '-']],
];

/** Such a text may cause an error of the file. */
function readAnyway(read: (text: string) => unknown, text: string): void {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof ExtractionError || error instanceof ServiceError)) throw error;
  }
}

test.each(readers)('%s', async (_name, read, units, before = '') => {
  for (const unit of units) {
    const text = `${before}${unit.repeat(LENGTH / unit.length)}x`;
    const usedMs = await usedMsOf(() => readAnyway(read, text));
    expect(usedMs, JSON.stringify(unit)).toBeLessThan(LINEAR_MAX_MS);
  }
});
