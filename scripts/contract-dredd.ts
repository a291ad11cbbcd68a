/**
 * `npm run contract:dredd`: runs every transaction of the spec by Dredd against a service of its own, or, with
 * --address, what a key alone can provoke against any service.
 */
import { parseArgs } from 'node:util';
import { type ContractReport, runContract } from '../contract-tests/dredd/contract-run.ts';
import { wordsOf } from '../contract-tests/dredd/judge.ts';
import { nameOf } from '../contract-tests/dredd/transactions.ts';
import { withOperator } from './contract/operator.ts';
import { interruptServices, withService } from './service-process.ts';

const usage = `npm run contract:dredd [-- --address URL [--key KEY]]

Without an address: against a fresh service on the embedded database, every operation with every status.
With an address: against that service, with the key given or, where no list of processes shows it, in the
environment variable API_KEY. Statuses that take its operator are listed as not provoked. The run makes
knowledge bases of its own and deletes them in the end; nobody else may use the key's account meanwhile.
`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints what Dredd has not; gives whether the contract is kept. */
function tell({ error, stats, failures, left, gaps }: ContractReport): boolean {
  if (error !== undefined) print(`Dredd failed: ${error.message}`);
  for (const { transaction, message } of failures) print(`${nameOf(transaction)}: ${message}`);
  for (const gap of gaps) print(`incomplete: ${gap}`);
  if (left.length > 0)
    print(`not provoked, for they take the service's operator: ${left.map(nameOf).join(', ')}`);
  const all = stats.tests + left.length;
  const isKept = error === undefined && failures.length === 0 && gaps.length === 0;
  print(
    `${isKept ? 'The contract is kept' : 'The contract is broken'}: ${stats.passes} of ${all} transactions`,
  );
  return isKept;
}

const runFresh = () =>
  withService((service) =>
    withOperator(service.dataDirectory, (operator) => runContract({ ...service, operator })),
  );

async function runAt(address: string, apiKey = process.env.API_KEY): Promise<ContractReport> {
  if (!apiKey) throw new Error('an address needs a key, by --key or in the environment variable API_KEY');
  return await runContract({ address: address.replace(/\/+$/, ''), apiKey });
}

const OPTIONS = {
  address: { type: 'string' },
  key: { type: 'string' },
  help: { type: 'boolean' },
} as const;

async function main(): Promise<void> {
  const { address, key, help } = parseArgs({ options: OPTIONS }).values;
  if (help) return print(usage);
  const report = await (address === undefined ? runFresh() : runAt(address, key));
  if (!tell(report)) process.exitCode = 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interruptServices);
await main().catch((thrown: unknown) => {
  print(`The contract could not be run: ${wordsOf(thrown)}`);
  process.exitCode = 1;
});
