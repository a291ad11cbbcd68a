/** PostgreSQL answers again soon after another program has filled the disk to the last byte. */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { startEmbeddedPostgres } from '../embedded-postgres.ts';
import { cleanUpAfterEach, clusterPath, makeEmptyDirectory } from '../testing/postgres-fixture.ts';

cleanUpAfterEach();

const MEBIBYTE = 2 ** 20;
/** The database with its first write-ahead log takes 60 MiB, the ballast as much again. */
const DISK_MEBIBYTES = 260;

/** Mounts a small disk; undefined where this user may not. */
function mountDisk(directory: string): { fill(): void; free(): void; unmount(): void } | undefined {
  const disk = join(directory, 'disk');
  mkdirSync(disk);
  const options = ['-t', 'tmpfs', '-o', `size=${DISK_MEBIBYTES}m,mode=0711`, 'tmpfs', disk];
  try {
    execFileSync('mount', options, { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  chmodSync(disk, 0o711);
  const filler = join(disk, 'filler');
  return {
    fill() {
      for (const block of [Buffer.alloc(64 * 1024), Buffer.alloc(1024)]) {
        const file = openSync(filler, 'a');
        try {
          for (;;) writeSync(file, block);
        } catch {
          closeSync(file); // full
        }
      }
    },
    free: () => rmSync(filler),
    unmount: () => void execFileSync('umount', ['--lazy', disk]),
  };
}

test('with the disk full to the last byte it comes back by its ballast, keeps all rows, and makes another one', async ({
  skip,
}) => {
  const directory = makeEmptyDirectory();
  const disk = mountDisk(directory);
  if (disk === undefined) return skip('only root on Linux may mount a small disk');
  const log: string[] = [];
  const dataDirectory = join(directory, 'disk', 'data');
  const ballast = join(clusterPath(dataDirectory), 'knowledge-retrieval.ballast');
  const postgres = await startEmbeddedPostgres({
    directory: dataDirectory,
    ballast: { intervalMs: 100, freeMinBytes: 16 * MEBIBYTE },
    onLog: (line) => void log.push(line),
  });
  try {
    const ask = async (text: string): Promise<{ rows: number }[]> => {
      const client = new pg.Client(postgres.connection);
      client.on('error', () => {}); // the server may end meanwhile
      await client.connect();
      return (await client.query<{ rows: number }>(text).finally(() => client.end().catch(() => {}))).rows;
    };
    await ask('CREATE TABLE kept AS SELECT generate_series(1, 1000) AS number');
    await vi.waitUntil(() => existsSync(ballast), { timeout: 10_000 });
    for (let round = 0; round < 2; round++) {
      disk.fill();
      // Until the log needs a segment for which there is no space.
      const fillLog = `SELECT pg_logical_emit_message(false, '', repeat('x', ${MEBIBYTE})) FROM generate_series(1, 90)`;
      await expect(ask(fillLog)).rejects.toThrow();
      const count = () => ask('SELECT count(*)::integer AS rows FROM kept').catch(() => []);
      await vi.waitUntil(async () => (await count())[0]?.rows === 1000, { timeout: 20_000, interval: 100 });
      await ask('UPDATE kept SET number = number + 1 WHERE number < 10'); // a charge
      expect(log.join('\n')).toContain('the disk of DATA_DIR is full');
      disk.free();
      await vi.waitUntil(() => existsSync(ballast), { timeout: 10_000 });
    }
  } finally {
    await postgres.stop();
    disk.unmount();
  }
}, 120_000);
