/** Mistyped settings are found. Variables of other programs are ignored. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findMistypedSettings } from './config.ts';

const meantBy = (name: string) => findMistypedSettings({ [name]: 'x' }).map(({ meant }) => meant);

test.each([
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['LOG-LEVEL', 'LOG_LEVEL'],
  ['log_level', 'LOG_LEVEL'],
  ['port', 'PORT'],
  ['DATADIR', 'DATA_DIR'],
  ['RATE_LIMIT', 'RATE_LIMIT_PER_MINUTE'],
  ['RATELIMIT', 'RATE_LIMIT_PER_MINUTE'],
  ['RATE_LIMIT_PER_MIN', 'RATE_LIMIT_PER_MINUTE'],
  ['RATE_LIMIT_PER_MINUT', 'RATE_LIMIT_PER_MINUTE'],
  ['STORAGE_LIMIT', 'STORAGE_LIMIT_BYTES'],
  ['IMPORT_TIMEOUT', 'IMPORT_TIMEOUT_SECONDS'],
  ['CORS_ORIGINS', 'CORS_ORIGIN'],
  ['CORS_ORGIIN', 'CORS_ORIGIN'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['BASE_ULR', 'BASE_URL'],
])('%s is reported as a mistyped %s', (name, meant) => {
  expect(meantBy(name)).toEqual([meant]);
});

test.each([
  'PORT_RANGE',
  'PORTS',
  'HOSTNAME',
  'HOSTTYPE',
  'HOME',
  'LOGNAME',
  'LOG_FORMAT',
  'LOGDIR',
  'POSTGRES_PORT',
  'PATH',
  'API_KEY',
  'DATABASE',
  'DATABASE_HOST',
  'TEST_DATABASE_URL',
  'DATABASE_URL_TEST',
  'AWS_REGION',
  'S3_ACCESS_KEY',
  'UPLOAD_DIR',
  'METRICS_PORT',
  'XDG_DATA_DIRS',
  'NODE_ENV',
  'npm_config_loglevel',
  'npm_config_http_proxy',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_SERVICE_NAME',
])('%s is not reported', (name) => {
  expect(meantBy(name)).toEqual([]);
});

test('a similar name is not reported if the setting itself is given', () => {
  expect(findMistypedSettings({ LOGLEVEL: 'debug', LOG_LEVEL: 'info' })).toEqual([]);
  expect(findMistypedSettings({ LOGLEVEL: 'debug', LOG_LEVEL: '' })).toHaveLength(1);
  expect(findMistypedSettings({ LOGLEVEL: '' })).toEqual([]);
});

test('each name is reported once at most, in any environment', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: fc.constantFrom(...'LOG_EVBASURIPT') }), fc.string()),
      (given) => {
        const names = findMistypedSettings(given).map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
      },
    ),
  );
});
