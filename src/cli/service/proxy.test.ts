/** Commands call a service of their own machine directly, also where its address is named and a proxy is set. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const command = fileURLToPath(new URL('../../../bin/knowledge-retrieval.mjs', import.meta.url));

test.each(['localhost', '127.0.0.1', '::1'])('KNOWLEDGE_URL at %s', async (host) => {
  const paths: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    paths.push(url);
    const data = { success: true, data: [], pagination: { nextCursor: null, hasMore: false } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(data));
  }).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const env = {
    ...process.env,
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: 'http://127.0.0.1:9',
    KNOWLEDGE_URL: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    KNOWLEDGE_API_KEY: 'key',
  };
  const listed = await promisify(execFile)(process.execPath, [command, 'kb', 'list', '--json'], { env }).then(
    ({ stdout }) => stdout,
    (error) => error.stderr,
  );
  server.close();
  expect(listed).not.toContain('answer');
  expect(paths[0]).toMatch(/^\/v1\/listKnowledgeBases/);
});
