/** Finds out before anything is sent which files the service would refuse. */
import { open, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { FILE_SIZE_MAX } from '../../client/upload/file-source.ts';
import { detectType, typeByName, unsupportedFormat } from '../../extraction/detect-type.ts';
import { formatBytes } from '../../terminal/formats.ts';
import { reasonOf } from '../../terms/problem.ts';
import type { LocalFile } from './find-files.ts';

/** The longest `externalId`. */
const EXTERNAL_ID_MAX = 256;

/** Bytes at the beginning of a file that suffice to detect most types. */
const HEAD_BYTES = 16_384;

/**
 * Why a file cannot be imported, and what helps. `isHarmless`: folders often have such files, and nobody misses them.
 */
export type Obstacle = { reason: string; help: string; isHarmless: boolean };

export type Checked = { sizeBytes: number; obstacle?: Obstacle };

const obstacle = (sizeBytes: number, reason: string, help = '', isHarmless = false): Checked => ({
  sizeBytes,
  obstacle: { reason, help, isHarmless },
});

/** Size, first bytes, and a function that reads all. */
type Content = { sizeBytes: number; head: Uint8Array; readAll(): Promise<Uint8Array> };

async function openContent({ path, bytes }: LocalFile): Promise<Content> {
  if (bytes !== undefined) return { sizeBytes: bytes.length, head: bytes, readAll: async () => bytes };
  const file = await open(path);
  try {
    const { size: sizeBytes } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(HEAD_BYTES, sizeBytes)));
    return { sizeBytes, head: buffer.subarray(0, bytesRead), readAll: () => readFile(path) };
  } finally {
    await file.close();
  }
}

type Refused = Pick<Obstacle, 'reason' | 'help'>;

/**
 * Why the service does not read the file's type, by its own rules; undefined: it does. Archives and unknown types are
 * decided by the whole file.
 */
async function findRefused(
  { sizeBytes, head, readAll }: Content,
  fileName: string,
): Promise<Refused | undefined> {
  if (detectType(head, fileName) !== undefined) return undefined;
  const bytes = sizeBytes > head.length ? await readAll() : head;
  if (detectType(bytes, fileName) !== undefined) return undefined;
  const format = unsupportedFormat(bytes, fileName);
  const reason = 'The service does not read this type';
  const named = format === undefined ? typeByName(fileName) : undefined;
  if (named !== undefined)
    return { reason: `It is damaged, or no ${named}, as its name says.`, help: HELP_FOR_DAMAGED };
  if (format === undefined)
    return { reason: `${reason}.`, help: 'Save it as pdf, docx or another type that the service reads.' };
  return { reason: `${reason}: it is ${format.name}.`, help: toSentence(format.help) };
}

const HELP_FOR_DAMAGED = 'Open it in its program, and save it anew.';

/** `export it as PDF` → `Export it as PDF.` */
const toSentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** Checks a file. Never throws: what cannot be read has an obstacle. */
export async function checkFile(file: LocalFile): Promise<Checked> {
  const { path, externalId, problem, isNamed, address } = file;
  if (address !== undefined) return { sizeBytes: 0 };
  if (problem !== undefined) return obstacle(0, problem);
  if (Array.from(externalId).length > EXTERNAL_ID_MAX)
    return obstacle(
      0,
      `Its path has more than ${EXTERNAL_ID_MAX} characters.`,
      'Import a folder nearer to it.',
    );
  try {
    const content = await openContent(file);
    const { sizeBytes } = content;
    if (sizeBytes === 0) return obstacle(sizeBytes, 'It is empty.', '', !isNamed);
    if (sizeBytes > FILE_SIZE_MAX) {
      const most = formatBytes(FILE_SIZE_MAX);
      return obstacle(sizeBytes, `It has more than ${most}, the most of a file.`, 'Split it.');
    }
    const refused = await findRefused(content, basename(path));
    if (refused === undefined) return { sizeBytes };
    return obstacle(sizeBytes, refused.reason, refused.help, !isNamed);
  } catch (error) {
    return obstacle(0, `It cannot be read: ${reasonOf(error)}.`);
  }
}
