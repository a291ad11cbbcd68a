/**
 * libpq's variables (PostgreSQL manual, 34.15): what DATABASE_URL leaves open, they say. The driver itself reads the
 * variables of user, password, port, database and options; the variables here become parameters of the address. No
 * variable stands for DATABASE_URL: without that the embedded database is used, which none of them reaches.
 *
 * Not among them:
 * - PGTARGETSESSIONATTRS: DATABASE_URL and DATABASE_READ_URL need opposite ones.
 * - PGSERVICE: the driver knows no services, and the address names its database itself.
 */

/** A variable → its parameter. */
const PARAMETERS: Readonly<Record<string, string>> = {
  PGHOST: 'host',
  PGSSLMODE: 'sslmode',
  PGSSLROOTCERT: 'sslrootcert',
  PGSSLCERT: 'sslcert',
  PGSSLKEY: 'sslkey',
  PGCHANNELBINDING: 'channel_binding',
  // The service cannot heed these, and refuses them like their parameters: they ask for protection.
  PGGSSENCMODE: 'gssencmode',
  PGREQUIREAUTH: 'require_auth',
  PGREQUIREPEER: 'requirepeer',
  PGSSLCRL: 'sslcrl',
  PGSSLCRLDIR: 'sslcrldir',
  PGSSLCERTMODE: 'sslcertmode',
  PGSSLMINPROTOCOLVERSION: 'ssl_min_protocol_version',
};

/** Of no use without TLS, which they would turn on for the driver, other than for libpq. */
const BESIDE_SSLMODE = ['sslrootcert', 'sslcert', 'sslkey'];

const PARAMETER = /[?&]([^=&#]+)=([^&#]*)/g;

/** `postgres://own:pw@/d`, `postgres:///d?user=own` */
const WITHOUT_HOST = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?(?=[/?]|$)/i;

/**
 * An address with what the variables say, where it says nothing itself: `postgres://own@db/d` →
 * `postgres://own@db/d?sslmode=require`.
 * @returns the address, and the variables that have become parameters
 */
export function withVariables(
  address: string,
  environment: NodeJS.ProcessEnv,
): { address: string; variables: string[] } {
  const given = new Map([...address.matchAll(PARAMETER)].map(([, name, value]) => [name, value]));
  const mode = given.get('sslmode') ?? given.get('ssl') ?? environment.PGSSLMODE;
  const isOpen = (name: string): boolean => {
    if (given.has(name)) return false;
    if (name === 'sslmode') return !given.has('ssl');
    if (name === 'host') return WITHOUT_HOST.test(address) && !given.has('hostaddr');
    return !BESIDE_SSLMODE.includes(name) || (Boolean(mode) && mode !== 'disable');
  };
  const variables = Object.entries(PARAMETERS).filter(
    ([variable, name]) => Boolean(environment[variable]) && isOpen(name),
  );
  const parameters = variables.map(
    ([variable, name]) => `${name}=${encodeURIComponent(environment[variable] ?? '')}`,
  );
  const joint = address.includes('?') ? '&' : '?';
  return {
    address: parameters.length === 0 ? address : `${address}${joint}${parameters.join('&')}`,
    variables: variables.map(([variable]) => variable),
  };
}
