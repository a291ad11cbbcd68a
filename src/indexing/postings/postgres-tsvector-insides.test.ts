/** PostgreSQL reads the binary tsvectors that the service writes. */
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createBinaryArray, elementTypes } from '../../database/values/postgres-binary-insides.ts';
import { createDocumentPostings } from './postings.ts';
import { createTokenIds } from './token-ids.ts';

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client(inject('connection'));
  await client.connect();
});
afterAll(() => client.end());

const POSITIONS_MAX = 255;

test('lexemes in any order, with their positions and weights', async () => {
  const ids = createTokenIds();
  const postings = createDocumentPostings(ids);
  const text = (tokens: string[]) => ({ tokens: tokens.map(ids.ofText), stackedTokens: [], stackedAt: [] });
  const column = createBinaryArray(elementTypes.tsvector);
  const itself = { lexeme: (token: number) => token, alternative: () => undefined };
  const add = (title: string[], headings: string[], content: string[]): void =>
    postings.addPassage(
      { lexemes: column, vector: createBinaryArray(elementTypes.varbit) },
      { title: text(title), headings: text(headings), content: text(content) },
      { lexemes: itself, vectors: undefined },
    );
  add(['z'], ['it’s'], ['灯塔', 'a']);
  add([], [], ['b', ...Array.from({ length: 300 }, () => 'often')]);
  const { rows } = await client.query(
    `SELECT lexeme, positions, weights FROM unnest($1::tsvector[]) WITH ORDINALITY AS passage (lexemes, number),
      unnest(lexemes) WHERE lexeme !~ '^/' ORDER BY number, lexeme COLLATE "C"`,
    [column.toBuffer()],
  );
  const often = { lexeme: 'often', weights: Array.from({ length: POSITIONS_MAX }, () => 'D') };
  expect(
    rows,
    'PostgreSQL reads binary tsvectors differently: see postgres-tsvector-insides.ts',
  ).toMatchObject([
    { lexeme: 'a', positions: [7], weights: ['D'] },
    { lexeme: 'it’s', positions: [5], weights: ['B'] },
    { lexeme: 'z', positions: [1, 2, 3, 4], weights: ['A', 'A', 'A', 'A'] },
    { lexeme: '灯塔', positions: [6], weights: ['D'] },
    { lexeme: 'b', positions: [1], weights: ['D'] },
    { ...often, positions: Array.from({ length: POSITIONS_MAX }, (_, i) => i + 2) },
  ]);
});
