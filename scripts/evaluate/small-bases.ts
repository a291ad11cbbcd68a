/** Small knowledge bases, cut out of the test collections: their own document frequencies say little yet. */
import { createRandom, type Random } from '../../contract-tests/harness/documents/texts.ts';
import type { Collection } from './collection.ts';

/** Documents of the knowledge bases. */
export const SMALL_SIZES = [10, 30, 100, 300];
/** The most questions of one of them. */
const QUERIES_MAX = 100;
const SEED = 11;

function shuffle<Item>(items: Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ item }) => item);
}

/** The documents that answer a query. */
export const answersOf = ({ qrels }: Collection, query: string): string[] =>
  [...(qrels.get(query) ?? [])].filter(([, gain]) => gain > 0).map(([document]) => document);

/**
 * A part of a collection with `size` documents and the questions that they answer in full; always the same one.
 * undefined where the documents of a single question are too many.
 */
export function cutCollection(collection: Collection, size: number): Collection | undefined {
  const random = createRandom(SEED + size);
  const chosen = new Set<string>();
  const queries = shuffle(collection.queries, random);
  for (const { id } of queries) {
    const added = new Set(answersOf(collection, id)).difference(chosen);
    if (chosen.size + added.size <= size) for (const document of added) chosen.add(document);
  }
  const isAnswered = (id: string) => {
    const answers = answersOf(collection, id);
    return answers.length > 0 && answers.every((document) => chosen.has(document));
  };
  const answered = queries.filter(({ id }) => isAnswered(id)).slice(0, QUERIES_MAX);
  if (answered.length === 0) return undefined;
  for (const { id } of shuffle(collection.corpus, random)) if (chosen.size < size) chosen.add(id);
  return {
    ...collection,
    corpus: collection.corpus.filter(({ id }) => chosen.has(id)),
    queries: answered,
    qrels: new Map(answered.map(({ id }) => [id, collection.qrels.get(id) ?? new Map()])),
    excerpts: new Map(),
  };
}

/**
 * A collection without half of the documents that answer a question. `answered`: questions that are still answered in
 * full, `unanswered`: those without any answer; at most QUERIES_MAX of each, in random order.
 */
export function leaveOut(collection: Collection) {
  const random = createRandom(SEED);
  const queries = shuffle(collection.queries, random);
  const answers = [...new Set(queries.flatMap(({ id }) => answersOf(collection, id)))].sort();
  const left = new Set(shuffle(answers, random).slice(0, answers.length / 2));
  const choose = (isChosen: (document: string) => boolean) =>
    queries.filter(({ id }) => answersOf(collection, id).every(isChosen)).slice(0, QUERIES_MAX);
  return {
    corpus: collection.corpus.filter(({ id }) => !left.has(id)),
    answered: choose((document) => !left.has(document)),
    unanswered: choose((document) => left.has(document)),
  };
}
