/**
 * Checks AWS Signature Version 4 of a received request, as a store does (Amazon S3 API reference, "Authenticating
 * Requests"). Written for tests, independently of the SDK's signer, so that the two check each other.
 */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The only key that the store accepts. */
export type Credentials = { accessKeyId: string; secretAccessKey: string };

type Claim = {
  /** access key, date, region, service, aws4_request */
  scope: string[];
  signedHeaders: string[];
  signature: string;
  time: string;
  payloadHash: string;
};

const hashOf = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Percent-encodes as in RFC 3986; encodeURIComponent leaves five of its reserved characters. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function claimOfQuery(query: URLSearchParams): Claim {
  return {
    scope: (query.get('X-Amz-Credential') ?? '').split('/'),
    signedHeaders: (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
    signature: query.get('X-Amz-Signature') ?? '',
    time: query.get('X-Amz-Date') ?? '',
    payloadHash: 'UNSIGNED-PAYLOAD',
  };
}

function claimOfHeaders({ headers }: IncomingMessage): Claim {
  const parts = /^AWS4-HMAC-SHA256 Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=(\S+)$/.exec(
    headers.authorization ?? '',
  );
  return {
    scope: (parts?.[1] ?? '').split('/'),
    signedHeaders: (parts?.[2] ?? '').split(';'),
    signature: parts?.[3] ?? '',
    time: String(headers['x-amz-date'] ?? ''),
    payloadHash: String(headers['x-amz-content-sha256'] ?? ''),
  };
}

/** `20260115T093107Z` → milliseconds since 1970. */
const parseTime = (time: string): number =>
  Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

function signatureOf(
  { method, url = '', headers }: IncomingMessage,
  query: URLSearchParams,
  claim: Claim,
  secret: string,
) {
  const [, date = '', region = '', service = '', end = ''] = claim.scope;
  const parameters = [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort();
  const canonical = [
    method,
    url.split('?', 1)[0],
    parameters.join('&'),
    ...claim.signedHeaders.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    claim.signedHeaders.join(';'),
    claim.payloadHash,
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', claim.time, claim.scope.slice(1).join('/'), hashOf(canonical)].join(
    '\n',
  );
  const key = [date, region, service, end].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return createHmac('sha256', key).update(toSign).digest('hex');
}

/** Returns S3's error code for a refused request; undefined when the request is valid. */
export function refusalOf(
  request: IncomingMessage,
  body: Uint8Array,
  { accessKeyId, secretAccessKey }: Credentials,
): 'InvalidAccessKeyId' | 'AccessDenied' | 'SignatureDoesNotMatch' | 'XAmzContentSHA256Mismatch' | undefined {
  const { searchParams: query } = new URL(request.url ?? '', 'http://store');
  const isPresigned = query.has('X-Amz-Signature');
  const claim = isPresigned ? claimOfQuery(query) : claimOfHeaders(request);
  if (claim.scope[0] !== accessKeyId) return 'InvalidAccessKeyId';
  if (claim.signature !== signatureOf(request, query, claim, secretAccessKey)) return 'SignatureDoesNotMatch';
  const seconds = isPresigned ? Number(query.get('X-Amz-Expires')) : 900;
  if (!(Date.now() < parseTime(claim.time) + seconds * 1000)) return 'AccessDenied';
  if (/^[0-9a-f]{64}$/.test(claim.payloadHash) && claim.payloadHash !== hashOf(body))
    return 'XAmzContentSHA256Mismatch';
  return undefined;
}
