/** API keys: `kr_<key id>_<secret><checksum>`, made here, recognised without the database, stored as a hash only. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** 96 bits name the key, 256 bits are its secret; hexadecimal survives every shell and every copy and paste. */
const KEY_PATTERN = /^kr_([0-9a-f]{24})_([0-9a-f]{64})([0-9a-f]{8})$/;

/** A key's public name and the SHA-256 of its text: all that the database ever holds of it. */
export type StoredKey = { keyId: string; secretHash: Buffer };

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0');

/** A new key, to be shown once. */
export function generateApiKey(): string {
  const body = `kr_${randomBytes(12).toString('hex')}_${randomBytes(32).toString('hex')}`;
  return body + checksum(body);
}

/**
 * What the database stores of `key`; undefined when the key is malformed or its checksum is wrong, which
 * therefore costs no query. A plain SHA-256 is enough: nobody guesses 256 random bits.
 */
export function readApiKey(key: string): StoredKey | undefined {
  const match = KEY_PATTERN.exec(key);
  if (match?.[1] === undefined || checksum(key.slice(0, -8)) !== match[3]) return undefined;
  return { keyId: match[1], secretHash: hash('sha256', key, 'buffer') };
}

export const isApiKey = (key: string): boolean => readApiKey(key) !== undefined;

/** Whether two hashes are equal, in constant time. */
export const isSameSecret = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);
