/** Imports go one way, and one name per operation is used everywhere. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.(ts|mjs)$/.test(file) && !file.endsWith('.test.ts') && !file.startsWith('testing/'),
);

/** From top to bottom; a file may import from its own layer and from those below. */
const LAYERS = ['main', 'app', 'dispatch', 'handlers', 'ingestion', 'retrieval', 'storage', 'base'] as const;
type Layer = (typeof LAYERS)[number];

/** The files beside the folders. `base` is what every layer may use. */
const LAYER_OF_FILE: Record<string, Layer> = {
  'main.ts': 'main',
  'cli.ts': 'main',
  'account-commands.ts': 'main',
  'on-database.ts': 'main',
  'open-service.ts': 'main',
  'open-database.ts': 'main',
  'open-files.ts': 'main',
  'first-start.ts': 'main',
  'data-directory.ts': 'main',
  'given-key.ts': 'main',
  'greeting.ts': 'main',
  'deployment.ts': 'main',
  'server.ts': 'main',
  'service-app.ts': 'app',
  'app.ts': 'app',
  'routes.ts': 'app',
  'reference.ts': 'app',
  'access-log.ts': 'app',
  'admission.ts': 'app',
  'dispatch.ts': 'dispatch',
  'authenticate.ts': 'dispatch',
  'rate-limit.ts': 'dispatch',
  'query-numbers.ts': 'dispatch',
  'request-body.ts': 'dispatch',
  'validation-error.ts': 'dispatch',
  'once.ts': 'handlers',
  'receive-upload.ts': 'handlers',
  'lexeme-statistics.ts': 'storage',
  'lexeme-upkeep.ts': 'storage',
  'query-statistics.ts': 'storage',
  'scope-mark.ts': 'storage',
  'cursor.ts': 'handlers',
};

/** The folders, as far as their files are not told one by one. */
const LAYER_OF_FOLDER: Record<string, Layer> = {
  admin: 'main',
  analysis: 'retrieval',
  backup: 'main',
  database: 'storage',
  doctor: 'main',
  'embedded-postgres': 'storage',
  extraction: 'ingestion',
  files: 'storage',
  handlers: 'handlers',
  indexing: 'retrieval',
  ingestion: 'ingestion',
  jobs: 'ingestion',
  retrieval: 'retrieval',
  search: 'retrieval',
  storage: 'storage',
};

function layerOf(file: string): Layer {
  const folder = dirname(file).split('/')[0] ?? '';
  return LAYER_OF_FILE[basename(file)] ?? LAYER_OF_FOLDER[folder] ?? 'base';
}

const read = (file: string) => readFileSync(join(src, file), 'utf8');

/** Files that `file` loads as it begins, or what `pattern` finds; types may be known anywhere. */
function importsOf(
  file: string,
  pattern = /^(?:import|export) (?!type )(?:[^;']*?from )?'(\.[^']+)'/gms,
): string[] {
  return [...read(file).matchAll(pattern)]
    .map(([, target = '']) => relative(src, resolve(src, dirname(file), target)))
    .filter((target) => !target.startsWith('../generated'));
}

/** Those included that it loads later on. */
const allImportsOf = (file: string): string[] => [
  ...importsOf(file),
  ...importsOf(file, /\bimport\('(\.[^']+)'\)/g),
];

test('nothing imports from a layer above its own', () => {
  const upward = files.flatMap((file) =>
    allImportsOf(file)
      .filter((target) => LAYERS.indexOf(layerOf(target)) < LAYERS.indexOf(layerOf(file)))
      .map((target) => `${file} imports ${target}`),
  );
  expect(upward).toEqual([]);
});

test('the client runs alone and anywhere: it imports only itself and what is generated', () => {
  const clients = files.filter((file) => file.startsWith('client/'));
  expect(clients).not.toEqual([]);
  const imported = clients.flatMap((file) =>
    [...read(file).matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name = '']) => name),
  );
  expect(imported.filter((name) => !/^(\.|\.\.\/\.\.\/generated(\/client)?)\/[\w.-]+$/.test(name))).toEqual(
    [],
  );
  expect(files.filter((file) => importsOf(file).some((name) => name.startsWith('client/')))).toEqual(
    clients.filter((file) => importsOf(file).length > 0),
  );
});

test('retrieval and storage know nothing of HTTP', () => {
  const knowing = files
    .filter((file) => /^(analysis|database|embedded-postgres|files|indexing|search)\//.test(file))
    .filter((file) => /from '(koa|openapi-backend|node:http)'/.test(read(file)));
  expect(knowing).toEqual([]);
});

test('only config.ts reads the environment, only main.ts exits', () => {
  expect(files.filter((file) => read(file).includes('process.env'))).toEqual(['config/config.ts']);
  expect(files.filter((file) => read(file).includes('process.exit('))).toEqual(['main.ts']);
});

test('what tests the contract does so from outside; only its harness finds a running database', () => {
  const tests = join(src, '../contract-tests');
  const inside = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(tests, file), 'utf8').matchAll(/from '(?:\.\.\/)+(src\/[^']+)'/g)].map(
        ([, target = '']) => [dirname(file), target],
      ),
    );
  expect(inside.filter(([folder]) => folder !== 'harness')).toEqual([]);
  expect(new Set(inside.map(([, target]) => target))).toEqual(
    new Set(['src/embedded-postgres/embedded-postgres.ts']),
  );
});

test('the SDK of S3 is loaded only by the store that needs it, and that only where it is set', () => {
  const knowing = ['files/s3-requests.ts', 'files/s3-store.ts'];
  expect(files.filter((file) => read(file).includes("from '@aws-sdk/"))).toEqual(knowing);
  const loading = files.filter((file) => importsOf(file).some((name) => knowing.includes(name)));
  expect(loading).toEqual(['files/s3-store.ts']);
});

test('what only some settings need is loaded only then: metrics, traces', () => {
  const lazy = ['telemetry/prometheus.ts', 'telemetry/tracing.ts'];
  expect(files.filter((file) => importsOf(file).some((target) => lazy.includes(target)))).toEqual([]);
  const loading = files.filter((file) => /from '(prom-client|@opentelemetry\/.*)'/.test(read(file)));
  expect(loading.toSorted()).toEqual(lazy);
});

test('path, operationId and handler have one name', () => {
  const { paths } = load(readFileSync(join(src, '../spec/openapi.yaml'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const operations = Object.entries(paths).map(([path, methods]) => [
    path.replace('/v1/', ''),
    Object.values(methods)[0]?.operationId,
  ]);
  expect(operations).toHaveLength(14);
  const handlerCode = files.filter((file) => file.startsWith('handlers/')).map(read);
  for (const [name, operationId] of operations) {
    expect(operationId).toBe(name);
    expect(handlerCode.filter((text) => text.includes(`async ${name}(`))).toHaveLength(1);
  }
});
