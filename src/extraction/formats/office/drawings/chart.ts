/** Reads charts with the values that they show (ECMA-376 part 1, 21.2), as Office programs keep them in the chart. */
import {
  attributeOf,
  childOf,
  childrenOf,
  descendants,
  readXmlTree,
  textOf,
  type XmlElement,
} from '../../../markup/xml-tree.ts';
import type { HtmlRenderer } from '../../../rendering/html-renderer.ts';
import { valueFormat } from '../../number-format.ts';
import { isSwitchedOn } from '../on-off.ts';
import { type Chart, joinLevels, type Points, type Series, writeChart } from './chart-table.ts';
import { readExtendedChart } from './extended-chart.ts';

/** Writes a chart's part: its titles, and its values by category and series. */
export function writeChartPart(part: Uint8Array, renderer: HtmlRenderer): void {
  const root = readXmlTree(part);
  const [data] = descendants(root, new Set(['chartData']));
  writeChart(renderer, data ? readExtendedChart(root, data) : readChart(root));
}

function readChart(root: XmlElement): Chart {
  const [chart] = descendants(root, new Set(['chart']));
  const [plot] = chart ? descendants(chart, new Set(['plotArea'])) : [];
  const axes = (plot?.children ?? []).filter((child) => typeof child !== 'string').filter(isAxis);
  const [categoryAxis] = axes;
  const epoch1904 = isSwitchedOn(descendants(root, new Set(['date1904']))[0]);
  return {
    titles: [
      titleOf(chart),
      ...axes.filter((axis) => axis !== categoryAxis).map(titleOf),
      ...(chart ? descendants(chart, new Set(['dLbl'])) : []).map((label) => richText(childOf(label, 'tx'))),
    ],
    categoryName: titleOf(categoryAxis),
    series: (plot ? descendants(plot, new Set(['ser'])) : []).map((series) => readSeries(series, epoch1904)),
  };
}

const isAxis = ({ name }: XmlElement): boolean => /^(?:cat|val|date|ser)Ax$/.test(name);

/** A title is rich text, or the cached text of a cell. */
function titleOf(element: XmlElement | undefined): string {
  const text = childOf(element, 'title', 'tx');
  return richText(text) || [...pointsOf(text, false).values()].join(' ');
}

function richText(text: XmlElement | undefined): string {
  const paragraphs = childrenOf(childOf(text, 'rich'), 'p');
  return paragraphs
    .map((paragraph) => descendants(paragraph, TEXTS).map(textOf).join(''))
    .join(' ')
    .trim();
}

const TEXTS = new Set(['t']);

function readSeries(series: XmlElement, epoch1904: boolean): Series {
  const text = childOf(series, 'tx');
  const name = [...pointsOf(text, epoch1904).values()].join(' ') || textOf(childOf(text, 'v')).trim();
  const sizes = pointsOf(childOf(series, 'bubbleSize'), epoch1904);
  return {
    categories: pointsOf(childOf(series, 'cat') ?? childOf(series, 'xVal'), epoch1904),
    values: [
      { name, points: pointsOf(childOf(series, 'val') ?? childOf(series, 'yVal'), epoch1904) },
      ...(sizes.size > 0 ? [{ name: `${name} (size)`, points: sizes }] : []),
    ],
  };
}

const CACHES = new Set(['strCache', 'numCache', 'strLit', 'numLit', 'multiLvlStrCache']);

/** The points of a reference to cells (as cached in the chart) or of literal data. */
function pointsOf(element: XmlElement | undefined, epoch1904: boolean): Points {
  const [cache] = element ? descendants(element, CACHES) : [];
  if (!cache) return new Map();
  const isNumber = cache.name === 'numCache' || cache.name === 'numLit';
  const common = valueFormat(textOf(childOf(cache, 'formatCode')), { epoch1904 });
  const show = (point: XmlElement): string => {
    const written = textOf(childOf(point, 'v')).trim();
    if (!isNumber) return written;
    const own = attributeOf(point, 'formatCode');
    return (own === undefined ? common : valueFormat(own, { epoch1904 })).number(written);
  };
  const read = (level: XmlElement): Points =>
    new Map(childrenOf(level, 'pt').map((point) => [Number(attributeOf(point, 'idx') ?? 0), show(point)]));
  return cache.name === 'multiLvlStrCache' ? joinLevels(childrenOf(cache, 'lvl').map(read)) : read(cache);
}
