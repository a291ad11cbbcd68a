/** The command that checks whether a service keeps the contract. For CI, also of other repositories. */
import { Command } from 'commander';
import { print, tell } from '../terminal.ts';
import { wholeNumber } from './options.ts';
import { type RemoteOptions, readTarget, withRemote } from './remote-service.ts';

type CheckOptions = RemoteOptions & { junit?: string; report?: string; timeout: number };

/** Where nothing hangs, a run takes about ten seconds. */
const DEFAULT_TIMEOUT_SECONDS = 600;
const MAX_TIMEOUT_SECONDS = 86_400;

async function check({ junit, report, timeout, ...remote }: CheckOptions): Promise<void> {
  const { baseUrl: address, apiKey } = await readTarget(remote);
  // Loaded here: the checks are those of the project's own tests, which nothing else of the service uses.
  const { checkContract } = await import('../../contract-tests/check/check-contract.ts');
  const options = { junit, report, timeoutSeconds: timeout, print, tell };
  process.exitCode = await checkContract({ address, apiKey }, options);
}

export const checkCommand = withRemote(new Command('check'))
  .description(
    'check that a service keeps the contract: every operation with every status that a client can cause. Exits with 0 ' +
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
  .action(check);
