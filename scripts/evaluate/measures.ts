/** Measures of retrieval quality as defined by trec_eval and Chroma's chunking evaluation. */
import { mean, ndcg10 } from '../../src/evaluation/measures.ts';
import type { Excerpt, Qrels } from './collection.ts';

/** Query → documents with their scores, in the order of the answer. */
export type Run = Map<string, Map<string, number>>;

export type DocumentMeasures = { ndcg10: number; recall10: number; recall50: number; mrr10: number };
export type PassageMeasures = { recall: number; precision: number; iou: number; characters: number };

/** trec_eval's order: score descending as 32-bit floats, equal ones by document id descending. */
function rank(scores: Map<string, number>): string[] {
  return [...scores]
    .map(([document, score]) => ({ document, score: Math.fround(score) }))
    .sort((left, right) => right.score - left.score || compareIds(right.document, left.document))
    .map(({ document }) => document);
}

const compareIds = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right));

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);

function measureQuery(scores: Map<string, number>, judged: Map<string, number>): DocumentMeasures {
  const gains = rank(scores).map((document) => Math.max(0, judged.get(document) ?? 0));
  const ideal = [...judged.values()].filter((gain) => gain > 0).sort((left, right) => right - left);
  const found = (depth: number) => gains.slice(0, depth).filter((gain) => gain > 0).length;
  const first = gains.slice(0, 10).findIndex((gain) => gain > 0);
  return {
    ndcg10: ndcg10(gains, ideal),
    recall10: ratio(found(10), ideal.length),
    recall50: ratio(found(50), ideal.length),
    mrr10: first < 0 ? 0 : 1 / (first + 1),
  };
}

/** Means over all judged queries. A query without results counts 0 (`trec_eval -c`). */
export function measureDocuments(qrels: Qrels, run: Run): DocumentMeasures {
  const rows = [...qrels].map(([query, judged]) => measureQuery(run.get(query) ?? new Map(), judged));
  return {
    ndcg10: mean(rows.map((row) => row.ndcg10)),
    recall10: mean(rows.map((row) => row.recall10)),
    recall50: mean(rows.map((row) => row.recall50)),
    mrr10: mean(rows.map((row) => row.mrr10)),
  };
}

/** Joins stretches of one document that touch or overlap. */
function union(stretches: Excerpt[]): Excerpt[] {
  const joined: Excerpt[] = [];
  for (const stretch of stretches.toSorted((left, right) => left.start - right.start)) {
    const last = joined.at(-1);
    if (last !== undefined && stretch.start <= last.end) last.end = Math.max(last.end, stretch.end);
    else joined.push({ ...stretch });
  }
  return joined;
}

const sizeOf = (stretches: Excerpt[]) => stretches.reduce((sum, { start, end }) => sum + end - start, 0);

function overlap(left: Excerpt[], right: Excerpt[]): number {
  let size = 0;
  for (const one of left) {
    for (const other of right)
      size += Math.max(0, Math.min(one.end, other.end) - Math.max(one.start, other.start));
  }
  return size;
}

/** Compares an answer with the wanted excerpts. Overlaps of passages count twice among the returned, as in Chroma. */
function measureAnswer(wanted: Excerpt[], returned: Excerpt[]): PassageMeasures {
  const documents = new Set([...wanted, ...returned].map(({ document }) => document));
  let [hit, wantedSize] = [0, 0];
  for (const document of documents) {
    const inDocument = (stretch: Excerpt) => stretch.document === document;
    const target = union(wanted.filter(inDocument));
    hit += overlap(target, union(returned.filter(inDocument)));
    wantedSize += sizeOf(target);
  }
  const characters = sizeOf(returned);
  return {
    recall: ratio(hit, wantedSize),
    precision: ratio(hit, characters),
    iou: ratio(hit, wantedSize + characters - hit),
    characters,
  };
}

/** Means over all queries with wanted excerpts. `answers`: the passages to be judged, best first. */
export function measurePassages(
  wanted: Map<string, Excerpt[]>,
  answers: Map<string, Excerpt[]>,
): PassageMeasures {
  const rows = [...wanted].map(([query, excerpts]) => measureAnswer(excerpts, answers.get(query) ?? []));
  return {
    recall: mean(rows.map((row) => row.recall)),
    precision: mean(rows.map((row) => row.precision)),
    iou: mean(rows.map((row) => row.iou)),
    characters: mean(rows.map((row) => row.characters)),
  };
}
