/** The documents as a table. Only the rows near the screen are in the page, so that ten thousand are no more work. */
import { useEffect, useState } from 'preact/hooks';
import { pageUnit } from '../../client/found-place.ts';
import type { Document } from '../../client/index.ts';
import { countOf, formatBytes, formatCount } from '../format.ts';
import { withChoice } from '../parts/fields/choice.tsx';
import { Time } from '../parts/time.tsx';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { addressOf } from '../routes.ts';
import { type Column, type Order, orderBy } from './order.ts';
import { failureRemedy, hasFailed, StatusBadge } from './status.tsx';

/** Heights of a row in pixels: two lines, and on narrow screens three. */
const [ROW_HEIGHT, NARROW_ROW_HEIGHT] = [54, 78];
const NARROW = matchMedia('(max-width: 44rem)');

function useRowHeight(): number {
  const [isNarrow, setIsNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const update = () => setIsNarrow(NARROW.matches);
    NARROW.addEventListener('change', update);
    return () => NARROW.removeEventListener('change', update);
  }, []);
  return isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
}

/** The second line of a row: what the document is, or why it cannot be searched and what helps. */
function Details({ document }: { document: Document }) {
  const { type, error, passageCount, pageCount, warnings = [], attributes } = document;
  const missing = warnings.map(({ message }) => message);
  if (hasFailed(document) && error !== undefined) {
    const text = [error.message, ...missing, failureRemedy(document)].filter(Boolean).join(' ');
    return (
      <span class="hint bad one-line" title={text} dir="auto">
        {text}
      </span>
    );
  }
  return (
    <span class="hint one-line">
      {[
        type,
        pageCount !== undefined && countOf(pageCount, pageUnit(type)),
        passageCount !== undefined && passageCount > 0 && countOf(passageCount, 'passage'),
        attributes !== undefined && countOf(Object.keys(attributes).length, 'attribute'),
      ]
        .filter(Boolean)
        .join(' · ')}
      {missing.length > 0 && (
        <>
          {' · '}
          <span class="wait" title={missing.join('\n')} dir="auto">
            {missing.length > 1 && `${countOf(missing.length, 'warning')}: `}
            {missing[0]}
          </span>
        </>
      )}
    </span>
  );
}

type Selected = ReadonlySet<string>;

/** `order` undefined: the list is too long for another one. */
type OrderProps = { order: Order | undefined; onOrder(order: Order): void };

const COLUMNS: [column: Column, name: string][] = [
  ['title', 'Document'],
  ['size', 'Size'],
  ['status', 'Status'],
  ['added', 'Added'],
];

/** The name of a column; a click puts the documents in its order. */
function ColumnHead({ column, name, order, onOrder }: OrderProps & { column: Column; name: string }) {
  if (order === undefined) return <span role="columnheader">{name}</span>;
  const direction = order.isDescending ? 'descending' : 'ascending';
  const isOrdered = order.column === column;
  return (
    <span role="columnheader" aria-sort={isOrdered ? direction : 'none'}>
      <button type="button" class="quiet sort" onClick={() => onOrder(orderBy(column, order))}>
        {name}
        <span class={isOrdered ? `arrow ${direction}` : 'arrow'} aria-hidden="true" />
      </button>
    </span>
  );
}

type HeadProps = OrderProps & {
  documents: Document[];
  selected: Selected;
  onSelect: ((selected: Selected) => void) | undefined;
};

function Head({ documents, selected, onSelect, ...order }: HeadProps) {
  const isAll = documents.length > 0 && selected.size === documents.length;
  return (
    <div role="rowgroup">
      <div role="row" aria-rowindex={1} class="muted label documents-head">
        {onSelect && (
          <span role="columnheader">
            <input
              type="checkbox"
              aria-label={`Select all ${formatCount(documents.length)} that are loaded`}
              checked={isAll}
              indeterminate={selected.size > 0 && !isAll}
              onChange={() => onSelect(isAll ? new Set() : new Set(documents.map(({ id }) => id)))}
            />
          </span>
        )}
        {COLUMNS.map(([column, name]) => (
          <ColumnHead key={column} column={column} name={name} {...order} />
        ))}
      </div>
    </div>
  );
}

/** `onSelect` undefined: it cannot be selected. */
type CellsProps = {
  document: Document;
  isSelected: boolean;
  onSelect: ((isSelected: boolean) => void) | undefined;
};

const Cells = ({ document, isSelected, onSelect }: CellsProps) => (
  <>
    {onSelect && (
      <span role="cell">
        <input
          type="checkbox"
          aria-label={`Select ${document.title}`}
          checked={isSelected}
          onChange={(event) => onSelect(event.currentTarget.checked)}
        />
      </span>
    )}
    <span role="cell" class="document-title">
      <a class="title one-line" href={addressOf.document(document.id)} dir="auto">
        {document.title}
      </a>
      <Details document={document} />
    </span>
    <span role="cell" class="muted">
      {formatBytes(document.size)}
    </span>
    <span role="cell">
      <StatusBadge status={document.status} />
    </span>
    <span role="cell" class="muted">
      <Time at={document.createdAt} />
    </span>
  </>
);

/** `onSelect` undefined: the key may not change documents. */
type DocumentTableProps = HeadProps & { onEndNear(): void };

export function DocumentTable({ onEndNear, ...head }: DocumentTableProps) {
  const { documents, selected, onSelect } = head;
  const rowHeight = useRowHeight();
  const selectOne = (id: string) =>
    onSelect && ((isSelected: boolean) => onSelect(withChoice(selected, id, isSelected)));
  return (
    <div
      class={`card documents ${onSelect ? 'selectable' : ''}`}
      role="table"
      aria-label="Documents"
      aria-rowcount={documents.length + 1}
    >
      <Head {...head} />
      <VirtualRows
        rows={documents}
        rowHeight={rowHeight}
        keyOf={({ id }) => id}
        onEndNear={onEndNear}
        render={(document) => (
          <Cells
            document={document}
            isSelected={selected.has(document.id)}
            onSelect={selectOne(document.id)}
          />
        )}
      />
    </div>
  );
}
