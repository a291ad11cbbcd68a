/** The key with which the tab is signed in, what it may do, and the client of the service that uses it. */
import { signal } from '@preact/signals';
import {
  createKnowledgeRetrieval,
  type KnowledgeRetrieval,
  KnowledgeRetrievalError,
  type KnowledgeRetrievalErrorCode,
} from '../client/index.ts';
import { visitWithoutTrace } from './routes.ts';

/**
 * What a key may do. `search`: search and read. `write`: also write in the knowledge bases that it is bound to.
 * `account`: everything.
 */
export type KeyScope = 'search' | 'write' | 'account';

export type Session = {
  apiKey: string;
  scope: KeyScope;
  /** For what a person waits for: it gives up soon, so that the page can say what is wrong. */
  service: KnowledgeRetrieval;
  /** For uploads: it waits until a busy or restarting service answers again. */
  patientService: KnowledgeRetrieval;
};

/** How often requests for which a person waits are repeated. */
const RETRIES = 2;

/** The address of the service, from which this page came. It has a path where a proxy adds one. */
export const serviceAddress = new URL('.', location.href).href.replace(/\/$/, '');

/** The browser keeps these entries until its tab is closed. */
const [KEY, SCOPE] = ['knowledge-retrieval-key', 'knowledge-retrieval-scope'];

/** Undefined: nobody is signed in. */
export const session = signal<Session | undefined>(readStored());

function connect(apiKey: string, scope: KeyScope): Session {
  const settings = { baseUrl: serviceAddress, apiKey };
  return {
    apiKey,
    scope,
    service: createKnowledgeRetrieval({ ...settings, retries: RETRIES }),
    patientService: createKnowledgeRetrieval(settings),
  };
}

function readStored(): Session | undefined {
  const apiKey = sessionStorage.getItem(KEY);
  const scope = sessionStorage.getItem(SCOPE) as KeyScope | null; // only signIn writes it
  return apiKey === null || scope === null ? undefined : connect(apiKey, scope);
}

/** Whether the service has refused a request with this code. */
export const hasCode = (error: unknown, code: KnowledgeRetrievalErrorCode): boolean =>
  error instanceof KnowledgeRetrievalError && error.errorCode === code;

/**
 * What the key may do. No operation tells, so this sends requests that change nothing: the service checks the scope
 * before the input, and the second request has an input that no knowledge base fits.
 */
async function findScope(service: KnowledgeRetrieval): Promise<KeyScope> {
  try {
    await service.listWebhooks({ limit: 1 });
    return 'account';
  } catch (error) {
    if (!hasCode(error, 'KEY_NOT_PERMITTED')) throw error;
  }
  try {
    await service.updateKnowledgeBase({ knowledgeBaseId: '' });
  } catch (error) {
    if (hasCode(error, 'KEY_NOT_PERMITTED')) return 'search';
    if (!hasCode(error, 'INPUT_VALIDATION_FAILED')) throw error;
  }
  return 'write';
}

/** Signs in with a key. @throws the error of the service, UNAUTHORIZED for a wrong key */
export async function signIn(given: string): Promise<void> {
  const apiKey = given.trim();
  const scope = await findScope(connect(apiKey, 'search').service);
  sessionStorage.setItem(KEY, apiKey);
  sessionStorage.setItem(SCOPE, scope);
  session.value = connect(apiKey, scope);
}

/** The code in the address that a start prints. */
const CODE = /^#code=([\w-]+)$/;

/** Whether the code of the address has been refused. */
export const isCodeRefused = signal(false);

/**
 * Takes the code out of the address, so that neither the history nor a bookmark holds it, and signs in with the key that
 * the service exchanges for it. Without a code, or where somebody is signed in, nothing happens.
 */
export async function redeemCode(): Promise<void> {
  const [, code] = CODE.exec(location.hash) ?? [];
  if (code === undefined) return;
  visitWithoutTrace('#/');
  if (session.value !== undefined) return;
  const response = await fetch(`${serviceAddress}/console/sign-in`, {
    method: 'POST',
    headers: { authorization: `Bearer ${code}` },
  });
  const { data } = (await response.json()) as { data: { apiKey?: string } }; // the envelope
  if (data.apiKey === undefined) isCodeRefused.value = true;
  else await signIn(data.apiKey);
}

export function signOut(): void {
  sessionStorage.removeItem(KEY);
  sessionStorage.removeItem(SCOPE);
  session.value = undefined;
}

/** The session of a page that is shown only to those who are signed in. */
export function useSession(): Session {
  const { value } = session;
  if (value === undefined) throw new Error('nobody is signed in');
  return value;
}

/** Why the key may not write; undefined: it may. */
export const writeObstacle = ({ scope }: Session): string | undefined =>
  scope === 'search' ? 'This key may only search and read.' : undefined;

/** Why the key may not manage the account; undefined: it may. */
export const accountObstacle = ({ scope }: Session): string | undefined =>
  scope === 'account'
    ? undefined
    : scope === 'search'
      ? 'This key may only search and read.'
      : 'This key may write in some knowledge bases only, and not manage the account.';
