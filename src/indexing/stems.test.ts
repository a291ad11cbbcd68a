/** The connections over which the stems of a document come. */
import { expect, test } from 'vitest';
import type { Queryable } from '../database/connection/database.ts';
import { createDocumentStem, type StemOver } from './stems.ts';

const transaction = {} as Queryable; // only its identity matters here

/** A stemmer that answers over a transaction only, as if all other connections were taken. */
const overTransactionOnly: StemOver = async (_language, words, over) =>
  over === transaction ? words : await new Promise(() => {});

test('stems that wait for a connection come over that of the transaction when it has begun', async () => {
  const { stem, stemOver } = createDocumentStem(overTransactionOnly);
  const waiting = stem('english', ['early']);
  stemOver(transaction);
  expect(await Promise.all([waiting, stem('english', ['late'])])).toEqual([['early'], ['late']]);
});

test('an error before the transaction is thrown, one of another connection after its beginning is not', async () => {
  const failing = Promise.withResolvers<string[]>();
  const failsElsewhere: StemOver = async (_language, words, over) =>
    over === transaction ? words : await failing.promise;
  const { stem, stemOver } = createDocumentStem(failsElsewhere);
  const early = stem('english', ['early']);
  stemOver(transaction);
  failing.reject(new Error('away'));
  expect(await early).toEqual(['early']);
  const other = createDocumentStem(failsElsewhere);
  await expect(other.stem('english', ['early'])).rejects.toThrow('away');
});
