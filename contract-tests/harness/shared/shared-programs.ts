/**
 * Programs that the files of a run share: a service for each set of settings, and one browser. Each is started when a
 * test first asks for it, and stopped after the last test. Tests run in several processes, so they ask over HTTP.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { startBrowser } from '../machine/launch-browser.ts';
import {
  makeDataDirectory,
  removeDataDirectory,
  type Settings,
  startService,
} from '../service/service-process.ts';

/** Starts a service that checks its own answers against the spec. */
async function startCheckedService(settings: Settings) {
  const dataDirectory = await makeDataDirectory();
  const remove = () => removeDataDirectory(dataDirectory);
  const start = startService(dataDirectory, { settings: { VALIDATE_RESPONSES: 'true', ...settings } });
  const { address, apiKey, stop } = await start.catch((error) => remove().then(() => Promise.reject(error)));
  return { answer: { address, apiKey, dataDirectory }, stop: () => stop().finally(remove) };
}

async function startSharedBrowser() {
  const browser = await startBrowser();
  return { answer: { address: browser?.wsEndpoint() }, stop: async () => await browser?.close() };
}

export type ProgramRequest = { program: 'service'; settings: Settings } | { program: 'browser' };

const start = (request: ProgramRequest) =>
  request.program === 'browser' ? startSharedBrowser() : startCheckedService(request.settings);

/** Starts the server that tests ask at `address`. `stop` ends it, and all programs that it has started. */
export async function startSharing(): Promise<{ address: string; stop(): Promise<void> }> {
  const programs = new Map<string, ReturnType<typeof start>>();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const wanted = (await json(request)) as ProgramRequest; // sent by `share`
    const key = JSON.stringify(wanted);
    const program = programs.get(key) ?? start(wanted);
    programs.set(key, program);
    await program.then(
      ({ answer }) => response.end(JSON.stringify(answer)),
      (error) => response.writeHead(500).end(String(error)),
    );
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    address: `http://127.0.0.1:${port}`,
    async stop() {
      server.close();
      const started = await Promise.allSettled(programs.values());
      await Promise.all(started.map((outcome) => outcome.status === 'fulfilled' && outcome.value.stop()));
    },
  };
}
