/**
 * Addresses of PostgreSQL, in the forms and with the meaning of libpq (PostgreSQL manual, 34.1.1 and 34.19). The driver
 * takes most of them; what it takes otherwise is rewritten here.
 */
import { WrongText } from './wrong-text.ts';

const FORM = 'be an address such as postgres://USER:PASSWORD@HOST:5432/DATABASE';

const SCHEME = /^postgres(?:ql)?:\/\//i;

/** Other notations of an address, and what to write instead. */
const NOTATIONS: [RegExp, string][] = [
  [/^["'`]/, 'stand without quotes'],
  [/^jdbc:/i, `${FORM}, without jdbc:`],
  [/^postgres(?:ql)?\+\w+:/i, `${FORM}, without a driver after postgres`],
  [/^\s*(?:host|hostaddr|port|dbname|user|password|service)\s*=/i, `${FORM}, not a list of key=value`],
];

/** Letters that end a password, or begin an encoded one. */
const LETTERS = [...'#/?@[]% '];

/** The letters of the user and the password that have to be encoded: `#` as `%23`. */
function findLetters(text: string): string[] {
  const rest = text.replace(SCHEME, '');
  const end = rest.lastIndexOf('@');
  const credentials = end === -1 ? rest : rest.slice(0, end);
  const wrong = credentials.replaceAll(/%[0-9a-f]{2}/gi, '');
  return LETTERS.filter((letter) => wrong.includes(letter));
}

const describeLetters = (letters: string[]): string =>
  `have its password encoded: ${letters.map((letter) => `${letter === ' ' ? 'a blank' : letter} as ${encodeURIComponent(letter)}`).join(', ')}`;

/** Whether something after the host can only be a part of a password that was not encoded. */
function isCutOff({ pathname, search, hash }: URL): boolean {
  return hash !== '' || pathname.includes('@') || /^\?[^=&]*@/.test(search);
}

/** A host is missing where the socket or the driver's default is meant: `postgres://own@/d?host=/run/postgresql`. */
const withHost = (text: string): string =>
  text.replace(/^([a-z]+:\/\/(?:[^/?#]*@)?)(?=[/?]|$)/i, '$1localhost');

const hasSeveralHosts = (text: string): boolean =>
  text.replace(SCHEME, '').split(/[/?]/)[0]?.replace(/^.*@/, '').includes(',') === true ||
  /[?&]host=[^&]*(?:,|%2c)/i.test(text);

/**
 * Reads an address, and makes it one that the driver takes.
 * @throws WrongText, with the right form. It never holds a part of the text, which has a password.
 */
export function postgresAddress(text: string): string {
  for (const [notation, wanted] of NOTATIONS) if (notation.test(text)) throw new WrongText(`must ${wanted}`);
  if (!SCHEME.test(text)) throw new WrongText(`must ${FORM}`);
  if (hasSeveralHosts(text))
    throw new WrongText(
      'must name one host: several are not supported. Name one that leads to the primary, such as that of a proxy',
    );
  const address = withHost(text);
  const letters = findLetters(text);
  if (!URL.canParse(address))
    throw new WrongText(`must ${letters.length > 0 ? describeLetters(letters) : FORM}`);
  if (isCutOff(new URL(address)) && letters.length > 0)
    throw new WrongText(`must ${describeLetters(letters)}`);
  return withTlsOfLibpq(address);
}

/** libpq's words for `sslmode`. `no-verify` is the driver's own. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/**
 * Gives `sslmode` the meaning that it has for libpq: `require` encrypts, `verify-ca` and `verify-full` verify. By
 * itself the driver takes each for `verify-full`.
 */
function withTlsOfLibpq(address: string): string {
  const url = new URL(address);
  const mode = url.searchParams.get('sslmode');
  if (mode === null) return address;
  if (!MODES.includes(mode)) throw new WrongText(`must have an sslmode of ${MODES.slice(0, -1).join(', ')}`);
  if (mode === 'verify-ca' && !url.searchParams.has('sslrootcert'))
    throw new WrongText(
      'must name the certificate of the authority for sslmode=verify-ca: &sslrootcert=FILE',
    );
  if (mode === 'allow') url.searchParams.set('sslmode', 'disable');
  // The system's own authorities, which are the driver's where no other one is named.
  if (url.searchParams.get('sslrootcert') === 'system') {
    url.searchParams.delete('sslrootcert');
    url.searchParams.set('sslmode', 'verify-full');
  }
  if (!url.searchParams.has('uselibpqcompat') && mode !== 'no-verify')
    url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
}

/** Adds what libpq reads from the environment where the address says nothing of it, and the driver does not. */
export function withTlsOfEnvironment(
  address: string,
  { PGSSLMODE, PGSSLROOTCERT }: NodeJS.ProcessEnv,
): string {
  const url = new URL(address);
  if (!PGSSLMODE || ['sslmode', 'ssl'].some((name) => url.searchParams.has(name))) return address;
  url.searchParams.set('sslmode', PGSSLMODE);
  if (PGSSLROOTCERT && !url.searchParams.has('sslrootcert'))
    url.searchParams.set('sslrootcert', PGSSLROOTCERT);
  return withTlsOfLibpq(url.href);
}
