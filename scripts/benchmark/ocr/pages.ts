/** Twenty pages as pictures: three fonts, 150 and 300 dpi, straight and skewed, clean and noisy. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { startBrowser } from '../../../contract-tests/harness/machine/launch-browser.ts';

const root = join(import.meta.dirname, '../../..');
const STANDARD_FONTS = join(root, 'node_modules/pdfjs-dist/standard_fonts');

/** A font by the name of its family, with its file unless the browser has it. */
type Font = readonly [name: string, file?: string];

/**
 * Fonts with serifs, as books and contracts have them: of Debian, and of a package of npm. The first one counts.
 */
const SERIF_FONTS: readonly Font[] = [
  ['Liberation Serif', '/usr/share/fonts/truetype/liberation/LiberationSerif-Regular.ttf'],
  ['Liberation Serif', '/usr/share/fonts/truetype/liberation2/LiberationSerif-Regular.ttf'],
  ['Noto Serif', join(root, 'node_modules/@fontsource/noto-serif/files/noto-serif-latin-400-normal.woff2')],
  ['DejaVu Serif', '/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf'],
];

/** The fonts of the pages: Open Sans comes with the browser, and Liberation Sans with pdf.js. */
function findFonts(): [Font, Font, Font] {
  const serif = SERIF_FONTS.find(([, file]) => file !== undefined && existsSync(file));
  if (serif === undefined)
    throw new Error(
      'The pages need a font with serifs: apt-get install fonts-liberation, ' +
        'or npm install --no-save @fontsource/noto-serif.',
    );
  return [['Open Sans'], ['Liberation Sans', join(STANDARD_FONTS, 'LiberationSans-Regular.ttf')], serif];
}

/** What is done to a page. `degrees`: how it is turned. `noise`: the standard deviation of its greys. */
type Damage = { name: string; degrees: number; noise: number };

const DAMAGES: readonly Damage[] = [
  { name: 'clean', degrees: 0, noise: 0 },
  { name: 'skewed', degrees: 1.5, noise: 0 },
  { name: 'noisy', degrees: 0, noise: 30 },
];
const BOTH: Damage = { name: 'skewed and noisy', degrees: 1.5, noise: 30 };

export type WrittenPage = { font: string; dpi: number; damage: Damage; text: string; png: Buffer };

/** About 330 words a page, of the documentation of this service. */
const PAGE_LENGTH = 2_000;

function pageTexts(): string[] {
  const prose = ['scaling', 'operating', 'meaning', 'models', 'changes']
    .map((name) => readFileSync(join(root, `docs/${name}.md`), 'utf8'))
    .join('\n')
    .replace(/```[\s\S]*?```|^\|.*$|\]\([^)]*\)/gm, ' ')
    .replace(/[#|*`<>[\]_~\\]/g, ' ')
    .replace(/[^\x20-\x7e\n]/g, ' ')
    .replace(/\s+/g, ' ');
  return Array.from({ length: 20 }, (_, i) => {
    const piece = prose.slice(i * PAGE_LENGTH, (i + 1) * PAGE_LENGTH);
    return piece.slice(piece.indexOf(' ') + 1, piece.lastIndexOf(' '));
  });
}

const html = (text: string, file: string | undefined, { degrees }: Damage): string => {
  const data = file && readFileSync(file).toString('base64');
  const face = data ? `@font-face { font-family: F; src: url(data:font/opentype;base64,${data}) }` : '';
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return (
    `<style>${face} body { margin: 0; background: white } ` +
    `p { font: 11pt/1.4 ${data ? 'F' : '"Open Sans"'}; margin: 70px; transform: rotate(${degrees}deg) }</style>` +
    `<p>${escaped}</p>`
  );
};

/** A4 pages, each with other text. */
export async function writePages(): Promise<WrittenPage[]> {
  const fonts = findFonts();
  const server = await startBrowser();
  if (server === undefined) throw new Error('the pages need a browser');
  const browser = await chromium.connect(server.wsEndpoint());
  const texts = pageTexts();
  const pages: WrittenPage[] = [];
  const write = async ([font, file]: Font, dpi: number, damage: Damage) => {
    const text = texts[pages.length] ?? '';
    const page = await browser.newPage({
      viewport: { width: 794, height: 1123 },
      deviceScaleFactor: dpi / 96,
    });
    await page.setContent(html(text, file, damage));
    await page.evaluate('document.fonts.ready');
    pages.push({ font, dpi, damage, text, png: await page.screenshot() });
    await page.close();
  };
  for (const dpi of [150, 300]) {
    for (const font of fonts) for (const damage of DAMAGES) await write(font, dpi, damage);
    await write(fonts[2], dpi, BOTH);
  }
  await browser.close();
  await server.close();
  return pages;
}
