/**
 * Reads charts with the values that they show (OpenDocument 1.3 part 3, clause 11). The values stand in a table of the
 * chart, and its series name their cells.
 */
import {
  attributeOf,
  childOf,
  childrenOf,
  descendants,
  type XmlElement,
} from '../../../../markup/xml-tree.ts';
import { valueFormat } from '../../../number-format.ts';
import type { Chart, Points, Series } from '../../drawings/chart-table.ts';
import { isNumberStyle, numberCode } from '../styles/number-styles.ts';
import { type ChartCell, type ChartCells, chartCells, textIn } from './chart-cells.ts';

/** `root`: the chart's document. Undefined where it has no series of cells in its own table. */
export function readOdfChart(root: XmlElement): Chart | undefined {
  const chart = descendants(root, CHART).find((element) => attributeOf(element, 'class') !== undefined);
  const plot = childOf(chart, 'plot-area');
  const cells = chartCells(childOf(chart, 'table'));
  const codes = styleCodes(root);
  const axes = childrenOf(plot, 'axis');
  const categoryAxis = axes.find((axis) => attributeOf(axis, 'dimension') === 'x');
  const source: Source = { cells, codes, categoryAxis, domains: [] };
  const series = childrenOf(plot, 'series').flatMap((one) => readSeries(one, source));
  if (!chart || series.length === 0) return undefined;
  const titles = ['title', 'subtitle', 'footer'].map((name) => textIn(childOf(chart, name)));
  const others = axes.filter((axis) => axis !== categoryAxis);
  return {
    titles: [...titles, ...others.map((axis) => textIn(childOf(axis, 'title')))],
    categoryName: textIn(childOf(categoryAxis, 'title')),
    series,
  };
}

const CHART = new Set(['chart']);

type Source = {
  cells: ChartCells;
  codes: StyleCodes;
  categoryAxis: XmlElement | undefined;
  /** The cells of x values, which later series share. */
  domains: string[];
};

function readSeries(series: XmlElement, source: Source): Series[] {
  const { cells, codes, categoryAxis } = source;
  const values = cells.at(attributeOf(series, 'values-cell-range-address'));
  const domains = childrenOf(series, 'domain').map(
    (domain) => attributeOf(domain, 'cell-range-address') ?? '',
  );
  if (domains.length > 0) source.domains = domains;
  const categories = attributeOf(childOf(categoryAxis, 'categories'), 'cell-range-address');
  // Of a chart of bubbles the values are sizes, and two domains precede them: y, and x.
  const [first, second] = source.domains;
  const named = cells.at(second ?? first ?? categories);
  if (values.length === 0) return [];
  const name = cells
    .at(attributeOf(series, 'label-cell-address'))
    .map(({ text }) => text)
    .join(' ');
  const code = codes.ofSeries(series);
  const points = numbered(values, (cell) => shownValue(cell, code));
  return [
    {
      categories: numbered(named, (cell) => shownCategory(cell, codes.ofAxis(categoryAxis))),
      values: second
        ? [
            { name, points: numbered(cells.at(first), (cell) => shownValue(cell, undefined)) },
            { name: `${name} (size)`, points },
          ]
        : [{ name, points }],
    },
  ];
}

const numbered = (cells: readonly ChartCell[], show: (cell: ChartCell) => string): Points =>
  new Map(cells.map((cell, i): [number, string] => [i, show(cell)]).filter(([, text]) => text !== ''));

/** The table of a chart has NaN where a value is missing. */
function shownValue({ text, value }: ChartCell, code: string | undefined): string {
  if (value === 'NaN') return '';
  return code === undefined || value === undefined
    ? text
    : valueFormat(code, { epoch1904: false }).number(value);
}

/** An axis of dates counts days, and its table has their numbers. */
function shownCategory(cell: ChartCell, code: string | undefined): string {
  return code !== undefined && /[ymd]/i.test(code) ? shownValue(cell, code) : shownValue(cell, undefined);
}

type StyleCodes = {
  /** The code of a series; undefined where the source has the format. */
  ofSeries(series: XmlElement): string | undefined;
  ofAxis(axis: XmlElement | undefined): string | undefined;
};

const STYLES = new Set(['style']);

function styleCodes(root: XmlElement): StyleCodes {
  const styles = new Map(descendants(root, STYLES).map((style) => [attributeOf(style, 'name') ?? '', style]));
  const formats = new Map(
    ['automatic-styles', 'styles']
      .flatMap((name) => descendants(root, new Set([name])))
      .flatMap(({ children }) => children)
      .flatMap((child) => (typeof child !== 'string' && isNumberStyle(child.name) ? [child] : []))
      .map((format) => [attributeOf(format, 'name') ?? '', format]),
  );
  const codeOf = (
    element: XmlElement | undefined,
    isOwn: (style: XmlElement) => boolean,
  ): string | undefined => {
    const style = styles.get(attributeOf(element, 'style-name') ?? '');
    const format = style && isOwn(style) && formats.get(attributeOf(style, 'data-style-name') ?? '');
    return format ? numberCode(format, (name) => formats.get(name)) : undefined;
  };
  return {
    ofSeries: (series) =>
      codeOf(series, (style) => {
        const linked = attributeOf(childOf(style, 'chart-properties'), 'link-data-style-to-source');
        return linked === 'false';
      }),
    ofAxis: (axis) => codeOf(axis, () => true),
  };
}
