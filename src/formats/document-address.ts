/** The short address of a document in the console, for citations: 83 characters on a local service instead of 110. */

const ID = /^[0-9a-f-]{36}_[0-9a-f-]{36}$/;
/** 32 bytes in base64url. */
const SHORT = /^[\w-]{43}$/;
/** The hexadecimal digits of a UUID between its hyphens. */
const GROUPS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** The bytes of both UUIDs of a document's id in base64url, 43 characters. */
function shorten(documentId: string): string {
  const bytes = documentId.replaceAll(/[-_]/g, '').match(/../g) ?? [];
  const binary = String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16)));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
}

/** The document's id in a short address; undefined: it is none. `AaH7xIUpc8KB…` → `01a1fbc4-8529-73c2-…_01a1fbc4-…` */
export function restoreDocumentId(short: string): string | undefined {
  if (!SHORT.test(short)) return undefined;
  const binary = atob(short.replaceAll('-', '+').replaceAll('_', '/'));
  const digits = [...binary].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return [digits.slice(0, 32), digits.slice(32)]
    .map((uuid) => uuid.replace(GROUPS, '$1-$2-$3-$4-$5'))
    .join('_');
}

/**
 * The address of a document's page in the console of the service at `service`, at one of its passages.
 * `http://127.0.0.1:8080/#/d/AaH7xIUpc8KB…?passage=3`
 */
export function documentAddress(service: string, documentId: string, passage?: number): string {
  const path = ID.test(documentId)
    ? `d/${shorten(documentId)}`
    : `documents/${encodeURIComponent(documentId)}`;
  return `${service}/#/${path}${passage === undefined ? '' : `?passage=${passage}`}`;
}
