/** One question with what each way has found, side by side, to mark what is right. */
import { DEPTH } from '../../evaluation/measures.ts';
import type { Way } from '../../evaluation/ways.ts';
import { countOf } from '../format.ts';
import { addressOf } from '../routes.ts';
import { type AskedWays, comparison, countRight, type FoundPassage, isRight, mark } from './comparison.ts';

/** The best passage of each document, as far as it counts. */
const bestOfDocuments = (found: FoundPassage[]): FoundPassage[] =>
  found
    .filter(({ document_id }, i) => found.findIndex((other) => other.document_id === document_id) === i)
    .slice(0, DEPTH);

/** The ways in an order that differs from one question to the next, so that no column betrays its way. */
function shuffle(ways: readonly Way[], question: string): Way[] {
  let mixed = 0;
  for (const letter of question) mixed = (Math.imul(mixed, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  const left = [...ways];
  return Array.from(ways, () => {
    const [taken = 'words'] = left.splice(mixed % left.length, 1);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0x5bd1e995) >>> 0;
    return taken;
  });
}

const COLUMN_NAMES = ['A', 'B', 'C', 'D'];

type Column = { name: string; way: Way };

export const columnsOf = (ways: readonly Way[], question: string, isBlind: boolean): Column[] =>
  isBlind
    ? shuffle(ways, question).map((way, i) => ({ way, name: COLUMN_NAMES[i] ?? way }))
    : ways.map((way) => ({ way, name: way }));

function Document({
  question,
  passage,
  column,
}: {
  question: string;
  passage: FoundPassage;
  column: string;
}) {
  const { document_id, title, snippet, content } = passage;
  return (
    <li class="card judged">
      <label class="choice">
        <input
          type="checkbox"
          checked={isRight(question, passage)}
          aria-label={`${title} is right (column ${column})`}
          onChange={(event) => mark(question, passage, event.currentTarget.checked)}
        />
        <span dir="auto">{title}</span>
      </label>
      <p class="judged-text clamped" dir="auto">
        {snippet?.text ?? content}
      </p>
      <a href={addressOf.document(document_id)} target="_blank" rel="noreferrer">
        Read it
      </a>
    </li>
  );
}

type JudgingProps = { question: string; asked: AskedWays; ways: readonly Way[] };

export function Judging({ question, asked, ways }: JudgingProps) {
  const columns = columnsOf(ways, question, comparison.value.isBlind);
  return (
    <section aria-label="Results of this question" class="stack">
      <h2 dir="auto">{question}</h2>
      <p class="hint" role="status">
        Mark the documents that answer it: {countOf(countRight(question), 'document')} marked. A mark counts
        in all columns.
      </p>
      <div class="columns" style={{ '--columns': columns.length }}>
        {columns.map(({ way, name }) => {
          const documents = bestOfDocuments(asked.get(way)?.found ?? []);
          return (
            <section key={way} aria-label={`Column ${name}`}>
              <h3>{name}</h3>
              {documents.length === 0 && <p class="hint">Nothing was found.</p>}
              <ol>
                {documents.map((passage) => (
                  <Document key={passage.document_id} question={question} passage={passage} column={name} />
                ))}
              </ol>
            </section>
          );
        })}
      </div>
    </section>
  );
}
