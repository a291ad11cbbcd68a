/** Opens accounts, so that a test can count what its account has. */
import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { type Caller, createCaller } from '../../../src/contract-check/requests/calling.ts';
import {
  changeAccountAt,
  createKeyAt,
  type KeyBounds,
  openAccountAt,
} from '../../../src/serve/testing/operator.ts';
import { databaseUrlOf } from './service-database.ts';
import type { RunningService } from './service-process.ts';

export type { KeyBounds };

/** Limits that an operator can set for one account; the service's defaults where left out. */
export type Limits = { credits?: number; storageLimitBytes?: number; knowledgeBaseLimit?: number };

/** A new account with one key. `name` identifies it on the command line. */
export type Account = Caller & { name: string };

/** The address of a service, and the data directory for the command line beside it. */
type Service = Pick<RunningService, 'address' | 'dataDirectory'>;

const sharedService = (): Service => ({
  address: inject('address'),
  dataDirectory: inject('dataDirectory'),
});

/** Creates one more key of the account with this name. */
export const createKey = (name: string, service = sharedService(), bounds: KeyBounds = {}): Promise<string> =>
  createKeyAt(databaseUrlOf(service.dataDirectory), name, bounds);

/** Opens an account at the tests' service, or at another one. */
export async function openAccount(limits: Limits = {}, service = sharedService()): Promise<Account> {
  const name = `account-${randomUUID()}`;
  const apiKey = await openAccountAt(databaseUrlOf(service.dataDirectory), name, limits);
  return { name, ...createCaller({ address: service.address, apiKey }) };
}

/** Changes limits or credits of an account at the tests' service. */
export const changeAccount = ({ name }: Account, limits: Limits): Promise<void> =>
  changeAccountAt(databaseUrlOf(sharedService().dataDirectory), name, limits);
