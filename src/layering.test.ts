/** Each folder imports only what it states here, in one direction. Each operation has one name everywhere. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('.', import.meta.url));
const modules = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.(tsx?|mjs)$/.test(file) && !file.endsWith('.test.ts'),
);
/** The modules of the service: all but those in folders `testing`. */
const files = modules.filter((file) => !file.includes('/testing/'));

/**
 * The rooms that each room imports, types included, from the lowest room to the highest. A room is a folder, or a file
 * beside them.
 */
const IMPORTS: Record<string, string[]> = {
  client: [],
  formats: [],
  evaluation: [],
  console: ['client', 'evaluation', 'formats'],
  'contract-check': [],
  terms: [],
  analysis: [],
  concurrency: ['terms'],
  config: ['analysis', 'terms'],
  terminal: ['terms'],
  'embedded-postgres': ['concurrency', 'config', 'terms'],
  telemetry: ['concurrency', 'terms'],
  database: ['concurrency', 'terms'],
  files: ['concurrency', 'config', 'database', 'terms'],
  meaning: ['analysis', 'concurrency', 'config', 'terms'],
  indexing: ['analysis', 'concurrency', 'database', 'meaning', 'terms'],
  extraction: ['analysis', 'concurrency', 'config', 'indexing'],
  search: ['analysis', 'concurrency', 'config', 'database', 'indexing', 'meaning', 'terms'],
  versions: ['analysis', 'concurrency', 'database', 'extraction', 'files', 'indexing', 'meaning', 'terms'],
  outbound: ['concurrency', 'database', 'telemetry', 'terms'],
  jobs: [
    'concurrency',
    'config',
    'database',
    'extraction',
    'files',
    'indexing',
    'meaning',
    'outbound',
    'telemetry',
    'terms',
    'versions',
  ],
  handlers: [
    'concurrency',
    'database',
    'files',
    'indexing',
    'jobs',
    'outbound',
    'search',
    'terms',
    'versions',
  ],
  http: ['analysis', 'concurrency', 'config', 'database', 'files', 'formats', 'telemetry', 'terms'],
  mcp: ['analysis', 'client', 'concurrency', 'formats', 'http', 'terms'],
  serve: [
    'concurrency',
    'config',
    'database',
    'embedded-postgres',
    'extraction',
    'files',
    'handlers',
    'http',
    'indexing',
    'jobs',
    'mcp',
    'meaning',
    'outbound',
    'search',
    'telemetry',
    'terminal',
    'terms',
    'versions',
  ],
  admin: [
    'analysis',
    'concurrency',
    'config',
    'database',
    'embedded-postgres',
    'extraction',
    'files',
    'indexing',
    'jobs',
    'meaning',
    'serve',
    'telemetry',
    'terms',
  ],
  cli: [
    'admin',
    'analysis',
    'client',
    'concurrency',
    'config',
    'contract-check',
    'database',
    'evaluation',
    'extraction',
    'formats',
    'mcp',
    'outbound',
    'serve',
    'telemetry',
    'terminal',
    'terms',
  ],
};

const roomOf = (file: string): string => file.split('/')[0] ?? '';

const read = (file: string) => readFileSync(join(src, file), 'utf8');

/** Files that `file` names by `pattern`. By default: those that it loads when it begins. */
function importsOf(
  file: string,
  pattern = /^(?:import|export) (?!type )(?:[^;']*?from )?'(\.[^']+)'/gms,
): string[] {
  return [...read(file).matchAll(pattern)]
    .map(([, target = '']) => relative(src, resolve(src, dirname(file), target)))
    .filter((target) => !target.startsWith('../generated') && target !== '../package.json');
}

/** All files that it imports, including those that it loads later or imports only types of. */
const allImportsOf = (file: string): string[] =>
  importsOf(file, /(?:\bfrom|^import|\bimport\() ?'(\.[^']+)'/gm);

test('each file is in a folder that IMPORTS lists', () => {
  expect(new Set(modules.map(roomOf))).toEqual(new Set(Object.keys(IMPORTS)));
});

test('each room imports what it says, and all of that', () => {
  const found = Object.fromEntries(Object.keys(IMPORTS).map((room) => [room, new Set<string>()]));
  for (const file of modules) {
    for (const target of allImportsOf(file)) {
      const [from, to] = [roomOf(file), roomOf(target)];
      if (from !== to) (found[from] ?? new Set()).add(to);
    }
  }
  expect(Object.entries(found).map(([room, targets]) => [room, [...targets].toSorted()])).toEqual(
    Object.entries(IMPORTS),
  );
});

test('no file of the service imports from a folder `testing`', () => {
  const importing = files.filter((file) => allImportsOf(file).some((target) => target.includes('/testing/')));
  expect(importing).toEqual([]);
});

test('the imports between rooms have no cycle', () => {
  const rooms = Object.keys(IMPORTS);
  const upward = Object.entries(IMPORTS).flatMap(([room, targets]) =>
    targets
      .filter((target) => rooms.indexOf(target) >= rooms.indexOf(room))
      .map((target) => `${room} imports ${target}`),
  );
  expect(upward).toEqual([]);
});

const root = join(src, '..');

/** Test data, of which each file is a case. */
const TEST_DATA = ['contract-tests/slow/upgrade/documents'];

/** All files of the code and its tests, from the root of the repository. */
const allFiles = ['bin', 'contract-tests', 'scripts', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => statSync(join(root, file)).isFile()),
);
const codeFiles = allFiles.filter((file) => !file.endsWith('.test.ts'));

/** Each import of a file of the code by another one: [the importing file, the imported file]. */
const codeImports = codeFiles
  .filter((file) => /\.(tsx?|mjs|cjs)$/.test(file))
  .flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(?:\bfrom|^import|\bimport\()\s*'(\.[^']+)'/gm)].map(
      ([, target = '']): [string, string] => [file, join(dirname(file), target)],
    ),
  );

test('no line of code has over 120 characters: the formatter leaves comments, SQL, texts and Python', () => {
  const long = allFiles
    .filter((file) => /\.(tsx?|[cm]?js|css|py)$/.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .filter((line) => line.length > 120 && [...line].length > 120)
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(long).toEqual([]);
});

test('src/ has at most 28 rooms, and at most 10 of them are single files', () => {
  const rooms = Object.keys(IMPORTS);
  expect(rooms.length).toBeLessThanOrEqual(28);
  expect(rooms.filter((room) => room.includes('.')).length).toBeLessThanOrEqual(10);
});

test('a folder has at most 15 files beside each other, tests and test data aside', () => {
  const wide = Object.entries(Object.groupBy(codeFiles, (file) => dirname(file)))
    .filter(([folder, beside = []]) => !TEST_DATA.includes(folder) && beside.length > 15)
    .map(([folder, beside = []]) => `${folder}: ${beside.length}`);
  expect(wide).toEqual([]);
});

/** What imports each other, even by others, of the files and folders in `folder`. */
function circleIn(folder: string): string[] {
  const entryOf = (file: string) => file.slice(folder.length + 1).split('/')[0] ?? '';
  let arrows = codeImports
    .filter((files) => files.every((file) => file.startsWith(`${folder}/`)))
    .map((files) => files.map(entryOf))
    .filter(([from, to]) => from !== to);
  for (let before = -1; before !== arrows.length; ) {
    before = arrows.length;
    const [importing, imported] = [
      new Set(arrows.map(([from]) => from)),
      new Set(arrows.map(([, to]) => to)),
    ];
    arrows = arrows.filter(([from, to]) => imported.has(from) && importing.has(to));
  }
  return [...new Set(arrows.map(([from = '']) => from))].toSorted();
}

test('in no folder do its folders and files import each other in a circle', () => {
  const folders = new Set(
    codeFiles.flatMap((file) => [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index))),
  );
  const circles = [...folders]
    .map((folder) => ({ folder, circle: circleIn(folder) }))
    .filter(({ circle }) => circle.length > 0)
    .map(({ folder, circle }) => `${folder}: ${circle.join(', ')}`);
  expect(circles.toSorted()).toEqual([]);
});

test('no code of the product imports tests of the contract', () => {
  const importing = codeImports
    .filter(([file]) => /^(src|bin)\//.test(file) && !file.includes('/testing/'))
    .filter(([, target]) => target.startsWith('contract-tests/'))
    .map(([file]) => file);
  expect([...new Set(importing)]).toEqual([]);
});

test('scripts/ is imported by nothing', () => {
  const importing = allFiles
    .filter((file) => /\.(ts|mjs)$/.test(file) && !file.startsWith('scripts/'))
    .filter((file) => /from '(\.\.\/)+scripts\//.test(readFileSync(join(root, file), 'utf8')));
  expect(importing).toEqual([]);
});

test('the client runs alone and anywhere: it imports only itself and what is generated', () => {
  const clients = files.filter((file) => file.startsWith('client/'));
  expect(clients).not.toEqual([]);
  const imported = clients.flatMap((file) =>
    [...read(file).matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name = '']) =>
      name.startsWith('.') ? join(dirname(file), name) : name,
    ),
  );
  expect(imported.filter((name) => !/^(client|\.\.\/generated)\//.test(name))).toEqual([]);
});

test('retrieval and storage know nothing of HTTP', () => {
  const knowing = files
    .filter((file) => /^(analysis|database|embedded-postgres|files|indexing|search|versions)\//.test(file))
    .filter((file) => /from '(koa|openapi-backend|node:http)'/.test(read(file)));
  expect(knowing).toEqual([]);
});

test('only config.ts reads the environment, and the client that of its caller; only main.ts exits', () => {
  const reading = files.filter((file) => /process(\(\))?\??\.env\b/i.test(read(file)));
  expect(reading).toEqual(['client/platform.ts', 'config/config.ts']);
  expect(files.filter((file) => read(file).includes('process.exit('))).toEqual(['serve/main.ts']);
});

test('of src/, contract-tests/ import the contract check alone; harness and tests of clients import more', () => {
  const tests = join(src, '../contract-tests');
  const inside = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(tests, file), 'utf8').matchAll(/(?:from |import\()\s*'(?:\.\.\/)+(src\/[^']+)'/g)]
        .map(([, target = '']) => [dirname(file), target])
        .filter(([, target]) => !target?.startsWith('src/contract-check/')),
    );
  expect(inside.filter(([folder = '']) => !/^(?:harness|slow\/clients)(\/|$)/.test(folder))).toEqual([]);
  expect([...new Set(inside.map(([, target]) => target))].sort()).toEqual([
    'src/client/testing/scripted-server.ts',
    'src/database/testing/new-database.ts',
    'src/embedded-postgres/embedded-postgres.ts',
    'src/embedded-postgres/testing/plain-postgres.ts',
    'src/extraction/testing/containers/made-containers.ts',
    'src/extraction/testing/made-files.ts',
    'src/extraction/testing/mutations.ts',
    'src/extraction/testing/write-zip.ts',
    'src/extraction/testing/written-page.ts',
    'src/files/testing/real-store.ts',
    'src/serve/testing/operator.ts',
  ]);
});

test('only the S3 store loads the SDK of S3', () => {
  const knowing = ['files/s3-requests.ts', 'files/s3-store.ts'];
  expect(files.filter((file) => read(file).includes("from '@aws-sdk/"))).toEqual(knowing);
  const loading = files.filter((file) => importsOf(file).some((name) => knowing.includes(name)));
  expect(loading).toEqual(['files/s3-store.ts']);
});

test('metrics and the SDK of traces are loaded only where they are enabled', () => {
  const lazy = ['telemetry/opentelemetry.ts', 'telemetry/prometheus.ts'];
  const ofLazy = ['telemetry/replica-metrics.ts', 'telemetry/storage-gauges.ts'];
  expect(files.filter((file) => importsOf(file).some((target) => lazy.includes(target)))).toEqual([]);
  const loading = files.filter((file) => /from '(prom-client|@opentelemetry\/(?!api').*)'/.test(read(file)));
  expect(loading.toSorted()).toEqual([...lazy, ...ofLazy]);
  const importing = files.filter((file) => importsOf(file).some((target) => ofLazy.includes(target)));
  expect(importing).toEqual(['telemetry/prometheus.ts']);
});

/** The files that a server loads when it starts: what they import, without what they load later. */
function loadedAtStart(): Set<string> {
  const loaded = new Set(['cli/cli.ts', 'cli/serve.ts', 'serve/main.ts']);
  for (const file of loaded) for (const target of importsOf(file)) loaded.add(target);
  return loaded;
}

test('a server loads the packages of a feature when that is first used', () => {
  const later = new RegExp(
    String.raw`^(@aws-sdk|@e965|@modelcontextprotocol|@opentelemetry\/(?!api)|esbuild|htmlparser2|jschardet` +
      '|pdfjs-dist|pg-copy-streams|prom-client|swagger-ui-dist|tar-stream|wrap-ansi|yauzl)',
  );
  const packages = [...loadedAtStart()].flatMap((file) =>
    [...read(file).matchAll(/^(?:import|export) (?!type )(?:[^;']*?from )?'([^.'][^']*)'/gms)].map(
      ([, name = '']) => name,
    ),
  );
  expect(packages).toContain('koa');
  expect(packages.filter((name) => later.test(name))).toEqual([]);
});

test('docs/dependencies.md has each package that the service installs, once, and no other', () => {
  const page = readFileSync(join(src, '../docs/dependencies.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`[^|]+) \|/gm)].map(([, names = '']) => names);
  const named = rows.flatMap((names) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(src, '../package.json'), 'utf8'));
  expect(named.toSorted()).toEqual(
    [...Object.keys(dependencies), ...Object.keys(peerDependencies)].toSorted(),
  );
});

test('path, operationId and handler have one name', () => {
  const { paths } = load(readFileSync(join(src, '../spec/openapi.yaml'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const operations = Object.entries(paths).map(([path, methods]) => [
    path.replace('/v1/', ''),
    Object.values(methods)[0]?.operationId,
  ]);
  expect(operations).not.toEqual([]);
  const handlerCode = files.filter((file) => file.startsWith('handlers/')).map(read);
  for (const [name, operationId] of operations) {
    expect(operationId).toBe(name);
    expect(handlerCode.filter((text) => text.includes(`async ${name}(`))).toHaveLength(1);
  }
});
