/** Opens accounts by the command line, so that a test can count what its account has. */
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type Caller, createCaller } from './calling.ts';
import { runCommand } from './command-line.ts';
import type { RunningService } from './service-process.ts';

/** Limits that the command line can set for one account; the service's defaults where left out. */
export type Limits = { credits?: number; storageLimitBytes?: number; knowledgeBaseLimit?: number };

/** A new account with one key. `name` identifies it on the command line. */
export type Account = Caller & { name: string };

/** The address of a service, and the data directory for the command line beside it. */
type Service = Pick<RunningService, 'address' | 'dataDirectory'>;

const sharedService = (): Service => ({
  address: inject('address'),
  dataDirectory: inject('dataDirectory'),
});

const toOptions = ({ credits, storageLimitBytes, knowledgeBaseLimit }: Limits): string[] =>
  Object.entries({
    '--credits': credits,
    '--storage-limit-bytes': storageLimitBytes,
    '--knowledge-base-limit': knowledgeBaseLimit,
  }).flatMap(([option, value]) => (value === undefined ? [] : [option, String(value)]));

/** Creates one more key of the account with this name. */
export async function createKey(name: string, service = sharedService(), ...options: string[]) {
  return await runCommand(service.dataDirectory, 'keys', 'create', '--account', name, ...options);
}

/** Opens an account at the tests' service, or at another one. */
export async function openAccount(limits: Limits = {}, service = sharedService()): Promise<Account> {
  const name = `account-${randomUUID()}`;
  await runCommand(service.dataDirectory, 'accounts', 'create', name, ...toOptions(limits));
  const apiKey = await createKey(name, service);
  return { name, ...createCaller({ address: service.address, apiKey }) };
}

/** Changes limits or credits of an account at the tests' service. */
export async function changeAccount({ name }: Account, limits: Limits): Promise<void> {
  await runCommand(sharedService().dataDirectory, 'accounts', 'set', name, ...toOptions(limits));
}
