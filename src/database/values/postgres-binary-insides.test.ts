/** PostgreSQL reads the binary forms of arrays, jsonb and bits that the service writes. */
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createBinaryArray, elementTypes, JSONB_VERSION } from './postgres-binary-insides.ts';

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client(inject('connection'));
  await client.connect();
});
afterAll(() => client.end());

/** What PostgreSQL has read of an array of this type: its dimensions, and its elements as text. */
async function readBack(array: Buffer, type: string) {
  const { rows } = await client.query(
    `SELECT array_dims(given) AS dimensions, to_jsonb(given) AS elements FROM (SELECT $1::${type}[] AS given) AS row`,
    [array],
  );
  return rows[0];
}

const CHANGED = 'PostgreSQL reads binary arrays differently: see postgres-binary-insides.ts';

test('integers, with NULL', async () => {
  const array = createBinaryArray(elementTypes.integer);
  for (const value of [0, -1, null, 2 ** 31 - 1, -(2 ** 31)]) array.addInteger(value);
  expect(await readBack(array.toBuffer(), 'integer'), CHANGED).toEqual({
    dimensions: '[1:5]',
    elements: [0, -1, null, 2 ** 31 - 1, -(2 ** 31)],
  });
});

test('texts', async () => {
  const array = createBinaryArray(elementTypes.text);
  const texts = ['', 'a, "b" {c} \\ NULL', 'Größe 灯塔 𝒜', 'NULL', 'x'.repeat(100_000)];
  for (const text of texts) array.addText(text);
  expect((await readBack(array.toBuffer(), 'text')).elements, CHANGED).toEqual(texts);
});

test('bits, with NULL', async () => {
  const array = createBinaryArray(elementTypes.varbit);
  for (const bytes of [Uint8Array.of(0x80, 0x01), undefined, new Uint8Array(), Uint8Array.of(0xa5)])
    array.addBits(bytes);
  expect((await readBack(array.toBuffer(), 'bit varying')).elements, CHANGED).toEqual([
    '1000000000000001',
    null,
    '',
    '10100101',
  ]);
});

test('jsonb', async () => {
  const array = createBinaryArray(elementTypes.jsonb);
  const objects = [{}, { 'a"b': 1, 灯塔: 2 }];
  for (const object of objects) {
    const bytes = Buffer.concat([Buffer.of(JSONB_VERSION), Buffer.from(JSON.stringify(object))]);
    array.add(bytes.length, (buffer, start) => bytes.copy(buffer, start));
  }
  expect(
    (await readBack(array.toBuffer(), 'jsonb')).elements,
    'PostgreSQL reads another version of binary jsonb: see postgres-binary-insides.ts',
  ).toEqual(objects);
});
