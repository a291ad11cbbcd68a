/** Asks for programs that all files of a run share: shared-programs.ts starts them. */
import { inject } from 'vitest';
import type { RunningService, Settings } from '../service/service-process.ts';
import type { ProgramRequest } from './shared-programs.ts';

export async function share<Answer>(request: ProgramRequest): Promise<Answer> {
  const response = await fetch(inject('sharing'), { method: 'POST', body: JSON.stringify(request) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer; // the caller names the program and knows its answer
}

/** What tests may know of a shared service. One that they stop or harm has to be their own. */
export type SharedService = Pick<RunningService, 'address' | 'apiKey' | 'dataDirectory'>;

/** The service with these settings. It checks its own answers against the spec. */
export const sharedService = (settings: Settings): Promise<SharedService> =>
  share({ program: 'service', settings });

/** Of `rateLimitedService`: three requests a minute for each key. */
export const RATE_LIMITED: Settings = { RATE_LIMIT_PER_MINUTE: '3', VALIDATE_RESPONSES: 'true' };

export const rateLimitedService = (): Promise<SharedService> => sharedService(RATE_LIMITED);

/** The service that sends webhooks to receivers on this machine. Its imports end as `timeout` after 5 s. */
export const webhookService = (): Promise<SharedService> =>
  sharedService({ WEBHOOK_PRIVATE_NETWORKS: 'allow', IMPORT_TIMEOUT_SECONDS: '5' });
