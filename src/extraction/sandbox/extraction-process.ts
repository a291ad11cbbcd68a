/**
 * The program of the process that extracts files of one account, one after the other.
 * Standard input, for each file: a `FileHead` as a line of JSON, then the bytes.
 * Standard output, for each file: its type as a line of JSON, then lines with the number of pages that were recognised
 * and of those that are to be, as `[3,20]`; a `ResultHead` as another line, then the packed text.
 * See extraction-pool.ts.
 */
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import type { DocumentType } from '../../../generated/types.gen.ts';
import { packText } from '../../indexing/split/extracted-text.ts';
import { type Extraction, extractFile } from '../extract.ts';
import type { LanguageData } from '../recognition/ocr-languages.ts';
import { createRecognition, type RecognisedPages } from '../recognition/recognition.ts';

/** `number`: the place of the file in the order of those that the process gets. */
export type FileHead = {
  number: number;
  fileName: string;
  sizeBytes: number;
  /** The encoding of its text as its server has named it. */
  charset?: string | undefined;
  /** Of the text in pictures; empty: they are not read. */
  languages: readonly LanguageData[];
};

/** The number of the file, its type and outcome, and the number of bytes of packed text that follow. */
export type ResultHead = { number: number; extraction: Extraction<undefined>; textBytes: number };

const pieces: AsyncIterator<Buffer, undefined> = process.stdin[Symbol.asyncIterator]();
/** What has arrived and was not read yet. */
let arrived = Buffer.alloc(0);

/** Only this keeps the process alive: see `UNENDED`. */
async function nextPiece(): Promise<Buffer | undefined> {
  process.stdin.ref();
  return (await pieces.next().finally(() => process.stdin.unref())).value;
}

/** The head of the next file; undefined at the end of the input. */
async function readHead(): Promise<FileHead | undefined> {
  for (;;) {
    const newline = arrived.indexOf('\n');
    if (newline >= 0) {
      const line = arrived.toString('utf8', 0, newline);
      arrived = arrived.subarray(newline + 1);
      return JSON.parse(line) as FileHead; // extraction-processes.ts wrote it
    }
    const piece = await nextPiece();
    if (piece === undefined) return undefined;
    arrived = Buffer.concat([arrived, piece]);
  }
}

async function readBytes(sizeBytes: number): Promise<Buffer<ArrayBuffer>> {
  const read = [arrived];
  for (let size = arrived.length; size < sizeBytes; ) {
    const piece = await nextPiece();
    if (piece === undefined) throw new Error('the input ended within a file');
    read.push(piece as Buffer<ArrayBuffer>);
    size += piece.length;
  }
  const all = Buffer.concat(read);
  arrived = all.subarray(sizeBytes);
  return all.subarray(0, sizeBytes);
}

function writeResult(number: number, extraction: Extraction): void {
  const text = 'extracted' in extraction ? packText(extraction.extracted) : new Uint8Array();
  const head: ResultHead = {
    number,
    extraction: 'extracted' in extraction ? { ...extraction, extracted: undefined } : extraction,
    textBytes: text.byteLength,
  };
  process.stdout.write(`${JSON.stringify(head)}\n`);
  process.stdout.write(text);
}

/** A damaged file can make an extractor wait for an event that never comes. Then Node runs out of work and exits. */
const UNENDED: Extraction = {
  type: 'unknown',
  failure: { code: 'FILE_CORRUPT', message: 'The file is damaged: its extraction does not end.' },
};

const writeType = (type: DocumentType) => void process.stdout.write(`${JSON.stringify(type)}\n`);

/** On a page's end the time for the next one begins. */
const writePages = ({ done, of }: RecognisedPages) =>
  void process.stdout.write(`${JSON.stringify([done, of])}\n`);

async function extractNext({ number, fileName, sizeBytes, charset, languages }: FileHead): Promise<void> {
  const bytes = await readBytes(sizeBytes);
  const recognition = languages.length === 0 ? undefined : createRecognition(languages, writePages);
  const writeUnended = () => writeResult(number, UNENDED);
  process.once('beforeExit', writeUnended);
  const extraction = await extractFile({ fileName, bytes, charset }, writeType, recognition);
  process.off('beforeExit', writeUnended);
  writeResult(number, extraction);
}

// A library's log output would stand in the middle of the result, or look like the reason of an exit.
globalThis.console = new Console(new Writable({ write: (_piece, _encoding, done) => done() }));
for (let head = await readHead(); head !== undefined; head = await readHead()) await extractNext(head);
