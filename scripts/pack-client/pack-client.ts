/**
 * Builds the client as a package for others: JavaScript and types of src/client/, and the parts of generated/ it uses.
 * With --python: the wheel of src/python-client/.
 */
import { execFile, execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isMain, readFolder, scriptCommand } from '../arguments.ts';
import { buildClient } from './build-client.ts';
import { packPython } from './pack-python.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The package's manifest. Version and licence are the project's. */
async function describePackage(): Promise<object> {
  const project: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { version, license } = project as { version: string; license: string }; // what npm demands
  const main = './dist/src/client/index';
  return {
    name: 'knowledge-retrieval-client',
    version,
    description: 'Client of the knowledge retrieval service, for Node, Deno, Bun and browsers',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: {
      '.': { types: `${main}.d.ts`, default: `${main}.js` },
      './package.json': './package.json',
    },
    types: `${main}.d.ts`,
    files: ['dist'],
  };
}

/** Installs the compiler, with all that developers have. The wheel needs none of it. */
const installTools = (): void => {
  execFileSync(process.execPath, ['scripts/install.mjs'], { cwd: root, stdio: ['ignore', 2, 2] });
};

/** Builds the tarball into `destination`. Returns its path. */
async function packClient(destination: string): Promise<string> {
  installTools();
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-client-'));
  try {
    await buildClient(join(folder, 'dist'));
    await writeFile(
      join(folder, 'package.json'),
      `${JSON.stringify(await describePackage(), undefined, 2)}\n`,
    );
    await cp(join(root, 'src/client/README.md'), join(folder, 'README.md'));
    await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', resolve(destination)], {
      cwd: folder,
    });
    return join(resolve(destination), stdout.trim());
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (isMain(import.meta.filename)) {
  const command = scriptCommand('pack:client')
    .description('Packs the client as an npm package or as a Python wheel, and prints its path.')
    .option('--python', 'the client for Python, as a wheel')
    .argument('[folder]', 'where to put it', readFolder, '.')
    .parse();
  const [destination] = command.processedArgs as [string]; // of the one argument
  const pack = command.opts<{ python?: true }>().python ? packPython : packClient;
  process.stdout.write(`${await pack(destination)}\n`);
}
