/** The command that checks whether a service keeps the contract. For CI, also of other repositories. */
import { Command, CommanderError } from 'commander';
import { note, print } from '../terminal/terminal.ts';
import { wholeNumber } from './options.ts';
import { type RemoteOptions, readTarget, withRemote } from './service/remote-service.ts';
import { explainScheme } from './service/service-address.ts';

type CheckOptions = RemoteOptions & { junit?: string; report?: string; timeout: number };

/** Where nothing hangs, a run takes about ten seconds. */
const DEFAULT_TIMEOUT_SECONDS = 600;
const MAX_TIMEOUT_SECONDS = 86_400;

/** The exit code when nothing could be checked. 1 would say that a check has failed. */
const NOT_CHECKED = 2;

async function check({ timeout, url, key, ...files }: CheckOptions): Promise<void> {
  // Loaded here: no other command uses the checks.
  const { checkContract, reportError } = await import('../contract-check/check-contract.ts');
  const options = { ...files, timeoutSeconds: timeout, print, note, explainUnreachable: explainScheme };
  process.exitCode = await readTarget({ ...(url && { url }), ...(key && { key }) }).then(
    ({ baseUrl: address, apiKey }) => checkContract({ address, apiKey }, options),
    (error) => reportError(error, options),
  );
}

/** Ends the command after a wrong option, or after its help. */
function endWithoutCheck({ exitCode, code, message }: CommanderError): never {
  throw new CommanderError(exitCode === 0 ? 0 : NOT_CHECKED, code, message);
}

export const checkCommand = withRemote(new Command('check'))
  .description(
    'check that a service keeps the contract: every operation with every status that a client can ' +
      'cause. Exits with 0 ' +
      'if it does, with 1 if not, and with 2 if it could not be checked. The key needs the scope write for all ' +
      'knowledge bases, and nothing else may use its account meanwhile. The data of the run is deleted at its end',
  )
  .option('--junit <file>', 'also write the results as JUnit XML')
  .option(
    '--report <file>',
    'write all requests and answers that failed; default: to a new file, if any failed',
  )
  .option(
    '--timeout <seconds>',
    'stop after this time',
    wholeNumber(1, MAX_TIMEOUT_SECONDS),
    DEFAULT_TIMEOUT_SECONDS,
  )
  .exitOverride(endWithoutCheck)
  .action(check);
