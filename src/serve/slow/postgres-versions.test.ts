/** The service keeps its contract on each PostgreSQL that it takes, and refuses older ones by a sentence. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backUp } from '../../admin/backup/back-up.ts';
import { restore } from '../../admin/backup/restore.ts';
import { addressOf } from '../../admin/testing/healthy-deployment.ts';
import { readConfig } from '../../config/config.ts';
import { checkContract } from '../../contract-check/check-contract.ts';
import { migrateOver } from '../../database/migrations/migrate.ts';
import { createDatabaseOn } from '../../database/testing/new-database.ts';
import {
  findVersion,
  OTHER_VERSIONS,
  startPlainPostgres,
} from '../../embedded-postgres/testing/plain-postgres.ts';
import { startTestService } from '../testing/test-service.ts';

const REFUSED = 14;
const programsOf = (major: number): string => findVersion(major) ?? '';

test.skipIf(findVersion(REFUSED) === undefined)('PostgreSQL 14 is refused', async () => {
  const postgres = await startPlainPostgres(programsOf(REFUSED));
  await expect(migrateOver({ connectionString: postgres.url }, () => {})).rejects.toThrow(
    /^The database is PostgreSQL 14\.\d+, and the service needs 15 or later\. Move it to a newer PostgreSQL/,
  );
  await postgres.remove();
});

const taken = OTHER_VERSIONS.filter((major) => major !== REFUSED && findVersion(major) !== undefined);

test.for(taken)('PostgreSQL %i: the contract is kept, and a backup restored', async (major) => {
  const directory = await mkdtemp(join(tmpdir(), 'versions-'));
  const postgres = await startPlainPostgres(programsOf(major));
  const suite = await startTestService({ connection: { connectionString: postgres.url } });
  const printed: string[] = [];
  const print = (lines: string) => void printed.push(lines);
  const { address, apiKey } = suite;
  const code = await checkContract({ address, apiKey }, { timeoutSeconds: 120, print, note: print });
  expect([code, ...(code === 0 ? [] : printed)]).toEqual([0]);
  const configOf = (url: string, dataDir: string) => readConfig({ DATABASE_URL: url, DATA_DIR: dataDir });
  const backup = await backUp(
    configOf(postgres.url, suite.service.config.dataDir),
    `${directory}/`,
    () => {},
  );
  const { connection } = await createDatabaseOn({ connectionString: postgres.url });
  const target = configOf(addressOf(connection), join(directory, 'restored'));
  expect(await restore(target, backup, () => {})).toBe(0);
  await suite.close();
  await postgres.remove();
  await rm(directory, { recursive: true });
});
