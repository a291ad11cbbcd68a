/** Reads charts of Excel 2016 and later, such as waterfalls and treemaps ([MS-ODRAWXML] 2.24.3). */
import {
  attributeOf,
  childOf,
  childrenOf,
  descendants,
  textOf,
  type XmlElement,
} from '../../../markup/xml-tree.ts';
import { valueFormat } from '../../number-format.ts';
import { type Chart, joinLevels, type Points, type Series } from './chart-table.ts';

/** `data`: the chart's data, to which its series refer by number. */
export function readExtendedChart(root: XmlElement, data: XmlElement): Chart {
  const sets = new Map(childrenOf(data, 'data').map((set) => [attributeOf(set, 'id') ?? '', set]));
  const [categoryAxis, ...axes] = descendants(root, new Set(['axis']));
  const [chart] = descendants(root, new Set(['chart']));
  return {
    titles: [chart, ...axes].map((element) => textIn(childOf(element, 'title'))),
    categoryName: textIn(childOf(categoryAxis, 'title')),
    series: descendants(root, new Set(['series'])).map((series) => {
      const id = attributeOf(childOf(series, 'dataId'), 'val') ?? '';
      return readSeries(textIn(childOf(series, 'tx')), sets.get(id));
    }),
  };
}

function readSeries(name: string, set: XmlElement | undefined): Series {
  const categories = childOf(set, 'strDim');
  return {
    categories: joinLevels(childrenOf(categories, 'lvl').map((level) => pointsOf(level, (text) => text))),
    values: childrenOf(set, 'numDim').map((numbers) => ({
      name,
      points: joinLevels(
        childrenOf(numbers, 'lvl').map((level) => {
          const format = valueFormat(attributeOf(level, 'formatCode') ?? '', { epoch1904: false });
          return pointsOf(level, format.number);
        }),
      ),
    })),
  };
}

function pointsOf(level: XmlElement, show: (written: string) => string): Points {
  return new Map(
    childrenOf(level, 'pt').map((point) => [
      Number(attributeOf(point, 'idx') ?? 0),
      show(textOf(point).trim()),
    ]),
  );
}

/** Rich text, or the cached value of a cell. */
function textIn(element: XmlElement | undefined): string {
  if (!element) return '';
  const texts = descendants(element, new Set(['t', 'v']));
  return texts.map(textOf).join('').trim();
}
