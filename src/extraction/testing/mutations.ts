/** Damages files at random, repeatably. */
import { inflateRawSync } from 'node:zlib';
import { writeZip, type ZipEntry } from './write-zip.ts';

/** Numbers from 0 (included) to 1 (excluded), the same for the same seed (Lehmer's generator, Park and Miller 1988). */
function randomNumbers(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Characters that have a meaning in some format. */
const MEANINGFUL = [
  '<',
  '>',
  '&',
  '"',
  '{',
  '}',
  '[',
  ']',
  '(',
  '\\',
  '\0',
  '\xff',
  'PK\x03\x04',
  '<!DOCTYPE',
  '\\bin9',
  'obj',
  '0',
];

type Random = () => number;
const below = (random: Random, limit: number): number => Math.floor(random() * limit);

const DAMAGES: ((bytes: Buffer, random: Random) => Buffer)[] = [
  // One bit
  (bytes, random) => {
    const at = below(random, bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8));
    return bytes;
  },
  // A run of random bytes
  (bytes, random) => {
    const at = below(random, bytes.length);
    for (let i = at; i < Math.min(at + 16, bytes.length); i++) bytes[i] = below(random, 256);
    return bytes;
  },
  // The end is missing
  (bytes, random) => bytes.subarray(0, below(random, bytes.length)),
  // A piece is missing
  (bytes, random) => {
    const at = below(random, bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + below(random, 200))]);
  },
  // A piece is there again and again
  (bytes, random) => {
    const at = below(random, bytes.length);
    const piece = bytes.subarray(at, at + below(random, 100));
    const times = 2 ** below(random, 12);
    return Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from(piece.toString('latin1').repeat(times), 'latin1'),
      bytes.subarray(at),
    ]);
  },
  // Characters that have a meaning in a format
  (bytes, random) => {
    const at = below(random, bytes.length);
    const inserted = MEANINGFUL[below(random, MEANINGFUL.length)] ?? '';
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(inserted, 'latin1'), bytes.subarray(at)]);
  },
  // A number that is larger than anything
  (bytes, random) => {
    const text = bytes.toString('latin1');
    const numbers = [...text.matchAll(/\d+/g)];
    const number = numbers[below(random, numbers.length)];
    if (!number) return bytes;
    const larger = ['-1', '4294967295', '99999999999', '0'][below(random, 4)];
    return Buffer.from(
      text.slice(0, number.index) + larger + text.slice(number.index + number[0].length),
      'latin1',
    );
  },
];

function damage(good: Buffer, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(good);
  const times = 1 + below(random, 3);
  for (let i = 0; i < times; i++) bytes = DAMAGES[below(random, DAMAGES.length)]?.(bytes, random) ?? bytes;
  return bytes;
}

/** `count` damaged versions of a file, each by a seed of its own. Of an archive, odd seeds damage one part instead. */
export function* mutations(good: Buffer, { seed, count }: { seed: number; count: number }) {
  const entries = good.subarray(0, 4).equals(Buffer.from('PK\x03\x04')) ? readEntries(good) : [];
  for (let i = 0; i < count; i++) {
    const random = randomNumbers(seed + i);
    if (entries.length === 0 || (seed + i) % 2 === 0) {
      yield { seed: seed + i, bytes: damage(good, random) };
      continue;
    }
    const damaged = below(random, entries.length);
    const changed = entries.map((entry, at) =>
      at === damaged ? { ...entry, content: damage(Buffer.from(entry.content), random) } : entry,
    );
    yield { seed: seed + i, bytes: writeZip(changed) };
  }
}

/** The entries of a valid archive by its local headers; empty where the sizes follow the content. */
function readEntries(zip: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
    const method = zip.readUInt16LE(at + 8);
    const packedSize = zip.readUInt32LE(at + 18);
    const nameEnd = at + 30 + zip.readUInt16LE(at + 26);
    const start = nameEnd + zip.readUInt16LE(at + 28);
    const packed = zip.subarray(start, start + packedSize);
    if (zip.readUInt16LE(at + 6) & 8) return [];
    const name = zip.toString('utf8', at + 30, nameEnd);
    entries.push({ name, isStored: method === 0, content: method === 0 ? packed : inflateRawSync(packed) });
    at = start + packedSize;
  }
  return entries;
}
