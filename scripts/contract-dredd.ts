/**
 * `npm run contract:dredd`: runs every transaction of the spec by Dredd against a service of its own.
 * With --url it runs the transactions that need only a key, against any service.
 */
import { type Command, Option } from 'commander';
import { runDredd } from '../contract-tests/dredd/dredd-run.ts';
import { withOperator } from '../contract-tests/harness/service/operator.ts';
import { interruptServices, withService } from '../contract-tests/harness/service/service-process.ts';
import { explainScheme, readAddress } from '../src/cli/service/service-address.ts';
import {
  type CheckOptions,
  checkContract,
  claimFiles,
  type ExitCode,
  reportError,
} from '../src/contract-check/check-contract.ts';
import { readCount, scriptCommand } from './arguments.ts';

/** The exit code when nothing could be checked. 1 would say that a check has failed. */
const NOT_CHECKED = 2;

const command: Command = scriptCommand('contract:dredd')
  .description(
    `Without an address: tests a fresh service on the embedded database, every operation with every status.

With an address: tests that service. Statuses that need its operator are not run. The run makes \
knowledge bases of its own and deletes them at its end. Meanwhile nothing else may use the key's account.

Exits with 0 if the contract is kept, with 1 if it is broken, and with 2 if it could not be checked.`,
  )
  .option('--url <address>', 'the service to test', readAddress)
  .addOption(new Option('--key <key>', 'its key; a list of processes shows it').env('KNOWLEDGE_API_KEY'))
  .option('--junit <file>', 'also write the results as JUnit XML to this file')
  .option('--report <file>', 'write the whole report to this file; default: after a failure, to a new one')
  .option('--timeout <seconds>', 'stop after this time', readCount, 600)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : NOT_CHECKED));

type Options = { url?: string; key?: string; junit?: string; report?: string; timeout: number };

const print = (lines: string): void => void process.stdout.write(`${lines}\n`);
const note = (lines: string): void => void process.stderr.write(`${lines}\n`);

async function checkFresh(options: CheckOptions): Promise<ExitCode> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interruptServices);
  claimFiles(options);
  return await withService((service) =>
    withOperator(service.dataDirectory, (operator) =>
      checkContract({ ...service, operator }, options, runDredd),
    ),
  );
}

async function main(): Promise<ExitCode> {
  const { url: address, key, timeout, ...files } = command.parse().opts<Options>();
  const options = { ...files, timeoutSeconds: timeout, print, note, explainUnreachable: explainScheme };
  if (address === undefined) return await checkFresh(options).catch((thrown) => reportError(thrown, options));
  if (!key) command.error('error: an address needs a key, by --key or KNOWLEDGE_API_KEY.');
  return await checkContract({ address, apiKey: key }, options, runDredd);
}

process.exitCode = await main();
