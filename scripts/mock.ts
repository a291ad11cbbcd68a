/** `npm run mock`: the whole interface on one port, with answers from the examples of the spec. For front-end teams. */
import { explainListening } from '../src/http/listening-errors.ts';
import { listen } from '../src/http/server.ts';
import { readArguments, refuseArguments } from './arguments.ts';
import { createMockApp } from './mock/mock-app.ts';

/** Prism's default, so that it can run beside a service on 8080. */
const DEFAULT_PORT = '4010';

const USAGE = `npm run mock [-- --port ${DEFAULT_PORT} --host 127.0.0.1]   (or PORT; 0: any free one)
What it answers, and how to choose it: scripts/mock/README.md
`;

const greeting = (
  address: string,
): string => `The mock of the knowledge retrieval service answers at ${address}
Any API key will do. A first request:
  curl -s ${address}/v1/query -H 'x-api-key: any' -H 'content-type: application/json' -d '{"query":"restart policy"}'
Another answer, as an error: add -H 'Prefer: code=402'. More: scripts/mock/README.md
`;

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    refuseArguments(`The port must be 0 to 65535, not ${text}.`, USAGE);
  return port;
}

async function start(): Promise<void> {
  const { PORT = DEFAULT_PORT } = process.env;
  const { values } = readArguments(USAGE, {
    options: {
      port: { type: 'string', default: PORT },
      host: { type: 'string', default: '127.0.0.1' },
    },
  });
  const port = readPort(values.port);
  const app = await createMockApp();
  const place = { host: values.host, port };
  const { address } = await listen(app, place).catch((error) => {
    throw explainListening(error, { ...place, setting: '--port' });
  });
  process.stdout.write(greeting(address));
}

start().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
