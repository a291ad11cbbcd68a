/** Reads a file of questions as text, in the encodings in which spreadsheets write them. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { codeOf } from '../../terms/problem.ts';
import { CommandError } from '../options.ts';

const BYTES_MAX = 20 * 1024 * 1024;

const LINE_END = 0x0a;

/** The first line that is no UTF-8, from 1. */
function findDamagedLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [line, start] = [1, 0];
  while (start < bytes.length) {
    const end = bytes.indexOf(LINE_END, start);
    try {
      decoder.decode(bytes.subarray(start, end < 0 ? bytes.length : end));
    } catch {
      return line;
    }
    if (end < 0) break;
    [line, start] = [line + 1, end + 1];
  }
  return line;
}

/** UTF-8, or UTF-16 with its mark, which Excel calls Unicode text. @throws a sentence with the line that is neither */
export function decodeTable(bytes: Uint8Array, path: string): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(
      `${path}, line ${findDamagedLine(bytes)}: this is no UTF-8. Save the file as "CSV UTF-8" in the spreadsheet.`,
    );
  }
}

/** `path`: a file, or `-` for standard input. @throws a sentence when it cannot be read */
export async function readTable(path: string): Promise<string> {
  const reading: Promise<Uint8Array> = path === '-' ? buffer(process.stdin) : readFile(path);
  const bytes = await reading.catch((error) => {
    throw new CommandError(`${path} cannot be read (${codeOf(error)}).`);
  });
  if (bytes.length > BYTES_MAX)
    throw new CommandError(`${path} is larger than 20 MiB: this is no list of questions.`);
  return decodeTable(bytes, path);
}
