/**
 * API keys: `kr_<key id>_<secret><checksum>`. This file generates them, and recognises them without the database, which
 * stores only their hash.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** 96 bits identify the key, 256 bits are its secret. Hexadecimal survives every shell and every copy and paste. */
const KEY_PATTERN = /^kr_([0-9a-f]{24})_([0-9a-f]{64})([0-9a-f]{8})$/;

/** The stored parts of a key: its public id, and the SHA-256 of its text. */
export type StoredKey = { keyId: string; secretHash: Buffer };

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0');

/** Generates a key. Show it once: only its hash is stored. */
export function generateApiKey(): string {
  const body = `kr_${randomBytes(12).toString('hex')}_${randomBytes(32).toString('hex')}`;
  return body + checksum(body);
}

/** The id of a key with the right form and checksum, else undefined. It needs no SHA-256. */
function keyIdOf(key: string): string | undefined {
  const [, keyId, , sum] = KEY_PATTERN.exec(key) ?? [];
  return checksum(key.slice(0, -8)) === sum ? keyId : undefined;
}

/**
 * The stored parts of `key`; undefined for a malformed key or a wrong checksum, which then costs no query.
 * A plain SHA-256 is enough: 256 random bits cannot be guessed.
 */
export function readApiKey(key: string): StoredKey | undefined {
  const keyId = keyIdOf(key);
  return keyId === undefined ? undefined : { keyId, secretHash: hash('sha256', key, 'buffer') };
}

export const isApiKey = (key: string): boolean => keyIdOf(key) !== undefined;

/** Whether two hashes are equal, in constant time. */
export const isSameSecret = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);
