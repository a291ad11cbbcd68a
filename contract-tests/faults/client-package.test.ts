/** Uploads a thousand files at once through the packed client, and waits until all are processed. */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { keepService } from '../harness/service/kept-service.ts';
import { createProject } from '../slow/clients/client-package/project.ts';

const FILES = 1_000;
/** Two slow cores import five files a second. */
const BOUND_MS = 600_000;

const [project, service] = await Promise.all([createProject(), keepService()]);
afterAll(project.remove);

test(
  `${FILES} files at once are all processed, and none is refused`,
  async () => {
    const settings = { baseUrl: service.address, apiKey: service.apiKey };
    const { useMany } = await import(join(project.folder, 'consumer.js'));
    const outcome = await useMany(settings, { count: FILES, untilProcessed: true });
    expect(outcome).toEqual({ processed: FILES, refused: 0 });
  },
  BOUND_MS,
);
