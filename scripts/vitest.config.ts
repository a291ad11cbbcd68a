/**
 * Five suites: unit tests beside the code, on a real PostgreSQL; the tests of S3 again, on a real store;
 * black-box tests against a running service; how accounts affect each other; and faults: kills, cut links, load and
 * random requests.
 * The suite of faults takes longer than `npm test` may.
 */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { haproxy } from '../contract-tests/harness/haproxy.ts';
import { pgbouncer } from '../contract-tests/harness/pgbouncer.ts';
import { citusPostgres } from '../src/embedded-postgres/testing/citus.ts';
import { hasRealStore } from '../src/files/testing/real-store.ts';
import { plainSummary } from './plain-summary.ts';

const root = new URL('..', import.meta.url).pathname;
const isStoreTested = hasRealStore();
/** Says which tests are skipped, and what they need. */
function announceMissing(): void {
  const missing = [
    isStoreTested
      ? []
      : 'Skipped: S3 on a real store. It takes Debian’s ceph-mon, ceph-osd and radosgw, or TEST_S3_ENDPOINT.\n',
    pgbouncer === undefined ? 'Skipped: a pooler. It takes Debian’s pgbouncer.\n' : [],
    citusPostgres === undefined
      ? 'Skipped: content on several servers. It takes Citus for Debian’s PostgreSQL.\n'
      : [],
    haproxy === undefined ? 'Skipped: the proxy of the cluster. It takes Debian’s haproxy.\n' : [],
  ];
  process.stdout.write(missing.flat().join(''));
}

/** These run in both suites, with another size in each. */
const WITH_LONG_FORM = 'contract-tests/slow-and-faults/**/*.test.ts';

const NEIGHBOURS = 'contract-tests/slow/alone/neighbours.test.ts';

/** Files share the modules that they import: to load these anew for each file took a seventh of the time. */
const SHARED_MODULES = { isolate: false };

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    // One worker fewer than cores, but at least two: tests mostly wait, for a start or an import.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: ['default', plainSummary, { onInit: announceMissing }],
    projects: [
      {
        test: {
          name: 'unit',
          root,
          include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'bin/**/*.test.ts'],
          globalSetup: ['src/serve/testing/postgres-setup.ts'],
          ...SHARED_MODULES,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'real-store',
          root,
          include: isStoreTested ? ['src/files/{s3-store,direct-uploads,direct-downloads}.test.ts'] : [],
          globalSetup: isStoreTested
            ? ['src/serve/testing/postgres-setup.ts', 'src/files/testing/real-store-setup.ts']
            : [],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'contract',
          root,
          include: ['contract-tests/**/*.test.ts'],
          exclude: ['contract-tests/faults/**', NEIGHBOURS],
          provide: { isLong: false },
          globalSetup: ['contract-tests/harness/service-setup.ts'],
          ...SHARED_MODULES,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'neighbours',
          root,
          include: [NEIGHBOURS],
          // After all others, and again where it fails: it compares times, which other work on the machine multiplies.
          sequence: { groupOrder: 1 },
          retry: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'faults',
          root,
          include: ['contract-tests/faults/**/*.test.ts', WITH_LONG_FORM],
          provide: { isLong: true },
          // Each test uses the whole machine, and starts the servers that it harms.
          fileParallelism: false,
          testTimeout: 3_600_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
