/**
 * `npm run contract:dredd`: runs every transaction of the spec by Dredd against a service of its own.
 * With --address it runs the transactions that need only a key, against any service.
 */
import { type Command, Option } from 'commander';
import { type ContractReport, runContract } from '../contract-tests/dredd/contract-run.ts';
import { messageOf } from '../contract-tests/dredd/dredd-run.ts';
import type { Target } from '../contract-tests/dredd/target.ts';
import { nameOf } from '../contract-tests/dredd/transactions.ts';
import { withOperator } from '../contract-tests/harness/operator.ts';
import { interruptServices, withService } from '../contract-tests/harness/service-process.ts';
import { scriptCommand } from './arguments.ts';

const command: Command = scriptCommand('contract:dredd')
  .description(
    `Without an address: tests a fresh service on the embedded database, every operation with every status.

With an address: tests that service. Statuses that need its operator are not run, but listed. The run makes \
knowledge bases of its own and deletes them at its end. Meanwhile nothing else may use the key's account.`,
  )
  .option('--address <url>', 'the service to test')
  .addOption(new Option('--key <key>', 'its key; a list of processes shows it').env('API_KEY'));

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints the results beyond Dredd's own output. Returns whether the contract is kept. */
function printReport({ error, stats, failures, left, gaps }: ContractReport): boolean {
  if (error !== undefined) print(`Dredd failed: ${error.message}`);
  for (const { transaction, message } of failures) print(`${nameOf(transaction)}: ${message}`);
  for (const gap of gaps) print(`incomplete: ${gap}`);
  if (left.length > 0)
    print(`not run, since they need the service's operator: ${left.map(nameOf).join(', ')}`);
  const isKept = error === undefined && failures.length === 0 && gaps.length === 0;
  const verdict = isKept ? 'The contract is kept' : 'The contract is broken';
  const further = left.length === 0 ? '' : `; ${left.length} more need the operator and were not run`;
  print(`${verdict}: ${stats.passes} of ${stats.tests} transactions passed${further}`);
  return isKept;
}

/** @throws an Error that explains what is wrong with the address or the key, and what to do */
async function requireService({ address, apiKey }: Target): Promise<void> {
  const answered = fetch(`${address}/v1/getUsage`, { headers: { 'x-api-key': apiKey } });
  const { status } = await answered.catch((thrown: Error) => {
    const reason = thrown.cause instanceof Error ? messageOf(thrown.cause) : thrown.message;
    throw new Error(
      `nothing answers at ${address} (${reason}); start the service there, or pass its address`,
    );
  });
  if (status === 401)
    throw new Error(`the service at ${address} refuses the key; pass another one by API_KEY`);
  if (status !== 200)
    throw new Error(
      `${address}/v1/getUsage answers ${status} instead of 200; pass the address of the service`,
    );
}

const runFresh = () =>
  withService((service) =>
    withOperator(service.dataDirectory, (operator) => runContract({ ...service, operator })),
  );

async function runAt(address: string, apiKey: string | undefined): Promise<ContractReport> {
  if (!/^https?:/.test(address) || !URL.canParse(address))
    command.error(`error: the address must be one of http or https, not ${address}.`);
  if (!apiKey)
    command.error('error: an address needs a key, by --key or in the environment variable API_KEY.');
  const target = { address: address.replace(/\/+$/, ''), apiKey };
  await requireService(target);
  return await runContract(target);
}

async function main(): Promise<void> {
  const { address, key } = command.parse().opts<{ address?: string; key?: string }>();
  const report = await (address === undefined ? runFresh() : runAt(address, key));
  if (!printReport(report)) process.exitCode = 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interruptServices);
await main().catch((thrown: unknown) => {
  process.stderr.write(`The contract could not be run: ${messageOf(thrown)}\n`);
  process.exitCode = 1;
});
