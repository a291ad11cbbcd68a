/** Names the setting to change where a server cannot listen. */
import { codeOf, reasonOf } from '../problem.ts';

/**
 * The address at which a server should listen. `setting`: the name of the setting for the port, or a script's option.
 */
type ListenAddress = { host: string; port: number; setting: 'PORT' | 'WORKER_PORT' | '--port' };

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
      return `${setting === '--port' ? '--host' : 'HOST'} (${host}) is no address of this machine: set one that is, or 0.0.0.0 for all.`;
    default:
      return undefined;
  }
}

/** Turns the error of a `listen` into words for an operator. */
export function explainListening(error: unknown, place: ListenAddress): Error {
  const remedy = remedyFor(error, place) ?? `Nothing can listen on port ${place.port} of ${place.host}.`;
  return new Error(`${remedy} (${reasonOf(error)})`, { cause: error });
}
