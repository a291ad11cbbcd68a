/** The figures of a comparison: a table with a plot, and which way to take. */
import type { Comparison, WayFigures } from '../../evaluation/compare-ways.ts';
import { describeNotes, describeVerdict, formatFigure } from '../../evaluation/verdict.ts';

const percent = (share: number | undefined): string => `${Math.round(100 * (share ?? 0))} %`;

/** nDCG@10 from 0 to 1, and the interval that has it in 95 of 100 cases. */
const Interval = ({ ndcg, interval: { low, high } }: WayFigures) => (
  <span class="interval" aria-hidden="true">
    <span class="interval-range" style={{ left: `${100 * low}%`, width: `${100 * (high - low)}%` }} />
    <span class="interval-middle" style={{ left: `${100 * ndcg}%` }} />
  </span>
);

function Row({ figures }: { figures: WayFigures }) {
  const { way, ndcg, interval, foundWithin, better, worse, medianMs } = figures;
  return (
    <tr>
      <th scope="row">{way}</th>
      <td title={`${formatFigure(interval.low)} to ${formatFigure(interval.high)} in 95 of 100 cases`}>
        {formatFigure(ndcg)}
      </td>
      <td>
        <Interval {...figures} />
      </td>
      <td>{percent(foundWithin[0])}</td>
      <td>{percent(foundWithin[4])}</td>
      <td>{percent(foundWithin[9])}</td>
      <td>{better}</td>
      <td>{worse}</td>
      <td>{medianMs === undefined ? '–' : `${Math.round(medianMs)} ms`}</td>
    </tr>
  );
}

export const Figures = ({ comparison }: { comparison: Comparison }) => (
  <div class="card figures">
    <p class="verdict" role="status">
      {describeVerdict(comparison)}
    </p>
    {describeNotes(comparison).map((sentence) => (
      <p key={sentence} class="hint">
        {sentence}
      </p>
    ))}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
    <div class="figures-scroll" tabIndex={0} role="group" aria-label="Figures of each way">
      <table>
        <thead>
          <tr>
            <th scope="col">by</th>
            <th scope="col">nDCG@10</th>
            <th scope="col">from 0 to 1</th>
            <th scope="col">right one first</th>
            <th scope="col">in the first 5</th>
            <th scope="col">first 10</th>
            <th scope="col">better</th>
            <th scope="col">worse</th>
            <th scope="col">median time</th>
          </tr>
        </thead>
        <tbody>
          {comparison.rows.map((figures) => (
            <Row key={figures.way} figures={figures} />
          ))}
        </tbody>
      </table>
    </div>
    <p class="hint">
      nDCG@10 is 1 where the right documents come first; the line shows where it is in 95 of 100 cases. Better
      and worse count questions, beside words. Documents that nothing has found, and that no table names, do
      not count.
    </p>
  </div>
);
