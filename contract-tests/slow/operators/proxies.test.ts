/** The proxies of docs/proxy.md, by their own programs: TLS, a path, and what is said where BASE_URL is missing. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { spawnCommand } from '../../harness/service/command-line.ts';
import {
  findFreePort,
  findProgram,
  makeCertificate,
  PROXIES,
  startProxy,
} from '../../harness/service/proxies.ts';
import {
  environmentOf,
  makeEmbeddedDirectory,
  removeDataDirectory,
  type Settings,
  startSecondServer,
} from '../../harness/service/service-process.ts';

let directory: string;
let certificate: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-proxies-'));
  certificate = makeCertificate(directory);
  // More than what goes in one request: it needs an upload address.
  await writeFile(join(directory, 'large.txt'), 'The café opens at nine. '.repeat(60_000));
});
afterAll(() => rm(directory, { recursive: true }));

/** A server with these settings behind a proxy, and the means to run commands through it. */
async function startBehind(name: (typeof PROXIES)[number], isBelowPath: boolean, settings: Settings) {
  const [port, servicePort] = [await findFreePort(), String(await findFreePort())];
  const address = `https://localhost:${port}${isBelowPath ? '/knowledge' : ''}`;
  const lines: string[] = [];
  const given = Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, value.replace('PUBLIC', address)]),
  );
  const server = await startSecondServer(
    inject('dataDirectory'),
    { ...given, PORT: servicePort },
    {
      onLog: (text) => lines.push(text),
    },
  );
  onTestFinished(server.stop);
  const place = { directory, port, servicePort };
  const proxy = await startProxy(name, place, isBelowPath);
  onTestFinished(proxy.stop);
  const own = await makeEmbeddedDirectory();
  onTestFinished(() => removeDataDirectory(own));
  const environment = {
    ...environmentOf(own),
    KNOWLEDGE_URL: address,
    KNOWLEDGE_API_KEY: server.apiKey,
    NODE_EXTRA_CA_CERTS: certificate,
  };
  const run = (...args: string[]) => spawnCommand(environment, ...args);
  return { servicePort, address, lines, run };
}

const KB = ['--kb', 'Behind a proxy'];

describe.each(PROXIES)('%s', (name) => {
  const isMissing = findProgram(name) === undefined;
  const cases = [
    [false, { BASE_URL: 'PUBLIC' }],
    [true, { BASE_URL: 'PUBLIC' }],
    [true, { TRUST_PROXY: 'on' }],
  ] as [boolean, Settings][];

  test.skipIf(isMissing).each(cases)(
    'below a path: %s, with %o: files go in and out',
    async (below, settings) => {
      const { run } = await startBehind(name, below, settings);
      const imported = await run('import', join(directory, 'large.txt'), ...KB, '--prefix', `${name}/`);
      expect(imported).toMatchObject({ code: 0 });
      const found = await run('search', 'when does the cafe open', ...KB);
      expect(found).toMatchObject({ code: 0, output: expect.stringContaining('opens at nine') });
      const target = join(directory, `${name}-copy.txt`);
      const downloaded = await run('docs', 'download', `${name}/large.txt`, ...KB, '--output', target);
      expect(downloaded).toMatchObject({ code: 0 });
      await rm(target);
      await run('docs', 'delete', `${name}/large.txt`, ...KB, '--yes');
    },
  );

  test.skipIf(isMissing)('without BASE_URL the command, the log and doctor say what to set', async () => {
    const { address, lines, run, servicePort } = await startBehind(name, true, {});
    const imported = await run('import', join(directory, 'large.txt'), ...KB);
    expect(imported.code).toBe(1);
    expect(imported.output + imported.complaints).toContain(`BASE_URL must be ${address}`);
    expect(lines.join('')).toContain(`set BASE_URL=${address}`);
    const environment = environmentOf(inject('dataDirectory'), { PORT: servicePort });
    const doctor = await spawnCommand(environment, 'doctor');
    expect(doctor.output).toContain(`Set BASE_URL=${address}, or TRUST_PROXY=on`);
  });
});
