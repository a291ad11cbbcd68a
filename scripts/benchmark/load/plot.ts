/** Line plots as SVG, which light and dark pages show alike: colours follow the reader's own preference. */

/** `colour` and `style` count from 0: the same colour or the same style of lines shows what belongs together. */
export type Series = {
  name: string;
  colour: number;
  style: number;
  points: (readonly [x: number, y: number])[];
};

/** One plot. `isLogarithmic`: its x axis; its values are then above 0. */
export type Panel = {
  title: string;
  xLabel: string;
  yLabel: string;
  isLogarithmic: boolean;
  series: Series[];
};

const WIDTH = 440;
const HEIGHT = 250;
const MARGIN = { top: 34, right: 36, bottom: 46, left: 54 };
const LEGEND_LINE = 18;
/** Panels side by side. */
const COLUMNS = 2;
/** About as many lines across the plot. */
const TICKS = 5;

/** Okabe and Ito's colours, which also the colour-blind distinguish: on white, and lighter ones on black. */
const LIGHT_COLOURS = ['#0072b2', '#d55e00', '#009e73', '#aa4499'];
const DARK_COLOURS = ['#56b4e9', '#ff9d4d', '#2fd6a5', '#dd88cc'];
const DASHES = ['none', '6 4', '2 3'];

const colourRules = (colours: string[]): string =>
  colours.map((colour, i) => `.colour${i}{stroke:${colour}}`).join('');
const STYLE = `text{font:12px system-ui,sans-serif;fill:#24292f}.title{font-weight:600;font-size:13px}
.grid{stroke:#8c959f;stroke-opacity:.3}.line{fill:none;stroke-width:2;stroke-linejoin:round}
${colourRules(LIGHT_COLOURS)}
@media(prefers-color-scheme:dark){text{fill:#d8dee4}${colourRules(DARK_COLOURS)}}`;

const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const round = (value: number): number => Math.round(value * 10) / 10;

/** From a value to its place. `ticks`: values for lines across the plot. */
type Axis = { place(value: number): number; ticks: number[] };

/** 1, 2 or 5 times a power of ten, at least `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

/** Places values between `start`, where 0 or the first value is, and `end`. */
function linearAxis(from: number, to: number, [start, end]: [number, number]): Axis {
  const step = roundStep(Math.max(to - from, Number.MIN_VALUE) / TICKS);
  const last = Math.max(step, Math.ceil(to / step) * step);
  const count = Math.round((last - from) / step) + 1;
  return {
    place: (value) => start + ((end - start) * (value - from)) / (last - from),
    ticks: Array.from({ length: count }, (_, i) => from + i * step),
  };
}

/** The ticks are the values themselves. */
function logarithmicAxis(values: number[], [start, end]: [number, number]): Axis {
  const ticks = [...new Set(values)].toSorted((left, right) => left - right);
  const [first = 1, last = first] = [ticks[0], ticks.at(-1)];
  const span = Math.log(last / first) || 1;
  return { place: (value) => start + ((end - start) * Math.log(value / first)) / span, ticks };
}

function drawGrid({ xLabel, yLabel }: Panel, x: Axis, y: Axis): string {
  const [bottom, right] = [HEIGHT - MARGIN.bottom, WIDTH - MARGIN.right];
  const horizontal = y.ticks.map((value) => {
    const at = round(y.place(value));
    const label = value.toLocaleString('en', { maximumSignificantDigits: 3 });
    return `<path class="grid" d="M${MARGIN.left} ${at}H${right}"/>
<text x="${MARGIN.left - 6}" y="${at + 4}" text-anchor="end">${label}</text>`;
  });
  const vertical = x.ticks.map((value) => {
    const at = round(x.place(value));
    return `<path class="grid" d="M${at} ${MARGIN.top}V${bottom}"/>
<text x="${at}" y="${bottom + 16}" text-anchor="middle">${value.toLocaleString('en')}</text>`;
  });
  const middle = (MARGIN.left + right) / 2;
  const labels = `<text x="${middle}" y="${bottom + 34}" text-anchor="middle">${escapeText(xLabel)}</text>
<text x="4" y="${MARGIN.top - 12}">${escapeText(yLabel)}</text>`;
  return [...horizontal, ...vertical, labels].join('\n');
}

function drawSeries({ colour, style, points }: Series, x: Axis, y: Axis): string {
  const places = points
    .filter(([, value]) => Number.isFinite(value))
    .map(([at, value]) => `${round(x.place(at))} ${round(y.place(value))}`);
  if (places.length === 0) return '';
  const look =
    `class="line colour${colour % LIGHT_COLOURS.length}" ` +
    `stroke-dasharray="${DASHES[style % DASHES.length]}"`;
  return `<path ${look} d="M${places.join('L')}"/>`;
}

function drawLegend(series: Series[]): string {
  return series
    .map(({ name, colour, style }, i) => {
      const middle = HEIGHT + i * LEGEND_LINE;
      const look =
        `class="line colour${colour % LIGHT_COLOURS.length}" ` +
        `stroke-dasharray="${DASHES[style % DASHES.length]}"`;
      return `<path ${look} d="M${MARGIN.left} ${middle}h32"/>
<text x="${MARGIN.left + 40}" y="${middle + 4}">${escapeText(name)}</text>`;
    })
    .join('\n');
}

function drawPanel(panel: Panel): string {
  const points = panel.series.flatMap((series) => series.points);
  const width: [number, number] = [MARGIN.left, WIDTH - MARGIN.right];
  const xs = points.map(([x]) => x);
  const x = panel.isLogarithmic ? logarithmicAxis(xs, width) : linearAxis(0, Math.max(0, ...xs), width);
  const highest = Math.max(0, ...points.map(([, value]) => value).filter(Number.isFinite));
  const y = linearAxis(0, highest, [HEIGHT - MARGIN.bottom, MARGIN.top]);
  const lines = panel.series.map((series) => drawSeries(series, x, y)).join('\n');
  const title = `<text class="title" x="${WIDTH / 2}" y="16" text-anchor="middle">${escapeText(panel.title)}</text>`;
  return [title, drawGrid(panel, x, y), lines, drawLegend(panel.series)].join('\n');
}

/** Returns the panels as one SVG file, two side by side. */
export function plotPanels(panels: Panel[]): string {
  const panelHeight = HEIGHT + LEGEND_LINE * Math.max(0, ...panels.map(({ series }) => series.length));
  const columns = Math.min(COLUMNS, panels.length);
  const [width, height] = [columns * WIDTH, Math.ceil(panels.length / COLUMNS) * panelHeight];
  const drawn = panels.map((panel, i) => {
    const [left, top] = [(i % COLUMNS) * WIDTH, Math.floor(i / COLUMNS) * panelHeight];
    return `<g transform="translate(${left} ${top})">\n${drawPanel(panel)}\n</g>`;
  });
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">
<style>${STYLE}</style>
${drawn.join('\n')}
</svg>
`;
}
