/** A service keeps running when its log and output cannot be written, and counts the lost lines. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { startCommand } from '../../harness/service/command-line.ts';
import { environmentOf, root, withDataDirectory } from '../../harness/service/service-process.ts';

const METRICS_TOKEN = 'a token for the tests';

/** Finds a free port, since the test cannot read the port from the service's output. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // of TCP
  server.close();
  await once(server, 'close');
  return port;
}

/** Runs a file of the project. A shell redirects its output and log to /dev/full, where every write fails. */
function runMute(file: string, environment: NodeJS.ProcessEnv) {
  const env = { ...environment, NODE: process.execPath };
  const script = `exec "$NODE" ${file} >/dev/full 2>&1`;
  const child = spawn('sh', ['-c', script], { cwd: root, env, stdio: 'ignore' });
  const exited = once(child, 'exit').then(([code]) => code);
  const end = () => {
    child.kill('SIGTERM');
    return exited;
  };
  return { exited, end };
}

describe.runIf(process.platform === 'linux')('with an output and a log that cannot be written', () => {
  test('all requests are answered, and the lost lines are counted', async () => {
    await withDataDirectory(async (dataDirectory) => {
      const port = await findPort();
      const settings = { PORT: String(port), LOG_LEVEL: 'info', METRICS_TOKEN };
      const service = runMute('bin/knowledge-retrieval.mjs serve', environmentOf(dataDirectory, settings));
      const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
      const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
      const isReady = () =>
        get('/readyz')
          .then(({ ok }) => ok)
          .catch(() => false);
      try {
        await vi.waitUntil(isReady, { timeout: 60_000, interval: 100 });
        for (let count = 0; count < 3; count++) expect((await get('/v1/getUsage')).status).toBe(401);
        const [, lost] = /log_lines_lost_total (\d+)/.exec(await (await get('/metrics')).text()) ?? [];
        // The lines of the requests and of the bootstrap.
        expect(Number(lost)).toBeGreaterThanOrEqual(4);
      } finally {
        expect(await service.end()).toBe(0);
      }
    });
  });

  test('a command exits with 1', async () => {
    expect(await runMute('bin/knowledge-retrieval.mjs keys generate', environmentOf('/nowhere')).exited).toBe(
      1,
    );
  });
});

test('a command exits with 0 if its reader closes early', async () => {
  const child = startCommand(environmentOf('/nowhere'), 'keys', 'generate');
  child.stdout.destroy();
  const [complaints, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([complaints, code]).toEqual(['', 0]);
});
