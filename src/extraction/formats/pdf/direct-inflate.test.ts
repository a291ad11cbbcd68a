import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { DirectInflate } from './direct-inflate.ts';

async function inflate(format: string, compressed: Uint8Array): Promise<string> {
  const { readable, writable } = new DirectInflate(format);
  const writer = writable.getWriter();
  await writer.write(compressed);
  await writer.close();
  const reader = readable.getReader();
  const { value } = await reader.read();
  expect(await reader.read()).toEqual({ done: true, value: undefined });
  return Buffer.from(value ?? []).toString();
}

const text = 'BT (Fire drill) Tj ET\n'.repeat(5_000);

test('a stream is inflated whole', async () => {
  expect(await inflate('deflate', deflateSync(text))).toBe(text);
});

test.each([
  ['that ends early', 'deflate', deflateSync(text).subarray(0, 60)],
  ['of another format', 'brotli', gzipSync(text)],
])('a stream %s is left to pdf.js', async (_what, format, compressed) => {
  await expect(inflate(format, compressed)).rejects.toThrow();
});
