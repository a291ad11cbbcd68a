/** Which web pages may call the service (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol). */

/** Matches every origin. It must be the only entry of its list. */
export const ANY_ORIGIN = '*';

/** The origins whose pages may call, as browsers send them; or only `*`. */
export type CorsOrigins = readonly string[];

/**
 * Turns an address into an origin as a browser sends it; undefined: it is not an origin.
 * `HTTPS://App.example.org:443/` → `https://app.example.org`
 * Pages of other schemes (extensions, packaged apps) need `*`.
 */
function toOrigin(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\\s*]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).origin;
}

/** Reads a comma-separated list without duplicates. Undefined: an entry is no origin, or `*` has other entries. */
export function readOrigins(list: string): CorsOrigins | undefined {
  const names = list.split(',').map((name) => name.trim());
  if (names.length === 1 && names[0] === ANY_ORIGIN) return [ANY_ORIGIN];
  const origins = new Set<string>();
  for (const name of names) {
    const origin = toOrigin(name);
    if (origin === undefined) return undefined;
    origins.add(origin);
  }
  return [...origins];
}

/** The value of `Access-Control-Allow-Origin` for a page of `origin`; undefined: that page may not call. */
export function allowedOrigin(origins: CorsOrigins, origin: string | undefined): string | undefined {
  if (origins.includes(ANY_ORIGIN)) return ANY_ORIGIN;
  return origin !== undefined && origins.includes(origin) ? origin : undefined;
}
