/** No operation is served before the spec says which keys may call it. */
import { expect, test } from 'vitest';
import { createDispatch } from './dispatch.ts';
import { readSpec, type Spec } from './spec.ts';

type Operations = { paths: Record<string, { post: Record<string, unknown> }> };

const startWith = async (scope: string | undefined) => {
  const { paths, ...rest } = readSpec() as Spec & Operations; // as OpenAPI has it
  const changed = { post: { ...paths['/v1/deleteDocument']?.post, 'x-required-scope': scope } };
  const edited: Spec & Operations = { ...rest, paths: { ...paths, '/v1/deleteDocument': changed } };
  const unused = () => expect.unreachable();
  await createDispatch({ authenticate: unused, limitRate: unused, answer: unused }, { spec: edited });
};

test.each([undefined, 'everything'])(
  'a server does not start with an operation of scope %s',
  async (scope) => {
    await expect(startWith(scope)).rejects.toThrow('deleteDocument has no x-required-scope');
  },
);

test('a server does not start with an operation that keys with a filter may call without a decision', async () => {
  await expect(startWith('search')).rejects.toThrow('x-keys-with-filter');
});

test('a server starts where every operation has a scope', async () => {
  await startWith('write');
});
