/** Forges upload and download addresses in every way that we know. The same seed makes the same forgeries. */
import fc from 'fast-check';
import { inject } from 'vitest';
import { requireContract } from '../../../src/contract-check/requests/answer-contract.ts';
import { parseAnswers, sendSlices } from '../../harness/calls/raw-socket.ts';
import { type readFuzzSettings, sampleAt } from '../../harness/fuzz/fuzz.ts';

/** Changes `url`. `other` is another good address of the same account. */
export type Change = (url: URL, other: URL) => unknown;

export const setParameter =
  (name: string, value: string): Change =>
  ({ searchParams }) =>
    searchParams.set(name, value);

export const setPath =
  (pathname: string): Change =>
  (url) =>
    Object.assign(url, { pathname });

/** Each key describes the changed address, of an upload or a download. */
export const CHANGES: Record<string, Change> = {
  'a later expiry': setParameter('expires', String(Date.now() + 86_400_000)),
  'a negative expiry': setParameter('expires', '-1'),
  'an expiry of 400 digits': setParameter('expires', '9'.repeat(400)),
  'no signature': ({ searchParams }) => searchParams.delete('signature'),
  'a signature of the right length': setParameter('signature', 'A'.repeat(43)),
  'the signature of another file': ({ searchParams }, other) =>
    searchParams.set('signature', other.searchParams.get('signature') ?? ''),
  'the path of another file': (url, { pathname }) => setPath(pathname)(url, url),
  'no parameters': (url) => Object.assign(url, { search: '' }),
  'its parameters in another order': ({ searchParams }) => searchParams.sort(),
  'an additional parameter': ({ searchParams }) => searchParams.append('a', 'b'),
};

/** A request to an address that the service has not issued. */
type Forgery = { method: string; path: string };

/** The parts of an address. They are joined in the order of the parameters. */
type Parts = { path: string; parameters: [name: string, value: string][] };
type Forge = (own: Parts, other: Parts) => Parts;

const read = (address: string): Parts => {
  const { pathname, searchParams } = new URL(address, 'http://service');
  return { path: pathname, parameters: [...searchParams] };
};

const write = ({ path, parameters }: Parts): string =>
  `${path}?${parameters.map(([name, value]) => `${name}=${value}`).join('&')}`;

/** Characters of addresses, and percent-encoded ones. */
const CHARACTERS = [...'abcdefXYZ0123456789-_=.~+/%&?', '%00', '%2F', '%3D', '%E0', '%30'];

/** One edit of a text: replaces, inserts or deletes a character, or cuts off the rest. */
const textEdit: fc.Arbitrary<(text: string) => string> = fc
  .tuple(fc.nat(1000), fc.constantFrom(...CHARACTERS), fc.nat(3))
  .map(([pick, character, kind]) => (text) => {
    const at = pick % (text.length + 1);
    const start = text.slice(0, at);
    if (kind === 0) return start + character + text.slice(at + 1);
    if (kind === 1) return start + character + text.slice(at);
    return kind === 2 ? start + text.slice(at + 1) : start;
  });

const inPath =
  (change: (path: string) => string): Forge =>
  ({ path, parameters }) => ({ path: change(path), parameters });

const inParameters =
  (change: (parameters: Parts['parameters']) => Parts['parameters']): Forge =>
  ({ path, parameters }) => ({ path, parameters: change(parameters) });

const onValue = (name: string, change: (value: string) => string): Forge =>
  inParameters((all) => all.map(([each, value]) => [each, each === name ? change(value) : value]));

const onName = (name: string, change: (name: string) => string): Forge =>
  inParameters((all) => all.map(([each, value]) => [each === name ? change(each) : each, value]));

/** Swaps the case of every letter. */
const otherCase = (text: string) => text.replace(/[a-zA-Z]/g, (letter) => swapCase(letter));
const swapCase = (letter: string) =>
  letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();

/** Percent-encodes one character. */
const escapeAt = (text: string, pick: number): string => {
  const at = pick % text.length;
  return `${text.slice(0, at)}%${text.charCodeAt(at).toString(16)}${text.slice(at + 1)}`;
};

const names = fc.constantFrom('size', 'expires', 'account', 'key', 'signature');
const randomSignature = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('base64url'));

const anyForge: fc.Arbitrary<Forge> = fc.oneof<fc.Arbitrary<Forge>[]>(
  fc.tuple(names, textEdit).map(([name, edit]) => onValue(name, edit)),
  textEdit.map((edit) => inPath((path) => `/${edit(path.slice(1))}`)),
  fc
    .tuple(names, fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }))
    .map(([name, number]) => onValue(name, () => String(number))),
  fc
    .tuple(fc.constantFrom('size', 'expires'), fc.integer({ min: 1, max: 100_000_000 }))
    .map(([name, more]) => onValue(name, (value) => String(Number(value) + more))),
  fc.constantFrom('0', '+', '-', '%20').map((start) => onValue('size', (value) => start + value)),
  randomSignature.map((signature) => onValue('signature', () => signature)),
  names.map((name) => (own, other) => {
    const value = other.parameters.find(([each]) => each === name)?.[1] ?? '';
    return onValue(name, () => value)(own, other);
  }),
  fc.constant((own, other) => ({ ...own, path: other.path })),
  names.map((name) => inParameters((all) => all.filter(([each]) => each !== name))),
  // Reorders the parameters, or repeats one with its own value or another.
  fc
    .shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 })
    .map((order) => inParameters((all) => order.flatMap((index) => all.slice(index, index + 1)))),
  fc.tuple(fc.nat(4), fc.nat(2), textEdit).map(([from, kind, edit]) =>
    inParameters((all) => {
      const again = all
        .slice(from, from + 1)
        .map(([name, value]): [string, string] => [name, kind === 0 ? value : edit(value)]);
      return kind === 1 ? [...again, ...all] : [...all, ...again];
    }),
  ),
  fc.tuple(names, textEdit).map(([name, edit]) => onName(name, edit)),
  names.map((name) => onName(name, otherCase)),
  names.map((name) => onValue(name, otherCase)),
  fc.constant(inPath(otherCase)),
  fc.tuple(names, fc.nat(50)).map(([name, pick]) => onValue(name, (value) => escapeAt(value, pick))),
  fc.nat(80).map((pick) => inPath((path) => `/${escapeAt(path.slice(1), pick)}`)),
  fc
    .constantFrom('/', '//', '/.', '/..', '/x', ';a=b', '%00', '%2f', '.txt')
    .map((end) => inPath((path) => path + end)),
  fc.constantFrom('/', '/.', '/x/..', '/v1', '/docs').map((start) => inPath((path) => start + path)),
  fc
    .constantFrom<[string, string][]>(['a', 'b'], ['', ''], ['signature', ''])
    .map((more) => inParameters((all) => [...all, more])),
);

/** The method of the addresses. */
type Method = 'PUT' | 'GET';

/** Methods that no address of the other method takes. */
const WRONG_METHODS: Record<Method, string[]> = {
  PUT: ['POST', 'PATCH', 'DELETE', 'GET'],
  GET: ['POST', 'PATCH', 'DELETE', 'PUT'],
};

const forgeryOf = (method: Method) =>
  fc.record({
    forges: fc.array(anyForge, { minLength: 1, maxLength: 3 }),
    /** Undefined: the right method, to the forged address. Otherwise this one, to the address as it was issued. */
    wrongMethod: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      fc.constantFrom(...WRONG_METHODS[method]),
    ),
  });

/** The forgery number `index` of the address `own`. `other` is another valid address. The result is never valid. */
function forgeAddress(
  own: string,
  other: string,
  { method, seed, index }: { method: Method; seed: number; index: number },
): Forgery {
  const forged = forgeryOf(method).map(({ forges, wrongMethod }): Forgery => {
    const parts = forges.reduce((changed, forge) => forge(changed, read(other)), read(own));
    return wrongMethod === undefined ? { method, path: write(parts) } : { method: wrongMethod, path: own };
  });
  const isForged = (each: Forgery) => each.method !== method || (each.path !== own && each.path !== other);
  return sampleAt(
    forged.filter((each) => isForged(each)),
    seed,
    index,
  );
}

/** The number of requests that are sent on one connection without waiting for answers. */
const PIPELINE = 100;

/** Sends the forged requests with this body. Returns each with its answer, as `method path status`. */
async function sendForgeries(forgeries: Forgery[], body: string): Promise<string[]> {
  const bytes = forgeries.map(({ method, path }, index) => {
    const connection = index === forgeries.length - 1 ? 'close' : 'keep-alive';
    const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
    return `${method} ${path} HTTP/1.1\r\nHost: a\r\n${length}Connection: ${connection}\r\n\r\n${body}`;
  });
  const target = { address: inject('address'), timeoutMs: 30_000 };
  const answers = parseAnswers((await sendSlices([Buffer.from(bytes.join(''))], target)).received);
  for (const answer of answers) requireContract(undefined, answer);
  return forgeries.map(({ method, path }, index) => `${method} ${path} ${answers[index]?.status}`);
}

/** Refused for the signature, the path, the method, or because the target is no URL. The page at `/` is no file. */
const REFUSED = / (401|404|405|400)$|^GET \/\?/;

/**
 * Sends forgeries of the address `own` with `body`.
 * @returns those that were not refused, with their answers
 */
export async function findAcceptedForgeries(
  [own, other]: [own: string, other: string],
  { method, body = '' }: { method: Method; body?: string },
  { seed, from, count }: ReturnType<typeof readFuzzSettings>,
): Promise<string[]> {
  const accepted: string[] = [];
  for (let index = from; index < from + count; index += PIPELINE) {
    const forgeries = Array.from({ length: Math.min(PIPELINE, from + count - index) }, (_, offset) =>
      forgeAddress(own, other, { method, seed, index: index + offset }),
    );
    accepted.push(...(await sendForgeries(forgeries, body)).filter((line) => !REFUSED.test(line)));
  }
  return accepted;
}
