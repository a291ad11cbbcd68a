/** What the image of the Dockerfile has to do, whether its dependencies were installed by its letter or not. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createCaller } from '../harness/calling.ts';
import { withImage } from './docker-image.ts';

/** MiB of application and dependencies, measured at 158; what makes them a quarter larger is to be looked at. */
const LARGEST_MIB = 200;

/** A port that is free just now: the image listens where its variables say. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number }; // listening on TCP
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs the image as its user, with a read-only root, and uses what could want to write: database, files, extraction. */
export async function expectImageWorks(installs: boolean): Promise<void> {
  const PORT = String(await findPort());
  await withImage(
    { installs, variables: { PORT, LOG_LEVEL: 'warn' } },
    async ({ volume, sizeMiB, isHealthy, stop }) => {
      const address = `http://127.0.0.1:${PORT}`;
      const apiKey = (await readFile(join(volume, 'api-key'), 'utf8')).trim();
      const { api } = createCaller({ address, apiKey });
      expect(await isHealthy()).toBe(true);
      const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'In a container' });
      const content = 'The okapi is read in a process of its own.';
      const ticket = { knowledgeBaseId, fileName: 'a.txt', size: content.length };
      const { uploadUrl, fileId } = await api.presignUploadUrl(ticket);
      await fetch(uploadUrl, { method: 'PUT', body: content });
      const { id } = await api.importFile(fileId);
      expect((await api.getDocumentStatus(id, 30)).status).toBe('processed');
      expect(await api.query({ query: 'okapi' })).toHaveLength(1);
      expect((await stat(join(volume, 'api-key'))).uid).not.toBe(0);
      expect((await readdir(volume)).toSorted()).toEqual(
        expect.arrayContaining(['api-key', 'files', 'postgres']),
      );
      if (installs) expect(sizeMiB).toBeLessThan(LARGEST_MIB);
      expect(await stop()).toBe(0);
      expect(await isHealthy()).toBe(false);
    },
  );
}
