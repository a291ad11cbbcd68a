/** `npm run contract:mutations`: puts a proxy with contract bugs in front of a service, and counts the caught bugs. */
import { withOperator } from '../contract-tests/harness/service/operator.ts';
import { interruptServices, withService } from '../contract-tests/harness/service/service-process.ts';
import { ALLOWED_CHANGES } from '../contract-tests/slow/mutations/allowed-changes.ts';
import { BUGS } from '../contract-tests/slow/mutations/bugs.ts';
import { hunt, type Verdict } from '../contract-tests/slow/mutations/hunt.ts';
import { scriptCommand } from './arguments.ts';

const command = scriptCommand('contract:mutations')
  .description(
    `Starts a service, and for each of hundreds of bugs a proxy in front of it that changes its answers. Then runs \
the transactions of contract:dredd that show the bug. Exits with 1 if a bug is not caught or never changed an answer, \
or if the run complains without a bug, or about an allowed change.`,
  )
  .option('--only <text>', 'the bugs whose names contain this');

/** The maximum length of a complaint's line. */
const SHOWN_CHARACTERS = 150;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function printVerdict({ name, complaint }: Verdict): void {
  const shown = complaint?.split('\n', 1)[0]?.slice(0, SHOWN_CHARACTERS);
  print(shown === undefined ? `NOT CAUGHT  ${name}` : `caught  ${name}: ${shown}`);
}

async function main(): Promise<void> {
  const { only = '' } = command.parse().opts<{ only?: string }>();
  const bugs = BUGS.filter(({ name }) => name.includes(only));
  if (bugs.length === 0) command.error(`error: no bug has a name that contains ${only}.`);
  const verdicts = await withService(
    (service) =>
      withOperator(service.dataDirectory, (operator) =>
        hunt({ ...service, operator }, { bugs, allowed: ALLOWED_CHANGES }, printVerdict),
      ),
    // A run cannot delete a webhook whose answer a bug has changed.
    { settings: { WEBHOOK_LIMIT: '1000' } },
  );
  const caught = verdicts.filter(({ complaint }) => complaint !== undefined);
  print(`${caught.length} of ${bugs.length} bugs caught`);
  print(`no complaint without a bug, nor about the ${ALLOWED_CHANGES.length} allowed changes`);
  if (caught.length < bugs.length) process.exitCode = 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interruptServices);
await main();
