/** Header fields of every answer, for browsers. */

/** Answers are no pages: browsers may not guess their type, frame them or store them. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Header fields that pages of other origins may read, where CORS_ORIGIN lets them call. */
export const EXPOSED_HEADERS = ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy'];
