/** Fields, headers and footers of an RTF file. */
import { symbolOf } from '../../../symbol-fonts.ts';
import { type BeginGroup, captureText, type Group } from '../groups.ts';
import type { RtfBody } from '../layout/body.ts';

/** Fields that have another value on each page, and so say nothing in a header. */
const PAGE_FIELD = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i;
/** A field that shows a character of a font: `SYMBOL 176 \f "Symbol"`. */
const SYMBOL_FIELD = /^\s*SYMBOL\s+(0x[0-9a-f]+|\d+)(?:.*\\f\s*"?([^"\\]+))?/i;

const HEADERS_AND_FOOTERS = 'header headerl headerr headerf footer footerl footerr footerf'.split(' ');

export function fieldGroups(
  body: RtfBody,
  beginApart: (group: Group, end: () => void) => void,
): [name: string, begin: BeginGroup][] {
  let openHeaders = 0;
  let instruction = '';
  const beginHeader: BeginGroup = (group) => {
    const close = body.openRepeated();
    openHeaders++;
    beginApart(group, () => {
      openHeaders--;
      close();
    });
  };
  return [
    ...HEADERS_AND_FOOTERS.map((name): [string, BeginGroup] => [name, beginHeader]),
    [
      'fldinst',
      (group) => {
        const { position } = group;
        captureText(group, (text) => {
          instruction = text;
          const [, code, font = ''] = SYMBOL_FIELD.exec(text) ?? [];
          if (code !== undefined) body.text(symbolOf(font.trim(), Number(code)), position);
        });
      },
    ],
    [
      'fldrslt',
      (group) => {
        group.isSkipped ||= openHeaders > 0 && PAGE_FIELD.test(instruction);
      },
    ],
  ];
}
