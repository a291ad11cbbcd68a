/**
 * Reads Rich Text Format (Microsoft's specification 1.9.1).
 * The libraries for it lose text: of 17 phrases in six real files officeparser 8 finds 10, rtf-parser 2.
 */
import type { ExtractedFile, FileWarning } from '../../extracted-file.ts';
import { tooComplex } from '../../extraction-error.ts';
import { NESTING_MAX } from '../../extraction-limits.ts';
import { renderHtml } from '../../rendering/html-renderer.ts';
import { type RtfBody, rtfBody } from './body.ts';
import { CHARACTERS, characterDecoder, rtfFonts } from './characters.ts';
import { rtfDestinations } from './destinations.ts';
import { type Group, OUTERMOST, setsGroup } from './groups.ts';
import { type RtfToken, rtfTokens } from './tokens.ts';

/**
 * Headers and footers follow the text, each once.
 * @throws FILE_TOO_COMPLEX for groups nested past NESTING_MAX, or text past TEXT_MAX_LENGTH
 */
export function extractRtf(bytes: Uint8Array): ExtractedFile {
  const renderer = renderHtml({ keepBoilerplate: true });
  const body = rtfBody(renderer);
  const reader = rtfReader(body);
  for (const token of rtfTokens(bytes)) reader.take(token);
  const warnings = reader.end();
  body.end();
  return { extracted: renderer.finish(), warnings };
}

function rtfReader(body: RtfBody) {
  const groups: Group[] = [];
  const fonts = rtfFonts();
  const destinations = rtfDestinations(body);
  const write = (group: Group, text: string): void => {
    if (group.isSkipped || group.isHidden || group.isDeleted) return;
    if (group.destination === 'text') body.text(text, group.position);
    else destinations.write(group, text);
  };
  const characters = characterDecoder(fonts, write);
  let group: Group = { ...OUTERMOST };

  const takeWord = (name: string, parameter: number | undefined) => {
    destinations.begin(group, name);
    if (group.isSkipped) return;
    if (name === 'u') characters.writeUnit(group, parameter ?? 0);
    else if (CHARACTERS.has(name)) write(group, CHARACTERS.get(name) ?? '');
    else if (setsGroup(group, name, parameter) || fonts.take(group, name, parameter ?? 0)) return;
    else if (group.destination === 'text') body.control(name, parameter);
  };
  const takeSymbol = (character: string) => {
    if (character === '*') group.isIgnorable = true;
    else if (group.isSkipped) return;
    else if (character === '\n' || character === '\r') body.control('par', undefined);
    else write(group, CHARACTERS.get(character) ?? '');
  };
  const endGroup = () => {
    group.end?.();
    group = groups.pop() ?? { ...group, end: undefined };
  };
  return {
    take(token: RtfToken) {
      if (token.kind === 'bytes') {
        if (!group.isSkipped) characters.addBytes(token.bytes);
        return;
      }
      characters.endBytes(group);
      if (token.kind === 'open') group = { ...keepGroup(groups, group), end: undefined };
      else if (token.kind === 'close') endGroup();
      else if (token.kind === 'word') takeWord(token.name, token.parameter);
      else takeSymbol(token.character);
    },
    end(): FileWarning[] {
      characters.endBytes(group);
      const isCutOff = groups.length > 0;
      while (groups.length > 0) endGroup();
      return [...(isCutOff ? [CUT_OFF] : []), ...destinations.warnings()];
    },
  };
}

const CUT_OFF: FileWarning = {
  code: 'FILE_CUT_OFF',
  message: 'The file ends early: groups of it are not closed. What is there was read.',
};

function keepGroup(groups: Group[], group: Group): Group {
  if (groups.push(group) > NESTING_MAX)
    throw tooComplex(`The file nests more than ${NESTING_MAX} groups in each other.`);
  return group;
}
