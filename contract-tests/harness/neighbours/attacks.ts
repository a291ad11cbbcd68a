/**
 * Attacks of one account on a service that another account also uses. The attacker's key allows all of them.
 * Each attack once delayed other accounts for seconds or minutes.
 */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { createRandom, makeText } from '../documents/texts.ts';
import {
  type Account,
  type Answer,
  call,
  importFile,
  importText,
  put,
  requestUpload,
  send,
} from './account.ts';

export type Attack = {
  about: string;
  /** Runs before the neighbour is measured. */
  prepare?(account: Account): Promise<void>;
  /** Attacks until `untilMs` (by `performance.now()`). */
  run(account: Account, untilMs: number): Promise<void>;
  /** How long the service may be busy with it after its end, and so is measured then. */
  aftermathSeconds?: number;
};

/** The contract's longest text and query, in characters, and its largest file in bytes. */
const TEXT_LENGTH = 1_000_000;
const QUERY_LENGTH = 8_192;
const FILE_BYTES = 52_428_800;

/** Runs `clients` clients, each with one request at a time. */
async function inParallel(
  clients: number,
  untilMs: number,
  act: (client: number) => Promise<Answer | undefined>,
): Promise<void> {
  const one = async (client: number) => {
    while (performance.now() < untilMs) await act(client);
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => one(client)));
}

/** A text of `length` ideographs of CJK Extension B in a random order, another one for each `seed`. */
function randomIdeographs(length: number, seed: number): string {
  const random = createRandom(seed);
  const { from, count } = IDEOGRAPHS_B;
  return Array.from({ length }, () => String.fromCodePoint(from + Math.floor(random() * count))).join('');
}

/** A text of `length` characters of a Unicode block. Hardly any pair of neighbouring characters occurs twice. */
const distinctPairs = (length: number, { from, count }: { from: number; count: number }): string =>
  Array.from({ length }, (_, i) => String.fromCodePoint(from + ((i * 7_919) % count))).join('');

const IDEOGRAPHS = { from: 0x4e00, count: 20_000 };
const IDEOGRAPHS_B = { from: 0x20000, count: 42_000 };
const HANGUL = { from: 0xac00, count: 11_172 };

const KNOWLEDGE_BASES = 100;

/** Creates knowledge bases, each with the same text of distinct words. */
async function fillKnowledgeBases(account: Account): Promise<void> {
  const content = distinctPairs(QUERY_LENGTH, IDEOGRAPHS);
  const fill = async (name: string) => {
    const { data } = await call<{ id: string }>(account, 'createKnowledgeBase', { name });
    await importText({ ...account, knowledgeBaseId: data.id }, content);
  };
  await Promise.all(Array.from({ length: KNOWLEDGE_BASES }, (_, i) => fill(`Base ${i}`)));
}

const longQueries = (block: typeof HANGUL): Attack['run'] => {
  const query = distinctPairs(QUERY_LENGTH, block);
  return (account, untilMs) => inParallel(6, untilMs, () => call(account, 'query', { query }));
};

/** The beginning of the Universal Declaration of Human Rights, article 1, in languages with different stemmers. */
const LANGUAGES = [
  'All human beings are born free and equal in dignity and rights.',
  'Alle Menschen sind frei und gleich an Würde und Rechten geboren.',
  'Tous les êtres humains naissent libres et égaux en dignité et en droits.',
  'Todos los seres humanos nacen libres e iguales en dignidad y derechos.',
  'Todos os seres humanos nascem livres e iguais em dignidade e em direitos.',
  'Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti.',
  'Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.',
  'Alla människor är födda fria och lika i värde och rättigheter.',
  'Alle mennesker er født frie og lige i værdighed og rettigheder.',
  'Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.',
  'Minden emberi lény szabadon születik és egyenlő méltósága és joga van.',
  'Toate ființele umane se nasc libere și egale în demnitate și în drepturi.',
  'Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.',
  'Все люди рождаются свободными и равными в своем достоинстве и правах.',
];

const ACCENTED = Array.from('àáâãäåçèéêëìíîïñòóôõöùúûüýÿāăąćčďđēęěğıłńňőřśşšťůűźżžẽ');

/** Made-up words of accented letters, different ones for each `start`. */
function accentedWords(length: number, start: number): string {
  const letter = (i: number) => ACCENTED[((start + i) * 7_919 + i * i) % ACCENTED.length] ?? '';
  return Array.from({ length }, (_, i) => (i % 6 === 5 ? ' ' : letter(i))).join('');
}

type Connections = {
  connections: number;
  /** Sent at the start of each connection. */
  first?(apiKey: string): string;
  /** Sent at this interval, unless more than `maxWaitingBytes` wait to be sent. */
  next(apiKey: string): string;
  everyMs: number;
  maxWaitingBytes?: number;
  /** Whether a closed connection is opened again. */
  reopens: boolean;
};

/** Holds connections and sends on all of them, without regard to answers. */
const holdConnections =
  ({ connections, first, next, everyMs, maxWaitingBytes = Infinity, reopens }: Connections): Attack['run'] =>
  async ({ address, apiKey }, untilMs) => {
    const { hostname, port } = new URL(address);
    const open = () => {
      const socket = connect(Number(port), hostname).on('error', () => {});
      if (reopens) socket.resume();
      if (first !== undefined) socket.write(first(apiKey));
      return socket;
    };
    const sockets = Array.from({ length: connections }, open);
    const bytes = next(apiKey);
    while (performance.now() < untilMs) {
      await delay(everyMs);
      sockets.forEach((socket, i) => {
        if (socket.writable && socket.writableLength <= maxWaitingBytes) socket.write(bytes);
        else if (!socket.writable && reopens) sockets[i] = open();
      });
    }
    for (const socket of sockets) socket.destroy();
  };

/** Connections that announce a body and send a byte of it every second. */
const slowBodies = (connections: number, first: (apiKey: string) => string): Attack['run'] =>
  holdConnections({ connections, first, next: () => '1', everyMs: 1_000, reopens: false });

const post = (operation: string, apiKey: string, length: string): string =>
  `POST /v1/${operation} HTTP/1.1\r\nHost: a\r\nx-api-key: ${apiKey}\r\n` +
  `Content-Type: application/json\r\n${length}\r\n\r\n`;

/** PUTs one byte repeatedly to one upload address. */
const oneTicket =
  (connections: number): Attack['run'] =>
  async (account, untilMs) => {
    const upload = await requestUpload(account, 'byte.txt', 1);
    if (upload === undefined) throw new Error('no ticket');
    const byte = Buffer.from('x');
    await inParallel(connections, untilMs, () => put(account, upload.path, byte));
  };

/** A key that was never issued, with the right form and checksum. */
function makeUpKey(number: number): string {
  const body = `kr_${number.toString(16).padStart(24, '0')}_${'ab'.repeat(32)}`;
  return body + crc32(body).toString(16).padStart(8, '0');
}

/** Extraction once took two minutes for this document type declaration. */
const HOSTILE_XML = { fileName: 'hostile.xml', bytes: Buffer.from('<!DOCTYPE['.repeat(100_000)) };

/** Attacks by their names on the command line. */
export const ATTACKS: Record<string, Attack> = {
  'large-file': {
    about: 'a text file of 50 MiB',
    async run(account, untilMs) {
      const bytes = Buffer.from(makeText('english', 9_900_000, 1)); // more is refused by its length
      await importFile(account, { fileName: 'large.txt', bytes });
      await importFile(account, { fileName: 'larger.txt', bytes: Buffer.alloc(FILE_BYTES, bytes) });
      await delay(Math.max(0, untilMs - performance.now()));
    },
  },
  'large-texts': {
    about: '8 texts of 1,000,000 characters at a time, English',
    run(account, untilMs) {
      const content = makeText('english', TEXT_LENGTH, 2);
      return inParallel(8, untilMs, () => importText(account, content));
    },
  },
  'rare-texts': {
    about: '8 texts of 1,000,000 characters at a time, rare ideographs',
    run(account, untilMs) {
      const content = distinctPairs(TEXT_LENGTH, IDEOGRAPHS_B);
      return inParallel(8, untilMs, () => importText(account, content));
    },
  },
  'random-texts': {
    about:
      '8 texts of 1,000,000 random rare ideographs at a time, and 8 clients with 900 of them in each text',
    async run(account, untilMs) {
      const texts = Array.from({ length: 8 }, (_, i) => randomIdeographs(TEXT_LENGTH, i + 1));
      const short = randomIdeographs(40_000, 9);
      let count = 0;
      const next = () => {
        const from = (count++ * 1_000) % 38_000;
        return short.slice(from, from + 2 * 900); // UTF-16 units: with its title, a short text
      };
      await Promise.all([
        inParallel(8, untilMs, (client) => importText(account, texts[client] ?? '')),
        inParallel(8, untilMs, () => importText(account, next())),
      ]);
    },
    aftermathSeconds: 180,
  },
  'long-queries': {
    about: `6 queries of 8,192 characters at a time, over ${KNOWLEDGE_BASES} knowledge bases that hold each pair`,
    prepare: fillKnowledgeBases,
    run: longQueries(IDEOGRAPHS),
  },
  'long-words': { about: '6 queries of 8,192 syllables at a time', run: longQueries(HANGUL) },
  'accented-queries': {
    about: `6 queries of 999 accented letters at a time, over texts in ${LANGUAGES.length} languages`,
    async prepare(account) {
      for (const sentence of LANGUAGES) await importText(account, `${sentence} `.repeat(5));
    },
    run(account, untilMs) {
      let count = 0;
      return inParallel(6, untilMs, () => call(account, 'query', { query: accentedWords(999, ++count) }));
    },
  },
  'slow-files': {
    about: 'six XML files that are hard to parse',
    async run(account, untilMs) {
      for (let i = 0; i < 6; i++) await importFile(account, HOSTILE_XML);
      await delay(Math.max(0, untilMs - performance.now()));
    },
  },
  'one-ticket': { about: 'one upload address, 100 connections', run: oneTicket(100) },
  'one-ticket-1000': { about: 'one upload address, 1,000 connections', run: oneTicket(1_000) },
  'slow-bodies': {
    about: '12 connections that announce 12 MB each and send a byte a second',
    run: slowBodies(12, (apiKey) => post('importTextContent', apiKey, 'Content-Length: 12000000')),
  },
  'tiny-chunks': {
    about: '100 connections that send bodies in chunks of one byte',
    run: holdConnections({
      connections: 100,
      first: (apiKey) => `${post('importTextContent', apiKey, 'Transfer-Encoding: chunked')}5\r\n{"a":\r\n`,
      next: () => '1\r\nx\r\n'.repeat(200),
      everyMs: 20,
      maxWaitingBytes: 0,
      reopens: true,
    }),
  },
  pipelines: {
    about: '50 connections that send requests without waiting for answers',
    run: holdConnections({
      connections: 50,
      next: (apiKey) => `GET /v1/getBalance HTTP/1.1\r\nHost: a\r\nx-api-key: ${apiKey}\r\n\r\n`.repeat(200),
      everyMs: 20,
      maxWaitingBytes: 500_000,
      reopens: true,
    }),
  },
  'wrong-bodies': {
    about: 'queries with 19,000 wrong ids, 12 at a time',
    run(account, untilMs) {
      const knowledgeBaseIds = Array.from({ length: 19_000 }, (_, i) => i);
      return inParallel(12, untilMs, () => call(account, 'query', { query: 'x', knowledgeBaseIds }));
    },
  },
  replays: {
    about: 'a text of 12 MB with one Idempotency-Key, 6 at a time',
    run(account, untilMs) {
      const { apiKey, knowledgeBaseId } = account;
      const content = '\\ud83d\\ude00'.repeat(TEXT_LENGTH - 10);
      const body = `{"knowledgeBaseId":"${knowledgeBaseId}","title":"T","content":"${content}"}`;
      const headers = {
        'x-api-key': apiKey,
        'content-type': 'application/json',
        'idempotency-key': 'the same',
      };
      return inParallel(6, untilMs, () =>
        send(account, '/v1/importTextContent', { method: 'POST', headers, body }),
      );
    },
  },
  lists: {
    about: 'the 1,000 passages of a long text, 20 at a time',
    async run(account, untilMs) {
      const { data } = await importText(account, makeText('english', TEXT_LENGTH, 6));
      await inParallel(20, untilMs, () => call(account, `listPassages?documentId=${data.id}&limit=1000`));
    },
  },
  'slow-queries': {
    about: '200 connections that announce queries without a length and send a byte a second',
    run: slowBodies(200, (apiKey) => post('query', apiKey, 'Transfer-Encoding: chunked')),
  },
  'many-texts': {
    about: '300 small texts at a time',
    run(account, untilMs) {
      const content = makeText('english', 1_500, 3);
      return inParallel(300, untilMs, () => importText(account, content));
    },
  },
  'many-files': {
    about: '50 small files at a time',
    run(account, untilMs) {
      const bytes = Buffer.from(makeText('english', 1_500, 4));
      return inParallel(50, untilMs, () => importFile(account, { fileName: 'small.txt', bytes }));
    },
  },
  'many-queries': {
    about: '200 queries at a time',
    run(account, untilMs) {
      const query = makeText('english', 60, 5);
      return inParallel(200, untilMs, () => call(account, 'query', { query }));
    },
  },
  'made-up-keys': {
    about: 'keys that were never issued, 64 at a time',
    run(account, untilMs) {
      let count = 0;
      return inParallel(64, untilMs, () => {
        const headers = { 'x-api-key': makeUpKey(count++) };
        return send(account, '/v1/getBalance', { method: 'GET', headers });
      });
    },
  },
  'parallel-bodies': {
    about: '14 bodies of 50 MiB at a time to one upload address',
    async run(account, untilMs) {
      const bytes = Buffer.alloc(FILE_BYTES, 'text ');
      const upload = await requestUpload(account, 'parallel.txt', bytes.length);
      if (upload === undefined) throw new Error('no ticket');
      await inParallel(14, untilMs, () => put(account, upload.path, bytes));
    },
  },
};
