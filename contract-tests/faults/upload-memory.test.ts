/** The largest uploads pass through the server without staying in its memory. */
import { expect, test } from 'vitest';
import { readResidentBytes } from '../harness/processes.ts';
import { call, createKnowledgeBase, withService } from '../harness/service-process.ts';

const MEBIBYTE = 1024 ** 2;
/** The contract's largest file. */
const SIZE = 50 * MEBIBYTE;
/** The allowed growth of the server meanwhile. */
const GROWTH = 20 * MEBIBYTE;
const SAMPLE_MS = 5;

// Only Linux reports a process's memory; elsewhere readResidentBytes returns 0.
test.runIf(process.platform === 'linux')(
  'uploads of 50 MiB, two in turn and then four at once: the server grows by at most 20 MiB',
  async () => {
    await withService(async (service) => {
      const knowledgeBaseId = await createKnowledgeBase(service, 'uploads');
      const body = new Uint8Array(SIZE).fill(97);
      const upload = async () => {
        const ticket = { knowledgeBaseId, fileName: 'large.txt', size: SIZE };
        const { uploadUrl } = await call<{ uploadUrl: string }>(service, 'presignUploadUrl', ticket);
        expect((await fetch(uploadUrl, { method: 'PUT', body })).status).toBe(200);
      };
      const before = readResidentBytes(service.pid);
      let most = before;
      const sampling = setInterval(() => {
        most = Math.max(most, readResidentBytes(service.pid));
      }, SAMPLE_MS);
      try {
        await upload();
        await upload();
        await Promise.all([upload(), upload(), upload(), upload()]);
      } finally {
        clearInterval(sampling);
      }
      expect(most - before).toBeLessThan(GROWTH);
    });
  },
  120_000,
);
