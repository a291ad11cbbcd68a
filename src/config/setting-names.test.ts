/** A mistyped setting is found, and variables of other programs are left alone. */
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
])('%s looks like %s', (name, meant) => {
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
])('%s is another program’s', (name) => {
  expect(meantBy(name)).toEqual([]);
});

test('where the setting itself is given, its neighbours are another program’s', () => {
  expect(findMistypedSettings({ LOGLEVEL: 'debug', LOG_LEVEL: 'info' })).toEqual([]);
  expect(findMistypedSettings({ LOGLEVEL: 'debug', LOG_LEVEL: '' })).toHaveLength(1);
  expect(findMistypedSettings({ LOGLEVEL: '' })).toEqual([]);
});

test('no name is told of twice, whatever the environment', () => {
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
