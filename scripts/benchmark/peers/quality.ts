/** The quality of the peers' answers and the service's on open test collections. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { withServiceDatabase } from '../../../contract-tests/harness/service/service-database.ts';
import { type RunningService, withService } from '../../../contract-tests/harness/service/service-process.ts';
import { showProgress } from '../../../src/terminal/progress.ts';
import { type Collection, readCollection, sharedCollections } from '../../evaluate/collection.ts';
import { answerQueries, importCorpus } from '../../evaluate/collection-run.ts';
import { measureDocuments, type Run } from '../../evaluate/measures.ts';
import type { Report } from '../measuring/figures.ts';
import type { Language, Peer, Search } from './peer.ts';
import { createPostgresPeer, findStopWords } from './postgres.ts';
import { wordsOf } from './words.ts';

/** Scientific abstracts, and paragraphs of the Chinese Wikipedia: small, and most unlike each other. */
const COLLECTIONS: { name: string; language: Language }[] = [
  { name: 'scifact', language: 'english' },
  { name: 'drcd-dev', language: 'chinese' },
];

/** nDCG@10 by the engine's name; `collection`: its name. */
export type Quality = { collection: string; ndcg10: Map<string, number> };

async function runQueries({ name, corpus, queries }: Collection, peer: Peer, search: Search): Promise<Run> {
  const run: Run = new Map();
  const progress = showProgress(`${name}: ${peer.name}`, queries.length);
  for (const { id, text } of queries) {
    const { results } = await search(text);
    run.set(id, new Map(results.map(({ position, score }) => [corpus[position]?.id ?? '', score])));
    progress.advance(1);
  }
  progress.end();
  return run;
}

/** A title and text in one field, as the published figures have it. */
const toText = ({ title, text }: { title: string; text: string }) => `${title}\n${text}`.trim();

async function measurePeers(
  client: pg.Client,
  collection: Collection,
  { language, peers }: { language: Language; peers: Peer[] },
): Promise<[string, number][]> {
  const { corpus, queries, qrels } = collection;
  const stopWords = await findStopWords(client, [...new Set(queries.flatMap(({ text }) => wordsOf(text)))]);
  const measured: [string, number][] = [];
  for (const peer of peers) {
    const run = await peer.withIndex({ texts: corpus.map(toText), language, stopWords }, (search) =>
      runQueries(collection, peer, search),
    );
    measured.push([peer.name, measureDocuments(qrels, run).ndcg10]);
  }
  return measured;
}

async function measureService(service: RunningService, collection: Collection): Promise<number> {
  const { run } = await answerQueries(service, collection, await importCorpus(service, collection));
  return measureDocuments(collection.qrels, run).ndcg10;
}

/** Measures the service, which is called `ownName`, and the peers: each collection on a new service. */
export async function measureQuality(report: Report, ownName: string, installed: Peer[]): Promise<Quality[]> {
  const measured: Quality[] = [];
  for (const { name, language } of COLLECTIONS) {
    const folder = join(sharedCollections, name);
    if (!existsSync(folder)) {
      report.note(`The quality on ${name} was left out: ${folder} does not exist.`);
      continue;
    }
    report.progress(`quality on ${name}`);
    const collection = readCollection(folder);
    const ndcg10 = await withService(async (service) => {
      const own = await measureService(service, collection);
      return await withServiceDatabase(service, async (client) => {
        const peers = [createPostgresPeer(client), ...installed];
        const others = await measurePeers(client, collection, { language, peers });
        return new Map([[ownName, own], ...others]);
      });
    });
    measured.push({ collection: name, ndcg10 });
  }
  return measured;
}
