/** What the first release has left, and how it comes into a new place (README.md). */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDatabase } from '../../harness/service/service-database.ts';
import type { Recorded } from './recorded.ts';

export const released = join(import.meta.dirname, '0.1.0');

/** The answers as this version gives them: warnings, which were sentences about empty pages, have a code. */
const asNow = (name: string, value: unknown): unknown =>
  name === 'warnings' && Array.isArray(value)
    ? value.map((message) => ({ code: 'PAGES_WITHOUT_TEXT', message }))
    : value;

export const recorded: Recorded = JSON.parse(readFileSync(join(released, 'answers.json'), 'utf8'), asNow);

/** Idempotency keys and waiting imports last a day, and the recording is older. */
export const RENEW_TIMES = `
  UPDATE idempotency_keys SET created_at = now();
  UPDATE documents SET created_at = now() WHERE status = 'pending'`;

export type Place = { dataDirectory: string; databaseUrl: string };

export function unpackData(dataDirectory: string): void {
  execFileSync('tar', ['-xzf', join(released, 'data.tar.gz'), '-C', dataDirectory]);
}

/** Puts the release's database and files in their places, as its last stop has left them. */
export async function copyData({ dataDirectory, databaseUrl }: Place): Promise<void> {
  unpackData(dataDirectory);
  const dump = readFileSync(join(dataDirectory, 'database.sql'), 'utf8');
  // Only psql understands the lines with a backslash, which pg_dump adds for its protection.
  const statements = dump.replaceAll(/^\\(un)?restrict .*$/gm, '');
  await withDatabase(databaseUrl, (client) => client.query(statements));
}
