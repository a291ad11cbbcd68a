/**
 * Checks any service with this interface: runs the contract, prints the results on one screen, and writes them to
 * files.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearLeftovers, howToDelete } from './planning/leftovers.ts';
import type { Target } from './planning/target.ts';
import { CannotCheck, type ExplainUnreachable, requireService } from './reach-service.ts';
import { failuresOf } from './reports/failure-groups.ts';
import { toJunit, toJunitOfError } from './reports/junit.ts';
import { describeExchange, describeRun, toVisible, writeReport } from './reports/written-report.ts';
import { type ContractReport, type RunTransactions, runContract } from './runner/contract-run.ts';
import { runDirectly } from './runner/direct-run.ts';
import { messageOf } from './runner/transaction-run.ts';
import { isRunnable, TRANSACTIONS } from './runner/transactions.ts';

/** `junit`, `report`: the paths of files; undefined: none, and a new file if there is something to report. */
export type CheckOptions = {
  junit?: string | undefined;
  report?: string | undefined;
  timeoutSeconds: number;
  /** Prints lines of the result. */
  print: (lines: string) => void;
  /** Prints why nothing was checked. */
  note: (lines: string) => void;
  explainUnreachable?: ExplainUnreachable;
};

/** 0: kept, 1: broken, 2: could not be checked, or not to its end. */
export type ExitCode = 0 | 1 | 2;

/**
 * Empties the files of the options, so that none of an earlier run remains.
 * @throws a CannotCheck when one cannot be written
 */
export function claimFiles({ junit, report }: CheckOptions): void {
  for (const [option, path] of Object.entries({ '--junit': junit, '--report': report })) {
    try {
      if (path !== undefined) writeFileSync(path, '');
    } catch (thrown) {
      const [reason] = messageOf(thrown).split(',', 1); // without the path, which Node repeats
      throw new CannotCheck(`${option}: ${path} cannot be written (${reason}).`);
    }
  }
}

/** The target with its address without trailing slashes. @throws a CannotCheck for text that is no address or no key */
function readTarget({ address, apiKey, ...target }: Target): Target {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new CannotCheck(
      `The address must begin with http:// or https://, unlike ${address || 'an empty one'}.`,
    );
  if (apiKey.trim() === '')
    throw new CannotCheck('The key is empty: give one by KNOWLEDGE_API_KEY or --key.');
  if (!/^[!-~]+$/.test(apiKey.trim()))
    throw new CannotCheck('The key must have ASCII characters only, and no spaces.');
  return { ...target, address: address.replace(/\/+$/, ''), apiKey: apiKey.trim() };
}

const isKept = ({ outcomes, stopped }: ContractReport): boolean =>
  stopped === undefined && failuresOf(outcomes).length === 0;

/** Hides the key, which a service may repeat in its answers. */
const hideKey = (text: string, { apiKey }: Target): string =>
  apiKey.length < 8 ? text : text.replaceAll(apiKey, '…');

/** Writes the files. Returns where they are. */
function writeFiles(report: ContractReport, target: Target, options: CheckOptions): string[] {
  const { junit } = options;
  if (junit !== undefined) writeFileSync(junit, hideKey(toJunit(report, describeExchange), target));
  const path =
    options.report ??
    (isKept(report) ? undefined : join(mkdtempSync(join(tmpdir(), 'contract-')), 'report.txt'));
  if (path !== undefined) writeFileSync(path, hideKey(writeReport(report, target.address), target));
  return [
    ...(path === undefined ? [] : [`The whole report: ${path}`]),
    ...(junit === undefined ? [] : [`JUnit: ${junit}`]),
  ];
}

/** Stops at a signal, so that the run can still delete what it has created. The second signal ends the process. */
function stopAtSignals(stop: AbortController): () => void {
  const end = (signal: NodeJS.Signals) => stop.abort(`it was interrupted by ${signal}`);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

async function runInTime(target: Target, { timeoutSeconds }: CheckOptions, runTransactions: RunTransactions) {
  const stop = new AbortController();
  const late = () => stop.abort(`it took longer than the ${timeoutSeconds} s of --timeout`);
  const timer = setTimeout(late, timeoutSeconds * 1000);
  const forgetSignals = stopAtSignals(stop);
  try {
    return await runContract(target, runTransactions, stop);
  } catch (thrown) {
    throw new CannotCheck(`${messageOf(thrown)}.`.replace(/\.\.$/, '.'));
  } finally {
    clearTimeout(timer);
    forgetSignals();
  }
}

async function check(
  target: Target,
  options: CheckOptions,
  runTransactions: RunTransactions,
): Promise<ExitCode> {
  const leftovers = await clearLeftovers(target, await requireService(target, options.explainUnreachable));
  if (leftovers.length > 0)
    options.print(['An earlier run has left these:', ...howToDelete(leftovers, target.address)].join('\n'));
  const count = TRANSACTIONS.filter((transaction) => isRunnable(target, transaction)).length;
  options.print(`Checking ${count} answers of ${target.address} …`);
  const report = await runInTime(target, options, runTransactions);
  const files = writeFiles(report, target, options);
  options.print(describeRun(report, target.address, files));
  if (failuresOf(report.outcomes).length > 0) return 1;
  return report.stopped === undefined ? 0 : 2;
}

/** Prints a sentence on why nothing was checked, and writes it to the JUnit file if that can be written. */
export function reportError(thrown: unknown, { junit, note }: CheckOptions): ExitCode {
  const reason = messageOf(thrown);
  try {
    if (junit !== undefined) writeFileSync(junit, toJunitOfError(reason));
  } catch {
    // The sentence about the file was thrown, or a sentence that matters more is shown.
  }
  note(`${reason}\nThe contract could not be checked.`);
  return 2;
}

/** Runs the contract, by default without Dredd. Prints and writes the results, without the key. */
export async function checkContract(
  target: Target,
  options: CheckOptions,
  runTransactions: RunTransactions = runDirectly,
): Promise<ExitCode> {
  // What a service answers may be meant for the terminal, and may repeat the key.
  const toShown = (text: string) => toVisible(hideKey(text, target));
  const shown: CheckOptions = {
    ...options,
    print: (text) => options.print(toShown(text)),
    note: (text) => options.note(toShown(text)),
  };
  try {
    claimFiles(options);
    return await check(readTarget(target), shown, runTransactions);
  } catch (thrown) {
    return reportError(new Error(hideKey(messageOf(thrown), target)), shown);
  }
}
