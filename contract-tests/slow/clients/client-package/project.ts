/** A project outside of this repository, with the packed client and consumer.ts in it. */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Runtime } from './runtimes.ts';

const root = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);

/** The content of story.txt. */
export const STORY = 'The lighthouse keeper counts the ships that pass at night.';

/** Programs that print the outcomes of consumer.ts, a page that loads it, and files to upload. */
const FILES = {
  'package.json': '{ "type": "module", "private": true }',
  'operations.js': `import { useOperations } from './consumer.js';
    console.log(JSON.stringify(await useOperations(JSON.parse(process.argv[2]))));`,
  'files.js': `import { useFiles } from './consumer.js';
    const used = await useFiles(JSON.parse(process.argv[2]), { file: 'story.txt', empty: 'empty.txt' });
    console.log(JSON.stringify(used));`,
  'progress.js': `import { useProgress } from './consumer.js';
    console.log(JSON.stringify(await useProgress(JSON.parse(process.argv[2]))));`,
  'page.html': `<!doctype html><title>A page</title><link rel="icon" href="data:,">
    <script type="importmap">{ "imports": {
      "knowledge-retrieval-client": "/node_modules/knowledge-retrieval-client/dist/src/client/index.js"
    } }</script>
    <script type="module">import * as consumer from './consumer.js'; globalThis.consumer = consumer;</script>`,
  'story.txt': STORY,
  'empty.txt': ' ',
};

const COMPILER = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  // The package's own types are checked too.
  skipLibCheck: false,
  target: 'es2022',
};

/** A page has the types of the DOM only, a server the types of Node only. The package compiles with either. */
const CONFIGURATIONS = {
  page: {
    ...COMPILER,
    module: 'preserve',
    moduleResolution: 'bundler',
    lib: ['es2024', 'dom'],
    types: [],
    noEmit: true,
  },
  server: {
    ...COMPILER,
    module: 'nodenext',
    lib: ['es2024'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  },
};

export type Configuration = keyof typeof CONFIGURATIONS;

/** Compiles consumer.ts. Returns the compiler's output, which is empty if there are no errors. */
async function compile(folder: string, name: Configuration): Promise<string> {
  const configuration = { compilerOptions: CONFIGURATIONS[name], files: ['consumer.ts'] };
  await writeFile(join(folder, `tsconfig.${name}.json`), JSON.stringify(configuration));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return await run(process.execPath, [tsc, '-p', `tsconfig.${name}.json`], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

/**
 * Packs the client and installs it into an empty project, without network access.
 * @returns `folder`, the project; `compilerOutput` of each configuration; `run`, which runs a program in a runtime,
 * with these variables in its environment, and returns the JSON that it prints; `remove`, which deletes the project
 */
export async function createProject() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'knowledge-retrieval-consumer-')));
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(folder, name), content);
  await copyFile(join(import.meta.dirname, 'consumer.ts'), join(folder, 'consumer.ts'));
  const { stdout } = await run(process.execPath, [join(root, 'scripts/pack-client/pack-client.ts'), folder]);
  const tarball = stdout.trim();
  const flags = ['--offline', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...flags, tarball], { cwd: folder });
  return {
    folder,
    compilerOutput: { page: await compile(folder, 'page'), server: await compile(folder, 'server') },
    run: async (
      { command, options }: Pick<Runtime, 'command' | 'options'>,
      program: string,
      settings: object,
      variables: Record<string, string> = {},
    ): Promise<unknown> => {
      const env = {
        ...process.env,
        ...variables,
        DENO_DIR: join(folder, '.deno'),
        DENO_NO_UPDATE_CHECK: '1',
        DO_NOT_TRACK: '1',
      };
      const args = [...options, program, JSON.stringify(settings)];
      return JSON.parse((await run(command, args, { cwd: folder, env })).stdout);
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

const MEDIA_TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves static files. Calls `folder` at each request, since the project is created after the server. */
export async function serveFiles(folder: () => string) {
  const server = createServer(async (request, response) => {
    const file = join(folder(), new URL(request.url ?? '/', 'http://page').pathname);
    const body = await readFile(file).catch(() => undefined);
    const type = MEDIA_TYPES[extname(file)] ?? 'text/plain';
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}
