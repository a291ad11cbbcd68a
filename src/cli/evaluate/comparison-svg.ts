/** A comparison of ways to find as an SVG picture, in light and dark colours. */
import type { Comparison, WayFigures } from '../../evaluation/compare-ways.ts';
import { DEPTH } from '../../evaluation/measures.ts';
import { describeVerdict, formatFigure } from '../../evaluation/verdict.ts';
import { indent } from '../../terminal/highlighted-text.ts';

/** All lengths in pixels. */
const [WIDTH, MARGIN, ROW, LABELS] = [720, 24, 30, 150];
const [CURVES_HEIGHT, LINE] = [200, 20];
/** Letters of the verdict on a line. */
const VERDICT_LETTERS = 92;

/** Colours that differ also in lightness, for those who do not tell red from green (Okabe and Ito, 2008). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7'];
const DASHES = ['', '6 3', '2 3', '10 3 2 3'];

const STYLE = `text{font:13px system-ui,sans-serif;fill:#1b1b19}.muted{fill:#60605a}.bold{font-weight:600}
.axis{stroke:#8b8b84}.grid{stroke:#e2e2dd}.paper{fill:#fff}
@media(prefers-color-scheme:dark){text{fill:#ececee}.muted{fill:#a5a5ad}
.axis{stroke:#7c7c83}.grid{stroke:#323236}.paper{fill:#1c1c1e}}`;

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const round = (length: number): number => Math.round(length * 10) / 10;

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escapeMarkup(content)}</text>`;

const line = ([x1, y1]: [number, number], [x2, y2]: [number, number], attributes: string): string =>
  `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" ${attributes}/>`;

const [LEFT, RIGHT] = [MARGIN + LABELS, WIDTH - MARGIN];

/** nDCG@10 of each way with its interval. `top`: where the drawing begins. */
function drawIntervals(rows: readonly WayFigures[], top: number): string[] {
  const xOf = (figure: number) => LEFT + figure * (RIGHT - LEFT);
  const bottom = top + rows.length * ROW;
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((figure) => [
    line([xOf(figure), top], [xOf(figure), bottom], 'class="grid"'),
    text(xOf(figure), bottom + LINE - 4, String(figure), 'text-anchor="middle" class="muted"'),
  ]);
  const intervals = rows.flatMap(({ way, ndcg, interval: { low, high } }, index) => {
    const y = top + (index + 0.5) * ROW;
    const stroke = `stroke="${COLOURS[index]}" stroke-width="3"`;
    return [
      text(MARGIN, y + 4, `${way}  ${formatFigure(ndcg)}`),
      line([xOf(low), y], [xOf(high), y], stroke),
      ...[low, high].map((end) => line([xOf(end), y - 5], [xOf(end), y + 5], stroke)),
      `<circle cx="${round(xOf(ndcg))}" cy="${round(y)}" r="6" fill="${COLOURS[index]}"/>`,
    ];
  });
  return [...grid, ...intervals];
}

/** The share of questions with a right document among the first 1 to 10, a line for each way. */
function drawCurves(rows: readonly WayFigures[], top: number): string[] {
  const bottom = top + CURVES_HEIGHT;
  const xOf = (place: number) => LEFT + ((place - 1) / (DEPTH - 1)) * (RIGHT - LEFT);
  const yOf = (share: number) => bottom - share * CURVES_HEIGHT;
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    line([LEFT, yOf(share)], [RIGHT, yOf(share)], `class="${share === 0 ? 'axis' : 'grid'}"`),
    text(LEFT - 8, yOf(share) + 4, `${100 * share} %`, 'text-anchor="end" class="muted"'),
  ]);
  const places = Array.from({ length: DEPTH }, (_, index) =>
    text(xOf(index + 1), bottom + LINE - 2, String(index + 1), 'text-anchor="middle" class="muted"'),
  );
  const curves = rows.flatMap(({ way, foundWithin }, index) => {
    const points = foundWithin
      .map((share, place) => `${round(xOf(place + 1))},${round(yOf(share))}`)
      .join(' ');
    const stroke = `stroke="${COLOURS[index]}" stroke-width="2.5" stroke-dasharray="${DASHES[index]}"`;
    const y = top + 12 + index * LINE;
    return [
      `<polyline points="${points}" fill="none" ${stroke}/>`,
      line([MARGIN, y - 4], [MARGIN + 28, y - 4], stroke),
      text(MARGIN + 36, y, way),
    ];
  });
  return [...grid, ...places, ...curves];
}

/** The picture. Its description is the verdict, which is also written below. */
export function toSvg(comparison: Comparison): string {
  const { rows, questions } = comparison;
  const verdict = describeVerdict(comparison);
  const curvesTop = MARGIN + 76 + rows.length * ROW + 30;
  const verdictTop = curvesTop + CURVES_HEIGHT + 56;
  const verdictLines = indent(verdict, '', VERDICT_LETTERS)
    .split('\n')
    .map((words) => words.trim());
  const height = verdictTop + (verdictLines.length - 1) * LINE + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}"`,
    'role="img" aria-labelledby="title verdict">',
    `<title id="title">Ways to find, compared by ${questions} questions</title>`,
    `<desc id="verdict">${escapeMarkup(verdict)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}"/>`,
    text(MARGIN, MARGIN + 10, 'nDCG@10, and where it is in 95 of 100 cases', 'class="bold"'),
    ...drawIntervals(rows, MARGIN + 22),
    text(MARGIN, curvesTop - 18, 'Questions with a right document among the first …', 'class="bold"'),
    ...drawCurves(rows, curvesTop),
    ...verdictLines.map((words, index) => text(MARGIN, verdictTop + index * LINE, words)),
    '</svg>\n',
  ].join('\n');
}
