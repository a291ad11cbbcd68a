/** openapi-backend looks up requests as the service expects it. */
import { type Document, OpenAPIBackend, type Request } from 'openapi-backend';
import { expect, test, vi } from 'vitest';
import { keepRoutes } from './openapi-backend-insides.ts';

const SPEC: Document = {
  openapi: '3.0.3',
  info: { title: 'one operation', version: '1' },
  paths: {
    '/find': {
      get: {
        operationId: 'find',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', default: 10 } },
          {
            name: 'filter',
            in: 'query',
            content: { 'application/json': { schema: { type: 'object', required: ['key'] } } },
          },
        ],
        responses: { 200: { description: 'what it has been asked' } },
      },
    },
  },
};

/** A backend that answers with the query that it has validated, and with what is wrong with it. */
async function open() {
  const api = new OpenAPIBackend({
    definition: structuredClone(SPEC),
    quick: true,
    coerceTypes: true,
    ajvOpts: { useDefaults: true, strict: false },
  });
  await api.init();
  const { router } = api;
  keepRoutes(api);
  api.register({
    find: ({ request }) => request.query,
    validationFail: ({ validation }) => validation.errors,
    notFound: () => 'not found',
    methodNotAllowed: () => 'not allowed',
  });
  const ask = (path: string, { method = 'GET', query = {} }: { method?: string; query?: object } = {}) => {
    const request = { method, path, headers: {}, query } as Request; // its type allows only text
    return api.handleRequest(request);
  };
  return { api, router, ask };
}

test('openapi-backend takes a query as it is parsed, validates it, and adds defaults', async () => {
  const { ask } = await open();
  const filter = { key: 'a', toString: 'b' };
  expect(
    await ask('/find', { query: { filter } }),
    'openapi-backend no longer asks `api.router` and `api.validator.router` for `parseRequest` and `parseRequestQuery`',
  ).toEqual({ filter, limit: 10 });
  expect(await ask('/find', { query: { filter: {} } })).toMatchObject([{ keyword: 'required' }]);
});

test('openapi-backend finds operations by our list, and says what it does not find', async () => {
  const { api, router, ask } = await open();
  const original = vi.spyOn(router, 'matchOperation');
  expect(await ask('/find')).toEqual({ limit: 10 });
  expect(original, 'openapi-backend no longer asks `api.router` for `matchOperation`').not.toHaveBeenCalled();
  expect(
    api.router.getOperations(),
    'openapi-backend no longer lists its operations by `router.getOperations`',
  ).toBe(api.validator.router.getOperations());
  expect(await ask('/lost')).toBe('not found');
  expect(await ask('/find', { method: 'POST' })).toBe('not allowed');
});
