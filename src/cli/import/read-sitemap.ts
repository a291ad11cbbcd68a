/**
 * Finds the addresses that an address stands for: itself, or the addresses of a sitemap (sitemaps.org, protocol 0.9).
 */
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { AddressRules } from '../../outbound/address-rules.ts';
import { FETCH_LIMITS, fetchAddress } from '../../outbound/fetching/fetch-address.ts';
import { FetchFailure } from '../../outbound/fetching/fetch-failure.ts';
import { codeOf } from '../../terms/problem.ts';
import { CommandError } from '../options.ts';

/** `changedMs`: the file has not changed since, by the sitemap; undefined: it does not say. */
export type ImportableAddress = { url: string; changedMs?: number };

/** The most addresses of one command, and the most sitemaps that an index may name. Both limits are the protocol's. */
const ADDRESSES_MAX = 50_000;
const SITEMAPS_MAX = 1_000;
/** An index names sitemaps, and no further index. */
const INDEX_DEPTH_MAX = 1;

/** The command runs for a person, who may read their own network. */
const RULES: AddressRules = { protocols: ['https:', 'http:'], allowedPrivate: 'all' };

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** Whether an address may lead to a sitemap: its content decides. */
const mayBeSitemap = (url: string): boolean => /\.xml(?:\.gz)?$/i.test(new URL(url).pathname);

async function download(url: string): Promise<Buffer> {
  try {
    const fetched = await fetchAddress(url, { rules: RULES, signal: new AbortController().signal });
    if (fetched === 'unchanged') throw new Error('an answer without a question');
    const bytes = await buffer(fetched.spooled.bytes()).finally(fetched.spooled.close);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return isPacked ? gunzipSync(bytes, { maxOutputLength: FETCH_LIMITS.bytesMax }) : bytes;
  } catch (error) {
    if (error instanceof FetchFailure) throw new CommandError(`${url}: ${error.message}`);
    if (codeOf(error).startsWith('Z_') || codeOf(error) === 'ERR_BUFFER_TOO_LARGE')
      throw new CommandError(`${url} cannot be unpacked (${codeOf(error)}).`);
    throw error;
  }
}

/** A day has no time: the file may have changed until its end. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

function readTime(text: string): number | undefined {
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) return undefined;
  return DAY.test(text) ? timeMs + DAY_MS : timeMs;
}

type Sitemap = { kind: 'urlset' | 'sitemapindex'; entries: ImportableAddress[] };

const withoutPrefix = (name: string): string => name.split(':').at(-1) ?? '';

/** Reads a sitemap. Undefined: it is another file. Entries that are no http(s) addresses are left out. */
export async function readSitemap(bytes: Buffer): Promise<Sitemap | undefined> {
  const { Parser } = await import('htmlparser2');
  let kind: Sitemap['kind'] | 'other' | undefined;
  const entries: ImportableAddress[] = [];
  let [path, text, loc, lastmod]: [string[], string, string, string] = [[], '', '', ''];
  const finish = () => {
    if (!isAddress(loc) || entries.length > ADDRESSES_MAX) return;
    const changedMs = readTime(lastmod);
    entries.push({ url: loc, ...(changedMs !== undefined && { changedMs }) });
  };
  const parser = new Parser(
    {
      onopentag(tag) {
        const name = withoutPrefix(tag);
        kind ??= name === 'urlset' || name === 'sitemapindex' ? name : 'other';
        path.push(name);
        text = '';
        if (path.length === 2) [loc, lastmod] = ['', ''];
      },
      ontext(piece) {
        if (path.length === 3) text += piece;
      },
      onclosetag(tag) {
        const name = withoutPrefix(tag);
        // A picture of a page has a <loc> too, deeper.
        if (path.length === 3 && name === 'loc') loc = text.trim();
        else if (path.length === 3 && name === 'lastmod') lastmod = text.trim();
        else if (path.length === 2 && (name === 'url' || name === 'sitemap')) finish();
        path = path.slice(0, -1);
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  // The root decides before the rest is read.
  parser.write(bytes.toString('utf8', 0, 4_096));
  if (kind === undefined || kind === 'other') return undefined;
  parser.write(bytes.toString('utf8', 4_096));
  parser.end();
  return { kind, entries };
}

/** The addresses of a sitemap, and of those that it names. @throws a sentence when they are too many */
async function expand(url: string, sitemap: Sitemap, depth: number): Promise<ImportableAddress[]> {
  const { kind, entries } = sitemap;
  if (kind === 'urlset') return entries;
  if (depth >= INDEX_DEPTH_MAX)
    throw new CommandError(`${url}: an index of sitemaps in another index is not read.`);
  if (entries.length > SITEMAPS_MAX)
    throw new CommandError(`${url} names more than ${SITEMAPS_MAX} sitemaps. Import them in parts.`);
  const all: ImportableAddress[] = [];
  for (const entry of entries) {
    const inner = await readSitemap(await download(entry.url));
    if (inner === undefined) throw new CommandError(`${entry.url} is no sitemap, although ${url} names it.`);
    for (const each of await expand(entry.url, inner, depth + 1)) all.push(each);
    if (all.length > ADDRESSES_MAX) break;
  }
  return all;
}

/**
 * The addresses to import for one that the user has given. Each comes once.
 * @throws a sentence when a sitemap cannot be read, or has more than 50,000 addresses
 */
export async function findAddresses(given: string): Promise<ImportableAddress[]> {
  if (!isAddress(given)) throw new CommandError(`${given} is not an http or https address.`);
  if (!mayBeSitemap(given)) return [{ url: given }];
  const sitemap = await readSitemap(await download(given));
  if (sitemap === undefined) return [{ url: given }];
  const all = new Map((await expand(given, sitemap, 0)).map((address) => [address.url, address]));
  if (all.size > ADDRESSES_MAX)
    throw new CommandError(
      `${given} has more than ${ADDRESSES_MAX} addresses. Import its sitemaps in parts.`,
    );
  return [...all.values()];
}
