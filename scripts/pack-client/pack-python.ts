/** Builds the Python client as a wheel (PEP 427): a ZIP archive of its modules and its metadata. */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { writeZip, type ZipEntry } from '../../src/extraction/testing/write-zip.ts';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'src/python-client');
/** The import name. */
const MODULE = 'knowledge_retrieval';
/** Oldest Python on which the client runs. */
const PYTHON = '3.10';
const TAG = 'py3-none-any';

/** `1.2.0-beta.1` → `1.2.0b1`, as PEP 440 writes versions. */
export const pythonVersion = (version: string): string =>
  version.replace(/-(alpha|beta|rc)\.?(\d+)$/, (_, word: string, count: string) =>
    word === 'rc' ? `rc${count}` : `${word.charAt(0)}${count}`,
  );

/** The files below `folder`, by their names in the wheel. */
async function readModules(folder: string): Promise<ZipEntry[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.(py|typed)$/.test(entry.name));
  return await Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = `${MODULE}/${relative(folder, path).replaceAll('\\', '/')}`;
      return { name, content: await readFile(path) };
    }),
  );
}

/** The package's description, in the form of an e-mail's head, with its README as the body. */
const describePackage = (version: string, readme: string): string => `Metadata-Version: 2.4
Name: knowledge-retrieval
Version: ${version}
Summary: Client of the knowledge retrieval service
License-Expression: ${manifest.license}
License-File: LICENSE
Requires-Python: >=${PYTHON}
Requires-Dist: httpx>=0.27,<1
Provides-Extra: langchain
Requires-Dist: langchain-core>=0.3; extra == "langchain"
Provides-Extra: llama-index
Requires-Dist: llama-index-core>=0.11; extra == "llama-index"
Provides-Extra: haystack
Requires-Dist: haystack-ai>=2.0; extra == "haystack"
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

${readme}`;

const WHEEL = `Wheel-Version: 1.0
Generator: knowledge-retrieval
Root-Is-Purelib: true
Tag: ${TAG}
`;

/** Lists the files with their hashes, and itself without. */
function writeRecord(entries: ZipEntry[], name: string): ZipEntry {
  const lines = entries.map(({ name: file, content }) => {
    const bytes = Buffer.from(content);
    return `${file},sha256=${createHash('sha256').update(bytes).digest('base64url')},${bytes.length}`;
  });
  return { name, content: `${[...lines, `${name},,`].join('\n')}\n` };
}

/** Writes the wheel into `destination`. Returns its path. */
export async function packPython(destination: string): Promise<string> {
  const version = pythonVersion(manifest.version);
  const info = `${MODULE}-${version}.dist-info`;
  const [modules, generated] = await Promise.all([
    readModules(join(source, MODULE)),
    readModules(join(root, 'generated/python')),
  ]);
  const readme = await readFile(join(source, 'README.md'), 'utf8');
  const entries: ZipEntry[] = [
    ...[...modules, ...generated].toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    { name: `${info}/METADATA`, content: describePackage(version, readme) },
    { name: `${info}/WHEEL`, content: WHEEL },
    { name: `${info}/licenses/LICENSE`, content: await readFile(join(root, 'LICENSE')) },
  ];
  const path = join(resolve(destination), `${MODULE}-${version}-${TAG}.whl`);
  await writeFile(path, writeZip([...entries, writeRecord(entries, `${info}/RECORD`)]));
  return path;
}
