/** Python with the packed client, and the packages from PyPI that its tests need. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../../harness/service/service-process.ts';

const run = promisify(execFile);

/** A folder of `pip install --target` with httpx and mypy; undefined: there is none. */
export const pythonPackages: string | undefined = [process.env.PYTHON_PACKAGES ?? ''].find((folder) =>
  existsSync(join(folder, 'httpx')),
);

/** Whether a package of the folder is there. */
export const hasPackage = (name: string): boolean =>
  pythonPackages !== undefined && existsSync(join(pythonPackages, name));

/** The scripts of these tests. */
export const scripts = import.meta.dirname;

type Environment = Record<string, string>;

/** Packs the wheel, and unpacks it into a folder where Python finds it. */
export async function preparePython() {
  const folder = await mkdtemp(join(tmpdir(), 'python-client-'));
  const pack = [
    '--import',
    './bin/require-node.mjs',
    'scripts/pack-client/pack-client.ts',
    '--python',
    folder,
  ];
  const { stdout } = await run(process.execPath, pack, { cwd: root });
  const wheel = stdout.trim();
  const modules = join(folder, 'modules');
  await run('python3', ['-m', 'zipfile', '-e', wheel, modules]);
  const environment = (given: Environment = {}): NodeJS.ProcessEnv => ({
    ...process.env,
    PYTHONPATH: [modules, pythonPackages].join(delimiter),
    PYTHONDONTWRITEBYTECODE: '1',
    ...given,
  });
  return {
    folder,
    wheel,
    modules,
    environment,
    /** Runs Python. Returns what it printed. @throws with its errors when it fails */
    python: async (args: string[], given?: Environment): Promise<string> =>
      (
        await run('python3', args, { cwd: folder, env: environment(given), maxBuffer: 2 ** 26 })
      ).stdout.trim(),
    /** The names of the files in the wheel. */
    listModules: async (): Promise<string[]> =>
      (await readdir(modules, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(modules.length + 1))
        .sort(),
    remove: () => rm(folder, { recursive: true }),
  };
}

export type PreparedPython = Awaited<ReturnType<typeof preparePython>>;
