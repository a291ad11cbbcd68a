/** Checks that everything in the spec is described: the reference at /docs and the client's types are made of it. */
import { describe, expect, test } from 'vitest';
import {
  examplesOf,
  operations,
  responses,
  type Schema,
  schemas,
} from '../../../src/contract-check/spec/read-spec.ts';

/** A sentence: it starts with a capital letter, a digit or quoted code, ends with a full stop, and is no mere word. */
const SENTENCE = /^[A-Z0-9`][\s\S]{8,}\.$/;

const isDescribed = ({ description = '' }: { description?: string }): boolean => SENTENCE.test(description);

/** The paths of a schema and its parts that lack a description. Items need one only if they have fields. */
function undescribed(schema: Schema, path: string): string[] {
  const properties = Object.entries(schema.properties ?? {});
  return [
    ...(isDescribed(schema) || schema.oneOf !== undefined ? [] : [path]),
    ...properties.flatMap(([name, property]) => undescribed(property, `${path}.${name}`)),
    ...(schema.items?.properties === undefined ? [] : undescribed(schema.items, `${path}[]`)),
    ...(schema.oneOf ?? []).flatMap((alternative) => undescribed(alternative, path)),
  ];
}

test.each(Object.entries(schemas))('schema %s is described with all its fields', (name, schema) => {
  expect(undescribed(schema, name)).toEqual([]);
});

describe.each(operations)('$operationId', ({ summary, description, parameters = [], requestBody }) => {
  test('is described, and its summary is a title', () => {
    expect(description).toMatch(SENTENCE);
    expect(summary).toMatch(/^[A-Z][^.]{5,50}$/);
  });

  test('describes its inputs and shows an example of each', () => {
    const body = requestBody?.content['application/json']?.schema;
    expect(body === undefined ? [] : undescribed(body, 'body')).toEqual([]);
    expect(parameters.filter((parameter) => !isDescribed(parameter))).toEqual([]);
    // No example of a cursor would work: only a list issues cursors.
    const lacking = parameters.filter(({ example, name }) => example === undefined && name !== 'cursor');
    expect(lacking).toEqual([]);
    if (body !== undefined && requestBody !== undefined)
      expect(examplesOf(requestBody.content)).not.toEqual([]);
  });
});

describe.each(responses)(
  '$operation.operationId $status',
  ({ status, description, content, headers = {} }) => {
    test('has a description, described headers, and examples with titles', () => {
      expect(isDescribed({ description })).toBe(true);
      expect(Object.values(headers).filter((header) => !isDescribed(header))).toEqual([]);
      const summaries = examplesOf(content).map(([, example]) => example.summary);
      expect(summaries).not.toEqual([]);
      expect(summaries.filter((summary) => !/^[A-Z0-9]/.test(summary ?? ''))).toEqual([]);
    });

    test('names the status of its errorCode', () => {
      const schema = content['application/json'].schema;
      const codes = (schema.oneOf ?? [schema]).flatMap(({ properties }) => properties?.errorCode ?? []);
      const single = codes.filter(({ enum: values = [] }) => values.length === 1);
      const described = single.map(({ description }) => description);
      // `default` documents one such code, the storage limit, which has status 403.
      const expected = status === 'default' ? '403' : status;
      expect(described).toEqual(single.map(() => `Comes with status ${expected} and no other.`));
    });
  },
);
