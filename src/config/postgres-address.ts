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

const describeLetter = (letter: string): string =>
  `${letter === ' ' ? 'a blank' : letter} as ${encodeURIComponent(letter)}`;

const describeLetters = (letters: string[]): string =>
  `have its password encoded: ${letters.map(describeLetter).join(', ')}`;

/** Whether something after the host can only be a part of a password that was not encoded. */
function isCutOff({ pathname, search, hash }: URL): boolean {
  return hash !== '' || pathname.includes('@') || /^\?[^=&]*@/.test(search);
}

/** Whether the encoded letters of user, password and database are UTF-8; `%` alone is for the driver to read. */
function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    for (const text of [username, password, pathname])
      decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}

/** What stands between user and path: hosts with their ports. */
const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)/i;

/** `a:5432` → host and port; `[::1]:5432` without its brackets, as in the parameter `host`. */
function hostAndPort(text: string): { host: string; port: string } {
  const [, inBrackets, host = text, port = ''] = /^(?:\[(.*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? [];
  return { host: inBrackets ?? host, port };
}

/**
 * An address that URL can read: a host is missing where the socket or the driver's default is meant, and several are no
 * host. They become parameters: `postgres://own@a,b:5433/d` → `postgres://own@localhost/d?host=a,b&port=,5433`
 */
function withOneHost(text: string): string {
  const [before = '', start = '', hosts = ''] = AUTHORITY.exec(text) ?? [];
  if (hosts !== '' && !hosts.includes(',')) return text;
  const rest = text.slice(before.length);
  if (hosts === '' || /[?&]host=[^&]/.test(rest)) return `${start}localhost${rest}`;
  const each = hosts.split(',').map((host) => hostAndPort(host.trim()));
  const parameters = [`host=${each.map(({ host }) => host).join(',')}`];
  if (each.some(({ port }) => port !== '') && !/[?&]port=/.test(rest))
    parameters.push(`port=${each.map(({ port }) => port).join(',')}`);
  const [path, query] = rest.split('?');
  return `${start}localhost${path}?${[...parameters, query].filter(Boolean).join('&')}`;
}

/** What the driver has nothing for: a parameter, or one with this value. */
const UNSUPPORTED = [
  'service',
  'passfile',
  'sslcrl',
  'sslcrldir',
  'sslpassword',
  'sslcertmode=require',
  'ssl_min_protocol_version=TLSv1.3',
  'gssencmode=require',
  'requiressl',
  'requirepeer',
  'require_auth',
];

/** The parameters that ask for protection, and that the driver heeds. */
const OF_TLS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'channel_binding'];

const CHANNEL_BINDINGS = ['disable', 'prefer', 'require'];

/**
 * The driver ignores what it does not know: a connection would lack the protection that the address asks for.
 * @throws WrongText
 */
function requireProtection(searchParams: URLSearchParams): void {
  for (const [name, value] of searchParams) {
    const found = UNSUPPORTED.find((each) => each === name || each === `${name}=${value}`);
    if (found !== undefined) throw new WrongText(`must not have ${found}, which is not supported`);
    const meant = name === 'tls' ? 'sslmode' : name.toLowerCase();
    if (meant !== name && OF_TLS.includes(meant))
      throw new WrongText(`must have ${meant} instead of ${name}`);
  }
  const binding = searchParams.get('channel_binding');
  if (binding !== null && !CHANNEL_BINDINGS.includes(binding))
    throw new WrongText(`must have a channel_binding of ${CHANNEL_BINDINGS.join(', ')}`);
}

/**
 * `ssl` is the driver's word: `true` is `verify-full`. It takes every other text for a wish for TLS too, `false` among
 * them.
 */
function withoutFalseTls({ searchParams }: URL): void {
  const ssl = searchParams.get('ssl');
  if (ssl === null || ['true', '1', 'no-verify'].includes(ssl)) return;
  if (!['false', '0'].includes(ssl)) throw new WrongText('must have sslmode instead of ssl');
  searchParams.delete('ssl');
  if (!searchParams.has('sslmode')) searchParams.set('sslmode', 'disable');
}

/** libpq's parameters of other names or other meaning for the driver. What it would ignore silently is refused. */
function withParametersOfLibpq(url: URL): void {
  const { searchParams } = url;
  requireProtection(searchParams);
  withoutFalseTls(url);
  const database = searchParams.get('dbname');
  if (database !== null) url.pathname = `/${encodeURIComponent(database)}`;
  searchParams.delete('dbname');
  const address = searchParams.get('hostaddr');
  if (address === null) return;
  if (searchParams.get('sslmode') === 'verify-full')
    throw new WrongText(
      'must name the host without hostaddr for sslmode=verify-full, which compares its name',
    );
  searchParams.set('host', address);
  searchParams.delete('hostaddr');
}

const isPort = (text: string): boolean => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;

/** Checks the hosts, and says which of several is meant. @throws WrongText */
function withRole(url: URL, role: HostRole): void {
  const { searchParams } = url;
  const hosts = searchParams.get('host')?.split(',').length ?? 1;
  const ports = searchParams.get('port')?.split(',') ?? [];
  if (ports.length > 1 && ports.length !== hosts)
    throw new WrongText(`must have one port, or one for each of its ${hosts} hosts`);
  if ([...ports, url.port].some((port) => port !== '' && !isPort(port)))
    throw new WrongText('must have numbers from 1 to 65535 as its ports');
  const wanted = searchParams.get('target_session_attrs');
  if (wanted === null && hosts > 1) searchParams.set('target_session_attrs', role);
  if (wanted === null || TARGETS[role].includes(wanted)) return;
  throw new WrongText(`must have a target_session_attrs of ${TARGETS[role].join(', ')}`);
}

/** What the host of an address has to be. */
type HostRole = 'primary' | 'standby';

const TARGETS: Readonly<Record<HostRole, string[]>> = {
  primary: ['primary', 'read-write', 'any'],
  standby: ['standby', 'prefer-standby', 'read-only', 'any', 'primary', 'read-write'],
};

/**
 * Reads an address, and makes it one that the driver takes.
 * @throws WrongText, with the right form. It never holds a part of the text, which has a password.
 */
function readAddress(text: string, role: HostRole): string {
  for (const [notation, wanted] of NOTATIONS) if (notation.test(text)) throw new WrongText(`must ${wanted}`);
  if (!SCHEME.test(text)) throw new WrongText(`must ${FORM}`);
  const letters = findLetters(text);
  const address = withOneHost(text);
  if (!URL.canParse(address))
    throw new WrongText(`must ${letters.length > 0 ? describeLetters(letters) : FORM}`);
  const url = new URL(address);
  if (!isDecodable(url))
    throw new WrongText('must have its user and password encoded as UTF-8, such as ä as %C3%A4');
  if (isCutOff(url) && letters.length > 0) throw new WrongText(`must ${describeLetters(letters)}`);
  const before = url.href;
  withParametersOfLibpq(url);
  withRole(url, role);
  return withTlsOfLibpq(url.href === before ? address : url.href);
}

/** The address of a primary. @throws WrongText */
export const postgresAddress = (text: string): string => readAddress(text, 'primary');

/** The address of a standby. @throws WrongText */
export const standbyAddress = (text: string): string => readAddress(text, 'standby');

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
