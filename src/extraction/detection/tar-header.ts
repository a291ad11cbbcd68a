/** Recognises tar archives by the header of their first file (POSIX.1, pax interchange format). */

const SIGNATURE = { text: 'ustar', offset: 257 };
const HEADER_LENGTH = 512;
/** The sum of the header's bytes, in octal digits, which count as blanks themselves. */
const CHECKSUM = { offset: 148, end: 156 };
const BLANK = 0x20;

const latin1 = (file: Uint8Array, start: number, end: number): string =>
  Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString('latin1', start, end);

export const isTar = (file: Uint8Array): boolean =>
  latin1(file, SIGNATURE.offset, SIGNATURE.offset + SIGNATURE.text.length) === SIGNATURE.text;

/** Archives of before POSIX have no signature, and tar-stream does not read them. */
export function isOldTar(file: Uint8Array): boolean {
  const [, digits] = /^ *([0-7]{1,7})[ \0]/.exec(latin1(file, CHECKSUM.offset, CHECKSUM.end)) ?? [];
  if (digits === undefined || file.length < HEADER_LENGTH || file[0] === 0) return false;
  const header = file.subarray(0, HEADER_LENGTH);
  const isSum = (i: number) => i >= CHECKSUM.offset && i < CHECKSUM.end;
  const sum = header.reduce((total, byte, i) => total + (isSum(i) ? BLANK : byte), 0);
  return sum === Number.parseInt(digits, 8);
}
