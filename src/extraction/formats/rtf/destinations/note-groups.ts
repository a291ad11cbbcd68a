/** Footnotes, endnotes, comments and text boxes of an RTF file. */

import { type BeginGroup, captureText, type Group } from '../groups.ts';
import type { RtfBody } from '../layout/body.ts';
import { type NoteNumbers, noteNumbers } from './note-numbers.ts';

type NamedGroups = [name: string, begin: BeginGroup][];

export function noteGroups(body: RtfBody, beginApart: (group: Group, end: () => void) => void): NamedGroups {
  const beginBox: BeginGroup = (group) => beginApart(group, body.openNote());
  const numbers = noteNumbers();
  const beginNote: BeginGroup = (group) => {
    const close = body.openNote();
    numbers.openNote();
    beginApart(group, () => {
      numbers.closeNote();
      close();
    });
  };
  return [
    ['shptxt', beginBox],
    // As files before Word 97 have them.
    ['dptxbxtext', beginBox],
    ['footnote', beginNote],
    // The mark stands before the note only: in the sentence it would part words that belong together.
    ['chftn', () => body.introduce(numbers.next())],
    ...numberingWords(numbers),
    ...commentGroups(body, beginApart),
  ];
}

/** Words of the document (`\ftnnar`) and of sections (`\sftnnar`), for footnotes and endnotes (`\aftnnar`). */
function numberingWords(numbers: NoteNumbers): NamedGroups {
  const kinds = [
    ['ftn', 'footnote'],
    ['sftn', 'footnote'],
    ['aftn', 'endnote'],
    ['saftn', 'endnote'],
  ] as const;
  return [
    ['ftnalt', numbers.isEndnote],
    ...kinds.flatMap(
      ([prefix, kind]): NamedGroups => [
        ...(['ar', 'alc', 'auc', 'rlc', 'ruc'] as const).map((format): NamedGroups[number] => [
          `${prefix}n${format}`,
          () => numbers.setFormat(kind, format),
        ]),
        [`${prefix}start`, (_, parameter) => numbers.setNext(kind, parameter ?? 1)],
        [`${prefix}rstpg`, () => numbers.countByPage(kind)],
      ],
    ),
  ];
}

function commentGroups(body: RtfBody, beginApart: (group: Group, end: () => void) => void): NamedGroups {
  let author = '';
  const introduce = (date: string) => {
    const facts = [author, date].filter((fact) => fact !== '');
    if (facts.length > 0) body.introduce(`${facts.join(', ')}:`);
  };
  return [
    [
      'atnauthor',
      (group) =>
        captureText(group, (text) => {
          author = text.trim();
        }),
    ],
    ['atndate', (group) => captureText(group, (date) => introduce(dayOf(date)))],
    [
      'annotation',
      (group) => {
        const close = body.openNote();
        introduce('');
        beginApart(group, () => {
          author = '';
          close();
        });
      },
    ],
  ];
}

/** The day in a packed date: from bit 11 five bits of the day, four of the month, nine of the year from 1900. */
function dayOf(written: string): string {
  const packed = Number.parseInt(written, 10) || 0;
  const [day, month, year] = [(packed >> 11) & 0x1f, (packed >> 16) & 0xf, 1900 + ((packed >> 20) & 0x1ff)];
  const padded = (part: number) => String(part).padStart(2, '0');
  return day > 0 && month > 0 && month <= 12 ? `${year}-${padded(month)}-${padded(day)}` : '';
}
