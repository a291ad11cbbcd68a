/** Reads the titles of charts on sheets (OpenDocument 1.3 part 3, clause 11). Their values stand in cells. */
import { readXml } from '../../../markup/read-xml.ts';

const TITLES = new Set(['title', 'subtitle', 'footer']);

/** The titles of a chart and of its axes; undefined where the object is no chart. */
export function chartTitles(content: Uint8Array): string[] | undefined {
  const titles: string[] = [];
  let title: string | undefined;
  let isChart = false;
  readXml(content, {
    open(name) {
      if (name === 'chart') isChart = true;
      if (TITLES.has(name)) title = '';
      if (name === 's' || name === 'line-break') title = title === undefined ? undefined : `${title} `;
    },
    close(name) {
      if (!TITLES.has(name) || title === undefined) return;
      if (title.trim() !== '') titles.push(title.trim());
      title = undefined;
    },
    text(written) {
      if (title !== undefined) title += written;
    },
  });
  return isChart ? titles : undefined;
}
