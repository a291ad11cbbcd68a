/** Reads the file that an extraction process gets first, for programs that stand in for the real one. */
import type { FileHead } from '../sandbox/extraction-process.ts';

export async function readOnlyFile(): Promise<{ head: FileHead; bytes: Buffer }> {
  let input = Buffer.alloc(0);
  for await (const piece of process.stdin) {
    input = Buffer.concat([input, piece]);
    const newline = input.indexOf('\n');
    if (newline < 0) continue;
    const head = JSON.parse(input.toString('utf8', 0, newline)) as FileHead; // extraction-processes.ts wrote it
    const bytes = input.subarray(newline + 1);
    if (bytes.length === head.sizeBytes) return { head, bytes };
  }
  throw new Error('the input ended within the file');
}
