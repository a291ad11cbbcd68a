/**
 * The Model Context Protocol as agents use it: over HTTP at `/mcp`, and by the command over standard input and output.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, inject, test } from 'vitest';
import { exchange } from '../../../src/contract-check/requests/exchange.ts';
import { createKey, openAccount } from '../../harness/service/opened-account.ts';
import { root } from '../../harness/service/service-process.ts';

const account = await openAccount();
const { api } = account;
const searchKey = await createKey(account.name, undefined, { scope: 'search' });
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Travel', description: 'Rules' });
const content =
  `# Hotels\n\n${'Filler words come first. '.repeat(60)}A hotel may cost 120 euros.\n\n# ` +
  `Trains\n\nSecond class.`;
const { id: documentId } = await api.importTextContent({
  knowledgeBaseId,
  title: 'Travel rules',
  content,
  attributes: { year: 2026 },
  sourceUrl: 'https://example.com/travel',
});
await api.importTextContent({ knowledgeBaseId, title: 'Old', content: 'A hotel cost 90 euros.' });

const identity = { name: 'contract-tests', version: '1' };
const url = new URL(`${inject('address')}/mcp`);

async function overHttp(key: string, mode: 'legacy' | 'auto' = 'auto'): Promise<Client> {
  const client = new Client(identity, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

async function overStdio(key: string): Promise<Client> {
  const client = new Client(identity);
  const env = { PATH: process.env.PATH ?? '', KNOWLEDGE_URL: inject('address'), KNOWLEDGE_API_KEY: key };
  const args = ['bin/knowledge-retrieval.mjs', 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: root, env }));
  return client;
}

const READING = [
  'search',
  'read_document',
  'list_knowledge_bases',
  'list_documents',
  'list_attributes',
  'get_synonyms',
];
const toolsOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

/** Calls a tool. Returns its structured content, or the sentence of its refusal. */
async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { structuredContent, content: blocks, isError } = await client.callTool({ name, arguments: args });
  return isError
    ? { refusal: blocks.map((block) => (block.type === 'text' ? block.text : '')).join('') }
    : structuredContent;
}

type Found = { passages: { documentId: string; uri: string; text: string; start: number; end: number }[] };

describe.each([
  ['over HTTP', overHttp],
  ['over HTTP, by the protocol of 2025', (key: string) => overHttp(key, 'legacy')],
  ['over standard input and output', overStdio],
])('%s', async (_name, connect) => {
  const [writer, reader] = [await connect(account.apiKey), await connect(searchKey)];

  test('a key that may only search sees no tool that writes', async () => {
    expect(await toolsOf(writer)).toEqual([
      ...READING,
      'set_synonyms',
      'add_text',
      'update_text',
      'delete_text',
    ]);
    expect(await toolsOf(reader)).toEqual(READING);
  });

  test('search finds a passage with its source, and read_document its surroundings', async () => {
    const found = (await call(reader, 'search', {
      query: 'hotel price',
      filter: { type: 'eq', key: 'year', value: 2026 },
    })) as Found;
    expect(new Set(found.passages.map((passage) => passage.documentId))).toEqual(new Set([documentId]));
    const [{ uri, text, start, end } = { uri: '', text: '', start: 0, end: 0 }] = found.passages;
    expect(uri).toBe('https://example.com/travel');
    expect(found.passages[0]).toMatchObject({ knowledgeBase: 'Travel', attributes: { year: 2026 } });
    expect(await call(reader, 'read_document', { documentId, offset: start, limit: end - start })).toEqual({
      documentId,
      text,
      start,
      end,
      length: content.length,
    });
  });

  test('search takes a mode, and refuses another word', async () => {
    const byWords = await call(reader, 'search', { query: 'hotel price', mode: 'words' });
    expect(byWords).toMatchObject({
      passages: expect.arrayContaining([expect.objectContaining({ title: 'Old' })]),
    });
    expect(JSON.stringify(byWords)).not.toContain('nearInMeaning');
    expect(await call(reader, 'search', { query: 'hotel', mode: 'vector' })).toMatchObject({
      refusal: expect.stringContaining('mode'),
    });
  });

  test('lists lead from the knowledge base to the document, page by page', async () => {
    const bases = await call(reader, 'list_knowledge_bases', {});
    expect(bases).toMatchObject({
      knowledgeBases: [{ knowledgeBaseId, name: 'Travel', description: 'Rules' }],
    });
    const first = await call(reader, 'list_documents', { knowledgeBaseId, titleContains: 'rules', limit: 1 });
    expect(first).toMatchObject({
      documents: [{ documentId, attributes: { year: 2026 } }],
    });
  });

  test('documents are resources', async () => {
    const { resources } = await reader.listResources();
    expect(resources).toContainEqual(
      expect.objectContaining({ uri: `knowledge://documents/${documentId}`, title: 'Travel rules' }),
    );
    const { contents } = await reader.readResource({ uri: `knowledge://documents/${documentId}` });
    const [{ text } = { text: '' }] = contents as { text: string }[];
    expect(text.split(/\s/)).toEqual(content.split(/\s/)); // white space between passages is a line break
  });

  test('a text that is added is found at once', async () => {
    const { id: ofTest } = await api.createKnowledgeBase({ name: 'Added' });
    const added = {
      knowledgeBaseId: ofTest,
      title: 'Numbat',
      content: 'The numbat eats termites.',
      externalId: 'n',
    };
    await call(writer, 'add_text', { ...added, content: 'The numbat sleeps.' }); // is replaced
    const { documentId: id } = (await call(writer, 'add_text', added)) as { documentId: string };
    expect(await call(reader, 'search', { query: 'numbat', knowledgeBaseIds: [ofTest] })).toMatchObject({
      passages: [{ documentId: id, text: 'The numbat eats termites.' }],
      omitted: 0,
    });
    await api.deleteKnowledgeBase(ofTest);
  });

  test('a text replaces none of people, whatever its externalId', async () => {
    const { id: ofTest } = await api.createKnowledgeBase({ name: 'Of people' });
    const ofPeople = {
      knowledgeBaseId: ofTest,
      title: 'Rules',
      content: 'By people.',
      externalId: 'rules.md',
    };
    const { id } = await api.importTextContent(ofPeople);
    expect(await call(writer, 'add_text', { ...ofPeople, content: 'By an agent.' })).toEqual({
      refusal: expect.stringMatching(/^"Rules" was not added by an agent, so it stays as it is/),
    });
    expect(await api.getDocument(id)).toMatchObject({ id, title: 'Rules' });
    await api.deleteKnowledgeBase(ofTest);
  });

  test('an argument as JSON text has the bounds of a body', async () => {
    const documentIds = JSON.stringify(Array.from({ length: 2_000 }, () => 1));
    expect(await call(reader, 'search', { query: 'hotel', documentIds })).toEqual({
      refusal: 'An argument must hold 1000 values at most: pass fewer at a time.',
    });
  });

  test('what the service refuses is told in its own sentence', async () => {
    const unknown = documentId.replace(/.{6}$/, 'ffffff');
    expect(await call(reader, 'read_document', { documentId: unknown })).toEqual({
      refusal: expect.stringMatching(/^There is no document with this id\. search /),
    });
    const filter = { type: 'equals', key: 'year', value: 2026 };
    expect(await call(reader, 'search', { query: 'hotel', filter })).toMatchObject({
      refusal: expect.stringContaining('filter.type must be one of eq, ne,'),
    });
  });
});

describe('the endpoint', () => {
  const send = async (init: RequestInit) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await fetch(url, { method: 'POST', ...init, headers: { ...headers, ...init.headers } });
    return { status: response.status, text: await response.text() };
  };
  const withKey = { 'x-api-key': account.apiKey };

  test('refuses a message without a key, with a wrong one and with one of another account’s data', async () => {
    expect(await send({ body: '{}' })).toMatchObject({ status: 401 });
    expect(await send({ body: '{}', headers: { authorization: 'Bearer x' } })).toMatchObject({ status: 401 });
    const stranger = await overHttp((await openAccount()).apiKey);
    expect(await call(stranger, 'search', { query: 'hotel' })).toEqual({ passages: [], omitted: 0 });
    expect(await call(stranger, 'read_document', { documentId })).toHaveProperty('refusal');
  });

  test('403 KEY_NOT_PERMITTED: a Host header that is no name', async () => {
    const headers = {
      ...withKey,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    for (const host of ['a b', '[', 'a/../b']) {
      const sent = { method: 'POST', path: '/mcp', headers: { ...headers, host }, body };
      const { status, text } = await exchange(inject('address'), sent);
      expect({ host, status }).toEqual({ host, status: 403 });
      expect(text).toContain('KEY_NOT_PERMITTED');
    }
  });

  test('accepts a notification, which has no answer', async () => {
    const body = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    expect(await send({ body, headers: withKey })).toEqual({ status: 202, text: '' });
  });

  test('the listeners of one account leave room for those of others', async () => {
    let ending = new AbortController();
    const listen = async (apiKey: string) => {
      const names = ['protocolVersion', 'clientCapabilities', 'clientInfo'];
      const values = ['2026-07-28', {}, identity];
      const _meta = Object.fromEntries(
        names.map((name, i) => [`io.modelcontextprotocol/${name}`, values[i]]),
      );
      const params = { notifications: { toolsListChanged: true }, _meta };
      const { status, body } = await fetch(url, {
        method: 'POST',
        headers: {
          'x-api-key': apiKey,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'subscriptions/listen',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }),
        signal: ending.signal,
      });
      const { value } = (await body?.getReader().read()) ?? {};
      return { status, text: new TextDecoder().decode(value) };
    };
    const acknowledged = { status: 200, text: expect.stringContaining('acknowledged') };
    const [greedy, other] = [await openAccount(), await openAccount()];
    for (let i = 0; i < 32; i++) expect(await listen(greedy.apiKey)).toEqual(acknowledged);
    expect(await listen(greedy.apiKey)).toMatchObject({ status: 503 });
    expect(await listen(other.apiKey)).toEqual(acknowledged);
    ending.abort();
    ending = new AbortController();
    await expect.poll(async () => await listen(greedy.apiKey)).toEqual(acknowledged);
    ending.abort();
  });

  test('refuses what is no message, and other methods', async () => {
    expect(await send({ body: '{"jsonrpc', headers: withKey })).toMatchObject({ status: 422 });
    expect(await send({ body: ' '.repeat(2 ** 22 + 1), headers: withKey })).toMatchObject({ status: 413 });
    expect(await send({ body: '[]', headers: withKey })).toMatchObject({ status: 400 });
    expect(
      await send({ body: '{"jsonrpc":"2.0","id":1,"method":"no/such"}', headers: withKey }),
    ).toMatchObject({
      text: expect.stringContaining('-32601'),
    });
    expect(await send({ method: 'GET', headers: withKey })).toMatchObject({ status: 405 });
    expect(await send({ method: 'PATCH', headers: withKey })).toMatchObject({ status: 405 });
  });
});

test('the command ends with a sentence when there is no service, or no key for it', async () => {
  const { spawnCommand } = await import('../../harness/service/command-line.ts');
  const environment = {
    PATH: process.env.PATH,
    DATA_DIR: '/nonexistent',
    KNOWLEDGE_URL: 'http://127.0.0.1:9',
  };
  const without = await spawnCommand(environment, 'mcp');
  expect(without).toMatchObject({ code: 1, output: '', complaints: expect.stringContaining('Give the key') });
  const wrong = await spawnCommand({ ...environment, KNOWLEDGE_URL: inject('address') }, 'mcp', '--key', 'x');
  expect(wrong).toMatchObject({ code: 1, complaints: expect.stringContaining('API key') });
});

test('a page of a stranger is refused at /mcp, also under a name that leads to this machine', async () => {
  const port = url.port;
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const send = async (headers: Record<string, string>) => {
    const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const { status } = await exchange(inject('address'), {
      method: 'POST',
      path: '/mcp',
      headers: { ...accept, 'x-api-key': account.apiKey, ...headers },
      body: JSON.stringify(message),
    });
    return status;
  };
  const rebound = `http://evil.example:${port}`;
  const strangers = [
    { origin: rebound },
    { origin: 'null' },
    { host: `evil.example:${port}` },
    { host: `evil.example:${port}`, origin: rebound },
    { host: `127.0.0.1.evil.example:${port}` },
  ];
  for (const headers of strangers) expect([headers, await send(headers)]).toEqual([headers, 403]);
  const own = [{}, { host: `localhost:${port}`, origin: `http://localhost:${port}` }, { origin: url.origin }];
  for (const headers of own) expect([headers, await send(headers)]).toEqual([headers, 200]);
});

test('an agent with a token that carries a filter finds and lists nothing else, and no tool that writes', async () => {
  const agent = await overHttp((await api.createToken({ filter: 'year = 2026' })).token);
  expect(await toolsOf(agent)).toEqual(READING);
  const { passages } = (await call(agent, 'search', { query: 'hotel' })) as Found;
  expect(new Set(passages.map((passage) => passage.documentId))).toEqual(new Set([documentId]));
  const listed = JSON.stringify(await call(agent, 'list_documents', { knowledgeBaseId }));
  expect([listed.includes('Travel rules'), listed.includes('"Old"')]).toEqual([true, false]);
});
