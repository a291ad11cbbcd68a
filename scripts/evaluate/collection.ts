/**
 * Reads a test collection: corpus, queries and relevance judgements in BEIR's layout, and wanted excerpts if it has
 * any.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** The folder of the open collections, beside the project. */
export const sharedCollections = fileURLToPath(new URL('../../../shared/collections', import.meta.url));

export type CorpusDocument = { id: string; title: string; text: string };
export type JudgedQuery = { id: string; text: string };
/** Query → judged documents with their gain; 0 is not relevant. */
export type Qrels = Map<string, Map<string, number>>;
/** A stretch of a document, which an answer must contain. `start` and `end` (exclusive) in code points. */
export type Excerpt = { document: string; start: number; end: number };

export type Collection = {
  name: string;
  corpus: CorpusDocument[];
  queries: JudgedQuery[];
  qrels: Qrels;
  /** By query; empty where the collection judges only whole documents. */
  excerpts: Map<string, Excerpt[]>;
};

function readText(path: string): string {
  if (existsSync(path)) return readFileSync(path, 'utf8');
  return gunzipSync(readFileSync(`${path}.gz`)).toString('utf8');
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

function readJsonLines<Row>(path: string): Row[] {
  return linesOf(readText(path)).map((line) => JSON.parse(line) as Row); // the layout is the collection's promise
}

function readQrels(path: string): Qrels {
  const qrels: Qrels = new Map();
  for (const line of linesOf(readText(path)).slice(1)) {
    const [query = '', document = '', gain = '0'] = line.split('\t');
    const judged = qrels.get(query) ?? new Map<string, number>();
    qrels.set(query, judged.set(document, Math.trunc(Number(gain))));
  }
  return qrels;
}

function readExcerpts(path: string): Map<string, Excerpt[]> {
  if (!existsSync(path)) return new Map();
  const rows = readJsonLines<{ query: string; doc: string; start: number; end: number }>(path);
  const excerpts = new Map<string, Excerpt[]>();
  for (const { query, doc, start, end } of rows) {
    excerpts.set(query, [...(excerpts.get(query) ?? []), { document: doc, start, end }]);
  }
  return excerpts;
}

/**
 * The collection in `folder`: corpus.jsonl[.gz] {_id, title, text}, queries.jsonl {_id, text}, qrels.tsv with a header,
 * and optionally references.jsonl {query, doc, start, end}. Queries without judgements are left out.
 * @throws when a file is missing or is not JSON
 */
export function readCollection(folder: string): Collection {
  const qrels = readQrels(join(folder, 'qrels.tsv'));
  const corpus = readJsonLines<{ _id: string; title?: string; text: string }>(join(folder, 'corpus.jsonl'));
  const queries = readJsonLines<{ _id: string; text: string }>(join(folder, 'queries.jsonl'));
  return {
    name: basename(folder),
    corpus: corpus.map(({ _id, title = '', text }) => ({ id: _id, title, text })),
    queries: queries.filter(({ _id }) => qrels.has(_id)).map(({ _id, text }) => ({ id: _id, text })),
    qrels,
    excerpts: readExcerpts(join(folder, 'references.jsonl')),
  };
}
