/** Reads tables of contents: the navigation document of EPUB 3 (3.3, 5), and the NCX of EPUB 2. */
import { attribute, readXml } from '../../markup/read-xml.ts';
import { oneLine } from '../web/page-title.ts';

/** The first title of each address, as written. Takes linear time. */
export function readContents(part: Uint8Array): Map<string, string> {
  const titles = new Map<string, string>();
  /** The address that the next title belongs to, or the title that the next address belongs to. */
  const entry = { href: '', title: '' };
  let isTitle = false;
  const end = (): void => {
    isTitle = false;
    const title = oneLine(entry.title);
    // Entries for the places in a chapter follow the entry for the chapter.
    if (title !== '' && !titles.has(entry.href)) titles.set(entry.href, title);
  };
  readXml(part, {
    open(name, attributes) {
      if (name === 'a')
        Object.assign(entry, { href: withoutPlace(attribute(attributes, 'href')), title: '' });
      if (name === 'text') entry.title = '';
      if (name === 'a' || name === 'text') isTitle = true;
      if (name !== 'content') return;
      entry.href = withoutPlace(attribute(attributes, 'src'));
      end();
    },
    close(name) {
      if (name === 'a') end();
      if (name === 'text') isTitle = false;
    },
    text(written) {
      if (isTitle) entry.title += written;
    },
  });
  return titles;
}

const withoutPlace = (href = ''): string => href.replace(/#.*$/s, '');
