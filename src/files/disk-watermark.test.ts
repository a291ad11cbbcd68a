/** Disk space that running uploads still need is not given to others. */
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createDiskWatermark } from './disk-watermark.ts';

test('reserves the bytes of an upload until they arrive or the upload ends', async () => {
  const { bavail, bsize } = await statfs(tmpdir());
  // Other processes write to this disk meanwhile. Thirds leave a wide margin: two fit, three do not.
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
