/**
 * Who a key stands for. A key or token that the mock has made may do what it was made for; any other text is a key of
 * the account, which may do everything.
 */
import type { Filter, Key } from '../../../generated/types.gen.ts';
import { toDocumentFilter } from '../../../src/database/rows/documents/document-filter.ts';
import type { Caller } from '../../../src/http/access/authenticate.ts';
import { type AccessToken, createAccessTokens, isTokenText } from '../../../src/terms/access-token.ts';
import { readApiKey } from '../../../src/terms/api-key.ts';
import { unauthorized } from '../../../src/terms/errors.ts';
import { fitsFilter } from './document-filter.ts';
import type { State } from './state.ts';

/** Signs and reads the mock's tokens. They are good at every mock: they protect nothing. */
export const mockTokens = createAccessTokens('mock');

/** The key of a token that was made with a key which the mock does not know. */
const UNKNOWN_KEY_ID = '0'.repeat(24);

/** The key that a text stands for, if the mock has made it, and the filters of both. */
type Known = { key: Key | undefined; filters: Filter[]; isToken: boolean };

/** @throws UNAUTHORIZED for a key that is revoked or over, and for a token that is none or has ended */
function read({ keys }: State, text: string): Known {
  const token = mockTokens.read(text);
  if (token === undefined && isTokenText(text)) throw unauthorized();
  const key = keys.get(token?.keyId ?? readApiKey(text)?.keyId ?? '');
  const isOver = key?.expiresAt !== undefined && Date.parse(key.expiresAt) <= Date.now();
  if (key?.status === 'revoked' || isOver) throw unauthorized();
  const filters = [key?.filter, token?.filter].filter((filter) => filter !== undefined);
  return { key, filters, isToken: token !== undefined };
}

/** Both filters in one; undefined: there is none. */
const allOf = (filters: Filter[]): Filter | undefined =>
  filters.length > 1 ? { type: 'and', filters } : filters[0];

/** The token that the caller with this key or token asks for: it sees no more than that. */
export function tokenOf(
  text: string,
  { filter, expiresAt }: Pick<AccessToken, 'filter' | 'expiresAt'>,
): AccessToken {
  const own = mockTokens.read(text);
  const filters = [own?.filter, filter].filter((each) => each !== undefined);
  const keyId = own?.keyId ?? readApiKey(text)?.keyId ?? UNKNOWN_KEY_ID;
  const endsAt = own && own.expiresAt < expiresAt ? own.expiresAt : expiresAt;
  return { keyId, filter: allOf(filters), expiresAt: endsAt };
}

/** @throws UNAUTHORIZED */
export function callerOf(state: State, text: string): Caller {
  const { key, filters, isToken } = read(state, text);
  const filter = allOf(filters);
  return {
    accountId: 'mock',
    keyId: text,
    scope: isToken ? 'search' : (key?.scope ?? 'write'),
    allowedKnowledgeBases: key?.knowledgeBaseIds && new Set(key.knowledgeBaseIds),
    restriction: filter && toDocumentFilter(filter),
  };
}

/**
 * What exists for a key: a copy without the documents that its filter leaves out, and the knowledge bases that it is
 * not bound to. Keys that write get the state itself, since the copy is thrown away. So queries of the others cost the
 * mock's account nothing.
 */
export function visibleTo(state: State, { keyId, scope }: Caller): State {
  if (scope === 'write') return state;
  const { key, filters } = read(state, keyId);
  const filter = allOf(filters);
  const isIn = (id: string): boolean => key?.knowledgeBaseIds?.includes(id) ?? true;
  const knowledgeBases = new Map([...state.knowledgeBases].filter(([id]) => isIn(id)));
  const documents = [...state.documents].filter(
    ([, document]) => isIn(document.row.knowledge_base_id) && fitsFilter(document, filter),
  );
  return { ...state, knowledgeBases, documents: new Map(documents) };
}
