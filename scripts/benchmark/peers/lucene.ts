/** Lucene 8 in its own process, from Debian's package liblucene8-java, compiled with the installed JDK. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { end } from '../../../contract-tests/harness/service/service-process.ts';
import { hasProgram, type Peer, type PeerAnswer, type Search, withTemporaryDirectory } from './peer.ts';

const run = promisify(execFile);

/** Debian's directory of Java libraries. */
const JARS = '/usr/share/java';
const LIBRARIES = ['lucene-core', 'lucene-analyzers-common'];
const HEAP = '-Xmx2g';

/** The class path of Lucene 8; undefined where a library is missing. */
function findClassPath(): string | undefined {
  const jars = existsSync(JARS) ? readdirSync(JARS) : [];
  const found = LIBRARIES.map((library) =>
    jars.find((jar) => jar.startsWith(`${library}-8.`) && jar.endsWith('.jar')),
  );
  if (found.includes(undefined)) return undefined;
  return found.map((jar) => join(JARS, jar ?? '')).join(':');
}

/** A text as one line, as the program reads it. */
const toLine = (text: string): string => `${text.replace(/\s+/g, ' ')}\n`;

/** Writes line by line, since half a million texts and their copies as lines do not fit into memory. */
const writeLines = (file: string, texts: string[]): Promise<void> =>
  pipeline(Readable.from(texts).map(toLine), createWriteStream(file));

/** Asks the running program, one query at a time. */
function createSearch({ stdin, stdout }: ChildProcess): Search {
  if (stdin === null || stdout === null) throw new Error('Lucene has no pipes');
  stdin.on('error', () => {}); // an ended program also ends its answers
  const answers = createInterface(stdout)[Symbol.asyncIterator]();
  return async (query) => {
    stdin.write(toLine(query));
    const { value, done } = await answers.next();
    if (done) throw new Error('Lucene ended before it answered');
    return JSON.parse(value) as PeerAnswer; // as LuceneSearch prints it
  };
}

/** Lucene's own analysis of the language and BM25. It measures its times itself, without the pipe to this process. */
export const lucenePeer: Peer = {
  name: 'Lucene in process',
  requires: {
    packages: 'a JDK and the package liblucene8-java (Debian, Ubuntu)',
    isInstalled: async () => findClassPath() !== undefined && (await hasProgram('javac', '-version')),
  },
  withIndex: ({ texts, language }, use) =>
    withTemporaryDirectory('lucene', async (directory) => {
      const [textFile, index] = [join(directory, 'texts'), join(directory, 'index')];
      await writeLines(textFile, texts);
      await mkdir(index);
      const classPath = findClassPath() ?? '';
      const source = fileURLToPath(new URL('./LuceneSearch.java', import.meta.url));
      await run('javac', ['-cp', classPath, '-d', directory, source]);
      const program = [HEAP, '-cp', `${directory}:${classPath}`, 'LuceneSearch', textFile, index, language];
      const child = spawn('java', program, { stdio: ['pipe', 'pipe', 'inherit'] });
      try {
        return await use(createSearch(child));
      } finally {
        await end(child, 'SIGTERM');
      }
    }),
};
