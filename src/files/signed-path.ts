/** Signed addresses of this service: an HMAC over method, resource and parameters authorises one kind of request. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `folder`: the first segment of the path. `parameters`: in their order in the address. */
export type SignedRequest = {
  method: 'GET' | 'PUT';
  folder: 'downloads' | 'uploads';
  id: string;
  parameters: Record<string, string>;
};

const sign = (secret: string, { method, id, parameters }: SignedRequest): string =>
  createHmac('sha256', secret)
    .update([method, id, ...Object.values(parameters)].join('\n'))
    .digest('base64url');

/** Returns the path and query of the address, to be appended to the service's public address. */
export function formatSignedPath(secret: string, request: SignedRequest): string {
  const query = new URLSearchParams({ ...request.parameters, signature: sign(secret, request) });
  return `/${request.folder}/${request.id}?${query}`;
}

/**
 * Whether `target` is exactly the address of this request. Equivalent forms (another order, case or escape, an
 * additional parameter) are not, so that their interpretation does not matter.
 * @param target path and query as they were requested
 */
export function isSignedPath(secret: string, request: SignedRequest, target: string): boolean {
  const [actual, expected] = [Buffer.from(target), Buffer.from(formatSignedPath(secret, request))];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
