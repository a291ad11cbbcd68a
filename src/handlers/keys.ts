/** The operations on keys, and on tokens that stand for them. */
import type { Filter } from '../../generated/types.gen.ts';
import { readDatabaseTime } from '../database/connection/clock.ts';
import { toDocumentFilter } from '../database/rows/documents/document-filter.ts';
import { createAccessTokens } from '../terms/access-token.ts';
import { validationFailed } from '../terms/errors.ts';
import type { Handlers } from './handler-types.ts';

/** Bytes of a token's filter in JSON: a server takes headers of 16 KiB, and base64 makes a third more of them. */
const TOKEN_FILTER_MAX_BYTES = 4_096;

const DEFAULT_SECONDS = 3_600;

/** The filter that both match; undefined: there is none. */
const both = (left: Filter | undefined, right: Filter | undefined): Filter | undefined =>
  left && right ? { type: 'and', filters: [left, right] } : (left ?? right);

/** @throws INPUT_VALIDATION_FAILED unless it is a filter, and fits into a token */
function requireTokenFilter(filter: Filter): void {
  toDocumentFilter(filter);
  const bytes = Buffer.byteLength(JSON.stringify(filter));
  if (bytes <= TOKEN_FILTER_MAX_BYTES) return;
  const message = `must have at most ${TOKEN_FILTER_MAX_BYTES} bytes in JSON, with that of the token that asks; it has ${bytes}`;
  throw validationFailed([], { filter: [message] });
}

export const keyHandlers = {
  async createToken({ filter: given, expiresIn = DEFAULT_SECONDS }, context) {
    const { database, keyId, token: own, uploadSecret } = context;
    const filter = both(own?.filter, given);
    if (filter) requireTokenFilter(filter);
    // In whole seconds, as tokens have it.
    const now = await readDatabaseTime(database);
    const endsAt = (Math.ceil(now.getTime() / 1000) + expiresIn) * 1000;
    const expiresAt = new Date(Math.min(endsAt, own?.expiresAt.getTime() ?? endsAt));
    const token = createAccessTokens(uploadSecret).issue({ keyId, filter, expiresAt });
    return { data: { token, expiresAt: expiresAt.toISOString() } };
  },
} satisfies Partial<Handlers>;
