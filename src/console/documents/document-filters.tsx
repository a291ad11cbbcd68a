/** Filters of the list of documents, by title, status and attributes, and its order on narrow screens. */
import { useEffect, useState } from 'preact/hooks';
import type { DocumentStatus, KnowledgeBase } from '../../client/index.ts';
import { formatCount } from '../format.ts';
import { route, setParameters } from '../routes.ts';
import { ORDERS, type Order, writeOrder } from './order.ts';
import { STATUS_NAMES } from './status.tsx';

/** A pause in typing that ends a word. */
const TYPING_PAUSE_MS = 300;

/** Changes a parameter of the page. An empty value takes it away. */
export function changeParameter(name: string, value: string): void {
  const next = new URLSearchParams(route.value.parameters);
  if (value === '') next.delete(name);
  else next.set(name, value);
  setParameters(next);
}

function StatusFilter({ documentCount = 0, documentsByStatus }: KnowledgeBase) {
  return (
    <select
      aria-label="Status"
      value={route.value.parameters.get('status') ?? ''}
      onChange={(event) => changeParameter('status', event.currentTarget.value)}
    >
      <option value="">All statuses ({formatCount(documentCount)})</option>
      {Object.entries(STATUS_NAMES).map(([status, name]) => (
        <option key={status} value={status}>
          {name} ({formatCount(documentsByStatus?.[status as DocumentStatus] ?? 0)})
        </option>
      ))}
    </select>
  );
}

/** The order of the table, which its head changes where there is room for that. */
const OrderChoice = ({ order }: { order: Order }) => (
  <select
    class="order-choice"
    aria-label="Order"
    value={writeOrder(order)}
    onChange={(event) => changeParameter('order', event.currentTarget.value)}
  >
    {ORDERS.map(([written, name]) => (
      <option key={written} value={written}>
        {name}
      </option>
    ))}
  </select>
);

/** `order` undefined: the list is too long for another one. */
type FiltersProps = { knowledgeBase: KnowledgeBase; order: Order | undefined };

/** The filters are parameters of the page, so that a reload and a link keep them. */
export function Filters({ knowledgeBase, order }: FiltersProps) {
  const [title, setTitle] = useState(route.value.parameters.get('title') ?? '');
  useEffect(() => {
    if (title === (route.value.parameters.get('title') ?? '')) return;
    const timer = setTimeout(() => changeParameter('title', title), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [title]);
  return (
    <div class="row filters">
      <input
        type="search"
        aria-label="Filter by title"
        placeholder="Filter by title"
        dir="auto"
        maxLength={256}
        value={title}
        onInput={(event) => setTitle(event.currentTarget.value)}
      />
      <StatusFilter {...knowledgeBase} />
      {order && <OrderChoice order={order} />}
    </div>
  );
}
