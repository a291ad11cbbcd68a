/**
 * Makes a knowledge base of many passages out of an imported one: its rows are copied by SQL under new ids, and each
 * passage gets a vector of its own. A million imports would take an hour.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ModelSpace } from '../../../src/meaning/model/model-space.ts';
import { lengthOf, packVector } from '../../../src/meaning/passage-vectors.ts';
import { createNearest, makeVectors } from './made-vectors.ts';

/** Tables with rows of each document, and the column of its id. */
const COPIED = { documents: 'id', passages: 'document_id', passage_lexemes: 'document_id' };
/** Counts of a knowledge base, which grow with its copies. */
const COUNTS = {
  knowledge_base_statistics: ['document_count', 'storage_bytes', 'passage_count', 'passage_length_total'],
  language_statistics: ['passage_count'],
  document_frequencies: ['passage_count'],
};

async function readColumns(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Copies all documents, until each is there `times` times. The index of words is built at the end: that is faster. */
export async function copyDocuments(client: pg.Client, times: number): Promise<void> {
  const { rows } = await client.query<{ name: string; text: string }>(
    `SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS text FROM pg_index
     WHERE indrelid = 'passage_lexemes'::regclass AND NOT indisprimary`,
  );
  await client.query('BEGIN');
  await client.query('SET LOCAL session_replication_role = replica'); // no foreign keys are checked
  await client.query(`SET LOCAL maintenance_work_mem = '1GB'`);
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  for (const [table, id] of Object.entries(COPIED)) {
    const columns = await readColumns(client, table);
    const values = columns.map((column) =>
      column === id ? `md5(${id}::text || copy)::uuid` : `"${column}"`,
    );
    await client.query(
      `INSERT INTO ${table} (${columns.map((column) => `"${column}"`)})
       SELECT ${values} FROM ${table}, generate_series(2, ${times}) AS copy`,
    );
  }
  for (const [table, columns] of Object.entries(COUNTS))
    await client.query(`UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} * ${times}`)}`);
  for (const { text } of rows) await client.query(text);
  await client.query('COMMIT');
}

type FilledDocument = { knowledgeBaseId: string; id: string; accountId: string; passageCount: number };

/** A passage as the rows name it: `<id of its document> <position>`. */
export const keyOf = (documentId: string, position: number): string => `${documentId} ${position}`;

/** The passages of all documents, in an order that stays. */
async function readPassages(client: pg.Client): Promise<{ document: FilledDocument; position: number }[]> {
  const { rows } = await client.query<FilledDocument>(
    `SELECT knowledge_base_id AS "knowledgeBaseId", id, account_id AS "accountId", passage_count AS "passageCount"
     FROM documents ORDER BY id`,
  );
  return rows.flatMap((document) =>
    Array.from({ length: document.passageCount }, (_, i) => ({ document, position: i + 1 })),
  );
}

/** `queries`: vectors of the model. `most`: of the nearest passages of each. */
type Filling = { generation: number; space: ModelSpace; queries: Float32Array[]; most: number };

/** Rows of `passage_vectors` as COPY reads them. `compare` gets each vector in the space. */
function* makeRows(
  passages: Awaited<ReturnType<typeof readPassages>>,
  { generation, space }: Filling,
  compare: (place: number, vector: Float32Array) => void,
): Generator<string> {
  let place = 0;
  for (const made of makeVectors(passages.length)) {
    const passage = passages[place];
    const vector = space.toSpace(made);
    if (passage === undefined || vector === undefined) throw new Error('a passage without a vector');
    compare(place++, vector);
    const { knowledgeBaseId, id, accountId } = passage.document;
    const bits = `x${Buffer.from(packVector(vector)).toString('hex')}`;
    yield `${[knowledgeBaseId, id, accountId, passage.position, generation, bits].join('\t')}\n`;
  }
}

/**
 * Gives each passage a vector of its own, in place of those that it has.
 * @returns for each query the keys of the passages nearest to it by the numbers themselves, the nearest first
 */
export async function fillVectors(client: pg.Client, filling: Filling): Promise<string[][]> {
  const passages = await readPassages(client);
  const nearest = filling.queries.map((query) => {
    const vector = filling.space.toSpace(query);
    if (vector === undefined) throw new Error('a query without a vector');
    return createNearest(vector, filling.most);
  });
  const compare = (place: number, vector: Float32Array) => {
    const length = lengthOf(vector);
    for (const each of nearest) each.compare(place, vector, length);
  };
  await client.query('SET session_replication_role = replica'); // no foreign keys are checked
  await client.query('TRUNCATE passage_vectors');
  await pipeline(
    Readable.from(makeRows(passages, filling, compare)),
    client.query(
      copyFrom(
        'COPY passage_vectors (knowledge_base_id, document_id, account_id, "position", generation, vector) FROM STDIN',
      ),
    ),
  );
  return nearest.map((each) =>
    each.found().map(({ place }) => {
      const passage = passages[place];
      return passage === undefined ? '' : keyOf(passage.document.id, passage.position);
    }),
  );
}
