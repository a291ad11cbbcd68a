/** Lucene 8 in its own process, from Debian's package liblucene8-java, compiled with the installed JDK. */
import { execFile } from 'node:child_process';
import { createWriteStream, existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Debian's directory of Java libraries. */
const JARS = '/usr/share/java';
const LIBRARIES = ['lucene-core', 'lucene-analyzers-common', 'lucene-queryparser'];
const HEAP = '-Xmx2g';
/** Twenty bytes per query. */
const OUTPUT_MAX_BYTES = 2 ** 26;

/** Milliseconds in the queries' order. */
export type LuceneTimes = { indexSeconds: number; milliseconds: number[] };

/** The class path of Lucene 8; undefined where a library is missing. */
function findClassPath(): string | undefined {
  const jars = existsSync(JARS) ? readdirSync(JARS) : [];
  const found = LIBRARIES.map((library) =>
    jars.find((jar) => jar.startsWith(`${library}-8.`) && jar.endsWith('.jar')),
  );
  if (found.includes(undefined)) return undefined;
  return found.map((jar) => join(JARS, jar ?? '')).join(':');
}

const hasCompiler = (): Promise<boolean> =>
  run('javac', ['-version']).then(
    () => true,
    () => false,
  );

/** A text as one line, as the program reads it. */
const toLine = (text: string): string => `${text.replace(/\s+/g, ' ')}\n`;

/** Writes line by line, since half a million texts and their copies as lines do not fit into memory. */
const writeLines = (file: string, texts: string[]): Promise<void> =>
  pipeline(Readable.from(texts).map(toLine), createWriteStream(file));

/** Indexes the texts, and runs the queries in turn after a warm-up. Returns undefined without Lucene or a JDK. */
export async function measureLucene(texts: string[], queries: string[]): Promise<LuceneTimes | undefined> {
  const classPath = findClassPath();
  if (classPath === undefined || !(await hasCompiler())) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-lucene-'));
  try {
    const [textFile, queryFile, index] = [
      join(directory, 'texts'),
      join(directory, 'queries'),
      join(directory, 'index'),
    ];
    await writeLines(textFile, texts);
    await writeLines(queryFile, queries);
    await mkdir(index);
    const source = fileURLToPath(new URL('./LuceneSearch.java', import.meta.url));
    await run('javac', ['-cp', classPath, '-d', directory, source]);
    const program = [HEAP, '-cp', `${directory}:${classPath}`, 'LuceneSearch'];
    const output = await run('java', [...program, textFile, queryFile, index], {
      maxBuffer: OUTPUT_MAX_BYTES,
    });
    return JSON.parse(output.stdout) as LuceneTimes; // what LuceneSearch prints
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
