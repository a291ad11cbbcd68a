/**
 * A server that is killed while it fetches an address: the next one fetches it, and there is one document and one file.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { Document, DocumentStatusReport, KnowledgeBase } from '../../../generated/types.gen.ts';
import { withServiceDatabase } from '../../harness/service/service-database.ts';
import { call, startService, withDataDirectory } from '../../harness/service/service-process.ts';

/** Two starts, and the end of the lease of the killed one. */
const TIMEOUT_MS = 180_000;
const settings = { IMPORT_PRIVATE_NETWORKS: '127.0.0.1' };

test(
  'an address whose fetch is killed in the middle is fetched again, and stored once',
  async () => {
    let requests = 0;
    const asked = Promise.withResolvers<void>();
    const origin = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).write('The heron ');
      // The first answer never ends.
      if (++requests > 1) response.end('waits.');
      else asked.resolve();
    });
    await once(origin.listen(0, '127.0.0.1'), 'listening');
    const { port } = origin.address() as AddressInfo; // it listens on TCP
    await withDataDirectory(async (dataDirectory) => {
      const killed = await startService(dataDirectory, { settings });
      const { id: knowledgeBaseId } = await call<KnowledgeBase>(killed, 'createKnowledgeBase', {
        name: 'Herons',
      });
      const url = `http://127.0.0.1:${port}/heron.txt`;
      const { id } = await call<Document>(killed, 'importUrl', { knowledgeBaseId, url });
      await asked.promise;
      await killed.kill();
      const next = await startService(dataDirectory, { settings });
      const readStatus = () =>
        call<DocumentStatusReport>(next, `getDocumentStatus?documentId=${id}&waitSeconds=30`);
      await expect.poll(async () => (await readStatus()).status, { timeout: 120_000 }).toBe('processed');
      expect(requests).toBe(2);
      const documents = await call<Document[]>(next, `listDocuments?knowledgeBaseId=${knowledgeBaseId}`);
      expect(documents).toMatchObject([{ id, title: 'heron.txt', passageCount: 1, size: 16 }]);
      const files = await withServiceDatabase(next, (client) => client.query('SELECT FROM files'));
      expect(files.rowCount).toBe(1);
      await next.stop();
    });
    origin.close();
    origin.closeAllConnections();
  },
  TIMEOUT_MS,
);
