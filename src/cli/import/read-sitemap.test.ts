/** Sitemaps of all kinds, and files that are none. */
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { type Respond, startOrigin } from '../../outbound/fetching/testing/origin.ts';
import { addressId } from './import-address.ts';
import { findAddresses, readSitemap } from './read-sitemap.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const urlset = (entries: string) => `<?xml version="1.0"?>\n<urlset ${NAMESPACE}>${entries}</urlset>`;
const index = (...urls: string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;

async function siteWith(files: Record<string, string | Buffer>) {
  const respond: Respond = ({ url = '' }, response) => {
    const file = files[url];
    if (file === undefined) response.writeHead(404).end();
    else response.end(file);
  };
  const origin = await startOrigin(respond);
  closing.push(origin.close);
  return origin;
}

test('the addresses of a sitemap, with the times of their changes', async () => {
  const bytes = Buffer.from(
    urlset(`
      <url><loc> https://example.org/a?b=1&amp;c=2 </loc><lastmod>2026-01-15T09:28:41Z</lastmod></url>
      <url><loc><![CDATA[https://example.org/b]]></loc><lastmod>2026-01-15</lastmod><priority>1</priority></url>
      <url><loc>https://example.org/c</loc><lastmod>soon</lastmod>
        <image:image><image:loc>https://example.org/picture.png</image:loc></image:image></url>
      <url><loc>ftp://example.org/d</loc></url><url><loc>javascript:alert(1)</loc></url><url></url>`),
  );
  expect(await readSitemap(bytes)).toEqual({
    kind: 'urlset',
    entries: [
      { url: 'https://example.org/a?b=1&c=2', changedMs: Date.parse('2026-01-15T09:28:41Z') },
      { url: 'https://example.org/b', changedMs: Date.parse('2026-01-16') },
      { url: 'https://example.org/c' },
    ],
  });
});

test('an address that is no sitemap stands for itself, whatever it is called', async () => {
  const { url, received } = await siteWith({ '/feed.xml': '<rss><channel/></rss>', '/empty.xml': 'x' });
  for (const path of ['/page', '/feed.xml', '/empty.xml'])
    expect(await findAddresses(url + path)).toEqual([{ url: url + path }]);
  expect(received.map(({ line }) => line)).toEqual(['GET /feed.xml', 'GET /empty.xml']);
});

test('an index leads to its sitemaps, packed ones too; each address comes once', async () => {
  const pages = (...names: string[]) =>
    urlset(names.map((name) => `<url><loc>https://example.org/${name}</loc></url>`).join(''));
  const files: Record<string, string | Buffer> = {
    '/a.xml': pages('1', '2'),
    '/b.xml.gz': gzipSync(pages('2', '3')),
  };
  const { url } = await siteWith(files);
  files['/sitemap.xml'] = index(`${url}/a.xml`, `${url}/b.xml.gz`);
  expect((await findAddresses(`${url}/sitemap.xml`)).map((address) => address.url)).toEqual(
    ['1', '2', '3'].map((name) => `https://example.org/${name}`),
  );
});

test('what cannot be a sitemap of a site is refused with a sentence', async () => {
  const files: Record<string, string | Buffer> = {
    '/bomb.xml.gz': gzipSync(Buffer.alloc(60_000_000)),
    '/many.xml': index(...Array.from({ length: 1_001 }, (_, n) => `https://example.org/${n}.xml`)),
  };
  const { url } = await siteWith(files);
  files['/circle.xml'] = index(`${url}/circle.xml`);
  files['/page.xml'] = index(`${url}/none.xml`);
  const refused = (path: string) => findAddresses(url + path).catch(({ message }) => message as string);
  expect(await refused('/bomb.xml.gz')).toContain('cannot be unpacked');
  expect(await refused('/many.xml')).toContain('more than 1000 sitemaps');
  expect(await refused('/circle.xml')).toContain('in another index');
  expect(await refused('/page.xml')).toContain('status 404');
  expect(await refused('/missing.xml')).toContain('status 404');
  await expect(findAddresses('https://')).rejects.toThrow('is not an http or https address');
});

test('a sitemap of more than 50,000 addresses is refused', async () => {
  const entries = Array.from({ length: 50_001 }, (_, n) => `<url><loc>https://example.org/${n}</loc></url>`);
  const { url } = await siteWith({ '/sitemap.xml': urlset(entries.join('')) });
  await expect(findAddresses(`${url}/sitemap.xml`)).rejects.toThrow('more than 50000 addresses');
});

test('the id of an address is the address, shortened with a hash where it is too long', () => {
  expect(addressId('https://example.org/a', 'site/')).toBe('site/https://example.org/a');
  const [one, other] = ['a', 'b'].map((end) => addressId(`https://example.org/${'x'.repeat(400)}${end}`, ''));
  expect(one).toHaveLength(180 + 1 + 64);
  expect(one).not.toBe(other);
});
