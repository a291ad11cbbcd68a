/** Lists give one page when awaited, and all items with `for await`; against a scripted server. */
import { expect, test } from 'vitest';
import {
  answer,
  connectTo,
  errorOf,
  type Respond,
  refuse,
  useScriptedServer,
} from '../testing/scripted-server.ts';

const server = useScriptedServer();
const connect = () => connectTo(server);

const page = (ids: string[], nextCursor: string | null): Respond =>
  answer(200, {
    success: true,
    data: ids.map((id) => ({ id })),
    pagination: { hasMore: nextCursor !== null, nextCursor },
  });
const THREE_PAGES = [page(['a', 'b'], 'x'), page(['c'], 'y'), page(['d'], null)];

async function idsOf(list: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

test('every list: `for await` gives the items of all pages, `await` those of the one page', async () => {
  const client = connect();
  const lists = [
    [() => client.listDocuments({ knowledgeBaseId: 'k', limit: 2 }), 'knowledgeBaseId=k&limit=2'],
    [() => client.listKnowledgeBases({ limit: 2 }), 'limit=2'],
    [() => client.listPassages({ documentId: 'd', limit: 2 }), 'documentId=d&limit=2'],
    [() => client.listWebhooks({ limit: 2 }), 'limit=2'],
  ] as const;
  for (const [list, query] of lists) {
    server.requests = [];
    server.script = [...THREE_PAGES];
    expect(await idsOf(list())).toEqual(['a', 'b', 'c', 'd']);
    const queries = server.requests.map(({ path }) => path.split('?')[1]);
    expect(queries).toEqual([query, `${query}&cursor=x`, `${query}&cursor=y`]);
    server.script = [...THREE_PAGES];
    expect((await list()).pagination).toEqual({ hasMore: true, nextCursor: 'x' });
    expect(server.requests).toHaveLength(4);
  }
});

test('a list begins at the caller’s cursor', async () => {
  server.script = [page(['c'], 'y'), page(['d'], null)];
  expect(await idsOf(connect().listKnowledgeBases({ cursor: 'x' }))).toEqual(['c', 'd']);
  expect(server.requests.map(({ path }) => path.split('?')[1])).toEqual(['cursor=x', 'cursor=y']);
});

test('one page is read ahead, and no further one', async () => {
  server.script = [...THREE_PAGES];
  const items = connect().listDocuments('k')[Symbol.asyncIterator]();
  for (const read of [2, 2, 3, 3]) {
    await items.next();
    await expect.poll(() => server.requests.length).toBe(read);
    // Another request would arrive within this time.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.requests).toHaveLength(read);
  }
  expect(await items.next()).toEqual({ done: true, value: undefined });
});

test('the error of a page is thrown after the items before it, and not at all when the loop has ended', async () => {
  const script = [page(['a', 'b'], 'x'), refuse(422, 'INPUT_VALIDATION_FAILED')];
  server.script = [...script];
  const seen: string[] = [];
  const reading = async () => {
    for await (const { id } of connect().listPassages('d')) seen.push(id);
  };
  expect(await errorOf(reading())).toMatchObject({ errorCode: 'INPUT_VALIDATION_FAILED' });
  expect(seen).toEqual(['a', 'b']);
  server.script = [...script];
  for await (const { id } of connect().listPassages('d')) if (id === 'a') break;
});
