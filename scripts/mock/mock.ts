/** `npm run mock`: the whole interface on one port, without a service or a database. For front-end teams. */
import { InvalidArgumentError, Option } from 'commander';
import { explainListening } from '../../src/http/server/listening-errors.ts';
import { listen } from '../../src/http/server/server.ts';
import { scriptCommand } from '../arguments.ts';
import { createMockApp } from './mock-app.ts';

/** Prism's default, so that it can run beside a service on 8080. */
const DEFAULT_PORT = 4010;

/** Seconds that the import of a file takes: long enough to see each status. */
const DEFAULT_IMPORT_SECONDS = 4;

const greeting = (
  address: string,
): string => `The mock of the knowledge retrieval service answers at ${address}
Any API key will do. A first request:
  curl -s ${address}/v1/query -H 'x-api-key: any' -H 'content-type: application/json' -d '{"query":"restart policy"}'
For another answer, for example an error, add -H 'Prefer: code=402'. All operations: ${address}/docs
`;

const HELP = `
It starts with 56 documents in six knowledge bases. What you create, upload, change or delete comes back in lists,
reads and searches, until the mock ends. A file with "fail" in its name fails.

The header Prefer of a request chooses its answer:
  Prefer: code=402                    the first example of this status in the spec
  Prefer: code=422, example=notJson   an example by its name
  Prefer: delay=1500                  the same answer after so many milliseconds, up to 60000

More: scripts/mock/README.md`;

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be 0 to 65535.');
  return port;
}

/** An hour at most. */
function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || seconds > 3600) throw new InvalidArgumentError('It must be 0 to 3600.');
  return seconds;
}

type Options = { host: string; port: number; fixed?: true; importSeconds: number };

async function start(): Promise<void> {
  const port = new Option('--port <number>', '0: any free one').env('PORT').default(DEFAULT_PORT);
  const seconds = new Option('--import-seconds <number>', 'how long the import of a file takes');
  const { fixed, importSeconds, ...listening } = scriptCommand('mock')
    .description('Starts a mock of the service, which needs neither the service nor a database.')
    .addOption(port.argParser(readPort))
    .option('--host <address>', 'the address to listen at', '127.0.0.1')
    .option('--fixed', 'answer each request with an example of the spec, and store nothing')
    .addOption(seconds.argParser(readSeconds).default(DEFAULT_IMPORT_SECONDS))
    .addHelpText('after', HELP)
    .parse()
    .opts<Options>();
  const app = await createMockApp({ isFixed: fixed === true, importSeconds });
  const { address } = await listen(app, listening).catch((error) => {
    throw explainListening(error, { ...listening, setting: '--port' });
  });
  process.stdout.write(greeting(address));
}

start().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
