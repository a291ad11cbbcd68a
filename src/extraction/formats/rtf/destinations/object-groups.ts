/** Pictures and objects of an RTF file: what describes them is text. */
import { altText } from '../../../markup/alt-text.ts';
import type { UnreadParts } from '../../office/unread.ts';
import { type BeginGroup, captureText, NOWHERE } from '../groups.ts';
import type { RtfBody } from '../layout/body.ts';

/** The property of a shape or picture that describes it for people who cannot see it ([MS-ODRAW] 2.3.4.5). */
const DESCRIPTION = 'wzDescription';

export function objectGroups(body: RtfBody, unread: UnreadParts): [name: string, begin: BeginGroup][] {
  let program = '';
  let property = '';
  const nowhere: BeginGroup = (group) => {
    group.destination = NOWHERE;
  };
  const leaveOut: BeginGroup = (group) => {
    program = '';
    group.end = () => unread.object(program);
  };
  return [
    ['pict', nowhere],
    ['picprop', nowhere],
    ['sp', nowhere],
    [
      'sn',
      (group) =>
        captureText(group, (name) => {
          property = name.trim();
        }),
    ],
    [
      'sv',
      (group) =>
        captureText(group, (value) => {
          const description = property === DESCRIPTION ? altText(value) : '';
          if (description !== '') writeNote(body, description);
        }),
    ],
    [
      'objclass',
      (group) =>
        captureText(group, (name) => {
          program = name.trim();
        }),
    ],
    ...['objemb', 'objlink', 'objautlink', 'objocx'].map((name): [string, BeginGroup] => [name, leaveOut]),
  ];
}

function writeNote(body: RtfBody, text: string): void {
  const close = body.openNote();
  body.text(text, undefined);
  close();
}
