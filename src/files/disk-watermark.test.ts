/** The disk space that running uploads still need. */
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createDiskWatermark } from './disk-watermark.ts';

test('bytes that are expected are free for nobody else, until they have come or will not come', async () => {
  const { bavail, bsize } = await statfs(tmpdir());
  // Other processes write to this disk meanwhile: a third is far enough from the half and from all.
  const third = Math.floor((bavail * bsize) / 3);
  const watermark = createDiskWatermark(tmpdir());
  const uploads = [await watermark.expect(third), await watermark.expect(third)];
  await expect(watermark.expect(third)).rejects.toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE' });
  await expect(watermark.require(third)).rejects.toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE' });
  uploads[0]?.arrived(third);
  uploads[0]?.end();
  await expect(watermark.require(third)).resolves.toBeUndefined();
  uploads[1]?.end();
  await expect(watermark.require(2 * third)).resolves.toBeUndefined();
});
