/** `npm run mock`: the whole interface on one port, with answers from the examples of the spec. For front-end teams. */
import { InvalidArgumentError, Option } from 'commander';
import { explainListening } from '../src/http/listening-errors.ts';
import { listen } from '../src/http/server.ts';
import { scriptCommand } from './arguments.ts';
import { createMockApp } from './mock/mock-app.ts';

/** Prism's default, so that it can run beside a service on 8080. */
const DEFAULT_PORT = 4010;

const greeting = (
  address: string,
): string => `The mock of the knowledge retrieval service answers at ${address}
Any API key will do. A first request:
  curl -s ${address}/v1/query -H 'x-api-key: any' -H 'content-type: application/json' -d '{"query":"restart policy"}'
For another answer, for example an error, add -H 'Prefer: code=402'. More: scripts/mock/README.md
`;

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be 0 to 65535.');
  return port;
}

async function start(): Promise<void> {
  const port = new Option('--port <number>', '0: any free one').env('PORT').default(DEFAULT_PORT);
  const settings = scriptCommand('mock')
    .description(
      'Starts a mock of the service. scripts/mock/README.md describes its answers and how to choose them.',
    )
    .addOption(port.argParser(readPort))
    .option('--host <address>', 'the address to listen at', '127.0.0.1')
    .parse()
    .opts<{ host: string; port: number }>();
  const app = await createMockApp();
  const { address } = await listen(app, settings).catch((error) => {
    throw explainListening(error, { ...settings, setting: '--port' });
  });
  process.stdout.write(greeting(address));
}

start().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
