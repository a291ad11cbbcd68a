/**
 * Reads Rich Text Format (Microsoft's specification 1.9.1).
 * The libraries for it lose text: of 17 phrases in six real files officeparser 8 finds 10, rtf-parser 2.
 */
import type { ExtractedFile, FileWarning } from '../../extracted-file.ts';
import { tooComplex } from '../../extraction-error.ts';
import { NESTING_MAX } from '../../extraction-limits.ts';
import { renderHtml } from '../../rendering/html-renderer.ts';
import { unreadParts } from '../office/unread.ts';
import { CHARACTERS, characterDecoder } from './characters.ts';
import { type DescribingParts, rtfDestinations } from './destinations/destinations.ts';
import { rtfFonts } from './fonts.ts';
import { type Group, NOWHERE, outermostGroup, setsGroup } from './groups.ts';
import { type RtfBody, rtfBody } from './layout/body.ts';
import { rtfListTable } from './list-table.ts';
import { rtfStyles } from './styles.ts';
import { type RtfToken, rtfTokens } from './tokens.ts';

/**
 * Headers and footers follow the text, each once.
 * @throws FILE_TOO_COMPLEX for groups nested past NESTING_MAX, or text past TEXT_MAX_LENGTH
 */
export function extractRtf(bytes: Uint8Array): ExtractedFile {
  const renderer = renderHtml();
  const parts = { fonts: rtfFonts(), styles: rtfStyles(), lists: rtfListTable(), unread: unreadParts() };
  const body = rtfBody(renderer, parts);
  const reader = rtfReader(body, parts);
  for (const token of rtfTokens(bytes)) reader.take(token);
  const isCutOff = reader.end();
  body.end();
  return {
    extracted: renderer.finish(),
    warnings: [...(isCutOff ? [CUT_OFF] : []), ...parts.unread.warnings()],
  };
}

const CUT_OFF: FileWarning = {
  code: 'FILE_CUT_OFF',
  message: 'The file ends early: groups of it are not closed. What is there was read.',
};

/** Creates the functions that write text and characters to the destination of a group. */
function createWriting(body: RtfBody, parts: DescribingParts) {
  const { fonts, unread } = parts;
  const destinations = rtfDestinations(body, parts);
  const write = (group: Group, text: string): void => {
    if (group.isSkipped || group.isDeleted) return;
    if (!group.isHidden) group.destination.write(group, text);
    else if (group.destination === destinations.text && /\S/.test(text)) unread.hidden();
  };
  const characters = characterDecoder(fonts, write);
  return {
    destinations,
    characters,
    takeWord(group: Group, name: string, parameter: number | undefined): void {
      destinations.begin(group, name, parameter);
      if (group.isSkipped) return;
      if (name === 'u') characters.writeUnit(group, parameter ?? 0);
      else if (CHARACTERS.has(name)) write(group, CHARACTERS.get(name) ?? '');
      else if (!setsGroup(group, name, parameter) && !fonts.take(name, parameter))
        group.destination.word?.(group, name, parameter);
    },
    takeSymbol(group: Group, character: string): void {
      if (character === '*') group.isIgnorable = true;
      else if (group.isSkipped) return;
      else if (character === '\n' || character === '\r') group.destination.word?.(group, 'par', undefined);
      else write(group, CHARACTERS.get(character) ?? '');
    },
  };
}

function rtfReader(body: RtfBody, parts: DescribingParts) {
  const groups: Group[] = [];
  const { destinations, characters, takeWord, takeSymbol } = createWriting(body, parts);
  let group = outermostGroup(destinations.text);
  const endGroup = () => {
    group.end?.();
    group = groups.pop() ?? { ...group, end: undefined };
  };
  return {
    take(token: RtfToken): void {
      if (token.kind === 'bytes') {
        const isData = group.isSkipped || group.destination === NOWHERE;
        if (!isData) characters.addBytes(token.bytes);
        return;
      }
      characters.endBytes(group);
      if (token.kind === 'open') group = { ...keepGroup(groups, group), end: undefined };
      else if (token.kind === 'close') endGroup();
      else if (token.kind === 'word') takeWord(group, token.name, token.parameter);
      else takeSymbol(group, token.character);
    },
    /** Returns whether groups are open. */
    end(): boolean {
      characters.endBytes(group);
      const isCutOff = groups.length > 0;
      while (groups.length > 0) endGroup();
      return isCutOff;
    },
  };
}

function keepGroup(groups: Group[], group: Group): Group {
  if (groups.push(group) > NESTING_MAX)
    throw tooComplex(`The file nests more than ${NESTING_MAX} groups in each other.`);
  return group;
}
