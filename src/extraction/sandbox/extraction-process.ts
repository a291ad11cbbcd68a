/**
 * The program of the process that extracts one file.
 * Standard input: the file's name as a line of JSON, then its bytes.
 * Standard output: the file's type as a line of JSON, a `ResultHead` as another line, then the packed text.
 * See extraction-pool.ts.
 */
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import type { DocumentType } from '../../../generated/types.gen.ts';
import { packText } from '../../indexing/split/extracted-text.ts';
import { type Extraction, extractFile } from '../extract.ts';
import type { UploadedFile } from '../reader-context.ts';

/** The file's type and the outcome, and the number of bytes of packed text that follow. */
export type ResultHead = { extraction: Extraction<undefined>; textBytes: number };

async function readInput(): Promise<UploadedFile> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece);
  const input = Buffer.concat(pieces);
  const newline = input.indexOf('\n');
  return {
    fileName: JSON.parse(input.toString('utf8', 0, newline)) as string, // extraction-pool.ts wrote it
    bytes: input.subarray(newline + 1),
  };
}

function writeResult(extraction: Extraction): void {
  const text = 'extracted' in extraction ? packText(extraction.extracted) : new Uint8Array();
  const head: ResultHead = {
    extraction: 'extracted' in extraction ? { ...extraction, extracted: undefined } : extraction,
    textBytes: text.byteLength,
  };
  process.stdout.write(`${JSON.stringify(head)}\n`);
  process.stdout.end(text);
}

/** A damaged file can make an extractor wait for an event that never comes. Then Node runs out of work and exits. */
const UNENDED: Extraction = {
  type: 'unknown',
  failure: { code: 'FILE_CORRUPT', message: 'The file is damaged: its extraction does not end.' },
};
const writeUnended = () => writeResult(UNENDED);

// A library's log output would stand in the middle of the result, or look like the reason of an exit.
globalThis.console = new Console(new Writable({ write: (_piece, _encoding, done) => done() }));
process.once('beforeExit', writeUnended);
const writeType = (type: DocumentType) => void process.stdout.write(`${JSON.stringify(type)}\n`);
const extraction = await extractFile(await readInput(), writeType);
process.off('beforeExit', writeUnended);
writeResult(extraction);
