/** No operation is served before the spec says which keys may call it. */
import { expect, test, vi } from 'vitest';
import { createDispatch } from './dispatch.ts';
import * as spec from './spec.ts';

vi.mock(import('./spec.ts'), { spy: true });

type Operations = { paths: Record<string, { post: Record<string, unknown> }> };

const startWith = async (scope: string | undefined) => {
  const { paths, ...rest } = spec.readSpec() as spec.Spec & Operations; // as OpenAPI has it
  const changed = { post: { ...paths['/v1/deleteDocument']?.post, 'x-required-scope': scope } };
  const edited: spec.Spec & Operations = { ...rest, paths: { ...paths, '/v1/deleteDocument': changed } };
  vi.mocked(spec.readSpec).mockReturnValueOnce(edited);
  const unused = () => expect.unreachable();
  await createDispatch({ authenticate: unused, limitRate: unused, answer: unused });
};

test.each([undefined, 'everything'])(
  'a server does not start with an operation of scope %s',
  async (scope) => {
    await expect(startWith(scope)).rejects.toThrow('deleteDocument has no x-required-scope');
  },
);

test('a server starts where every operation has a scope', async () => {
  await startWith('write');
});
