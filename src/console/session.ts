/**
 * The key with which the browser is signed in, what it may do, and the client of the service that uses it. The key is
 * in a cookie that the service sets: no script can read it, and all tabs have it.
 */
import { signal } from '@preact/signals';
import { answeredError, invalidArgument, networkError } from '../client/errors.ts';
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
  /** Names the key, and is no secret. */
  keyId: string;
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

/** What the service takes for the key of the cookie, which no script can read. */
const COOKIE_KEY = 'console';

/** Tells the other tabs of this browser that somebody has signed in or out. */
const otherTabs = new BroadcastChannel('knowledge-retrieval-session');

/** Undefined: nobody is signed in. */
export const session = signal<Session | undefined>(undefined);

/** What the service says of a session; without a scope, there is none. */
type SessionAnswer = { keyId?: string; scope?: KeyScope };

function connect({ keyId, scope }: SessionAnswer): Session | undefined {
  if (keyId === undefined || scope === undefined) return undefined;
  const settings = { baseUrl: serviceAddress, apiKey: COOKIE_KEY };
  return {
    keyId,
    scope,
    service: createKnowledgeRetrieval({ ...settings, retries: RETRIES }),
    patientService: createKnowledgeRetrieval(settings),
  };
}

/**
 * Asks for the session, begins one with a key, or ends it.
 * @throws the error of the service, UNAUTHORIZED for a wrong key
 */
async function callSession(method: 'GET' | 'POST' | 'DELETE', apiKey = COOKIE_KEY): Promise<SessionAnswer> {
  const address = `${serviceAddress}/console/session`;
  const response = await fetch(address, { method, headers: { 'x-api-key': apiKey } }).catch((error) => {
    throw networkError(address, error);
  });
  const text = await response.text();
  if (!response.ok) throw answeredError(response, text);
  return (JSON.parse(text) as { data: SessionAnswer }).data; // the envelope
}

/** Whether the service has refused a request with this code. */
export const hasCode = (error: unknown, code: KnowledgeRetrievalErrorCode): boolean =>
  error instanceof KnowledgeRetrievalError && error.errorCode === code;

/** Shows what the browser's cookie stands for: a session that another tab, or this one before, has begun. */
export async function resumeSession(): Promise<void> {
  session.value = connect(await callSession('GET'));
}

otherTabs.onmessage = () => void resumeSession().catch(() => {});

/** Signs in with a key, in all tabs of this browser. @throws the error of the service, UNAUTHORIZED for a wrong key */
export async function signIn(given: string): Promise<void> {
  const apiKey = given.trim();
  // A header cannot hold other characters: the browser would refuse to send them.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw invalidArgument('apiKey', 'An API key has letters, digits and _.');
  session.value = connect(await callSession('POST', apiKey));
  isSignOutLost.value = false;
  otherTabs.postMessage('signed in');
}

/** The code in the address that a start prints. */
const CODE = /^#code=([\w-]+)$/;

/** Whether the code of the address has been refused. */
export const isCodeRefused = signal(false);

/**
 * Takes the code out of the address, so that neither the history nor a bookmark holds it, and signs in with the key
 * that the service exchanges for it. Without a code, or where somebody is signed in, nothing happens.
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

/** Whether the service has not taken the last sign-out: a reload of the page would be signed in again. */
export const isSignOutLost = signal(false);

/** Signs out, in all tabs. Where the service is unreachable, the cookie stays, and `isSignOutLost` says so. */
export async function signOut(): Promise<void> {
  session.value = undefined;
  try {
    await callSession('DELETE');
    isSignOutLost.value = false;
    otherTabs.postMessage('signed out');
  } catch {
    isSignOutLost.value = true;
  }
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
