/** `npm run contract:mutations`: seeds contract bugs in front of a service and counts those that are caught. */

import { withOperator } from '../contract-tests/harness/operator.ts';
import { interruptServices, withService } from '../contract-tests/harness/service-process.ts';
import { ALLOWED_CHANGES } from '../contract-tests/mutations/allowed-changes.ts';
import { BUGS } from '../contract-tests/mutations/bugs.ts';
import { hunt, type Verdict } from '../contract-tests/mutations/hunt.ts';
import { readArguments, refuseArguments } from './arguments.ts';

const usage = `npm run contract:mutations [-- --only TEXT]

Starts a service, and for each of ${BUGS.length} bugs a proxy in front of it that changes its answers; then runs the
transactions of contract:dredd that meet the bug. Ends with 1 if one of them is not caught or has never
changed an answer, or if anything is complained of without a bug or with a change that is allowed.
  --only TEXT  the bugs whose name holds this
`;

/** The maximum length of a complaint's line. */
const SHOWN_CHARACTERS = 150;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function tell({ name, complaint }: Verdict): void {
  const said = complaint?.split('\n', 1)[0]?.slice(0, SHOWN_CHARACTERS);
  print(said === undefined ? `NOT CAUGHT  ${name}` : `caught  ${name}: ${said}`);
}

async function main(): Promise<void> {
  const { values } = readArguments(usage, { options: { only: { type: 'string' } } });
  const bugs = BUGS.filter(({ name }) => name.includes(values.only ?? ''));
  if (bugs.length === 0) refuseArguments(`No bug has a name that holds ${values.only}.`, usage);
  const verdicts = await withService((service) =>
    withOperator(service.dataDirectory, (operator) =>
      hunt({ ...service, operator }, { bugs, allowed: ALLOWED_CHANGES }, tell),
    ),
  );
  const caught = verdicts.filter(({ complaint }) => complaint !== undefined);
  print(`${caught.length} of ${bugs.length} bugs caught`);
  print(`nothing complained of without a bug, nor of ${ALLOWED_CHANGES.length} changes that are allowed`);
  if (caught.length < bugs.length) process.exitCode = 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interruptServices);
await main();
