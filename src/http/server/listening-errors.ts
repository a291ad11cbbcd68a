/** Explains why a server cannot listen, and names the setting to change. */
import { codeOf, reasonOf } from '../../terms/problem.ts';

/**
 * The address where a server should listen. `setting`: the setting of the port, or the option of a script.
 */
type ListenAddress = { host: string; port: number; setting: 'PORT' | 'WORKER_PORT' | '--port' };

const nameOfHost = (setting: ListenAddress['setting']): string => (setting === '--port' ? '--host' : 'HOST');

function remedyFor(error: unknown, { host, port, setting }: ListenAddress): string | undefined {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `Another program listens on port ${port} of ${host}: end that one, or set another ${setting}.`;
    case 'EACCES':
      return `This user may not listen on port ${port}: set ${setting} to 1024 or above.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `${nameOfHost(setting)} (${host}) is no address of this machine: set one that is, or 0.0.0.0 for all.`;
    default:
      return undefined;
  }
}

/** Turns the error of a `listen` into an error with a remedy for the operator. */
export function explainListening(error: unknown, address: ListenAddress): Error {
  const remedy =
    remedyFor(error, address) ?? `Nothing can listen on port ${address.port} of ${address.host}.`;
  return new Error(`${remedy} (${reasonOf(error)})`, { cause: error });
}
