/** Filters of the list of documents, by title, status and attributes, and its order on narrow screens. */
import { useEffect, useState } from 'preact/hooks';
import type { DocumentStatus, KnowledgeBase } from '../../client/index.ts';
import { formatCount } from '../format.ts';
import { Select } from '../parts/fields/select.tsx';
import { route, setParameters } from '../routes.ts';
import { ORDER_NAMES, type Order, writeOrder } from './order.ts';
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
  const names: Record<string, string> = { '': `All statuses (${formatCount(documentCount)})` };
  for (const [status, name] of Object.entries(STATUS_NAMES))
    names[status] = `${name} (${formatCount(documentsByStatus?.[status as DocumentStatus] ?? 0)})`;
  return (
    <Select
      aria-label="Status"
      names={names}
      value={route.value.parameters.get('status') ?? ''}
      onChange={(status) => changeParameter('status', status)}
    />
  );
}

/** The order of the table, which its head changes where there is room for that. */
const OrderChoice = ({ order }: { order: Order }) => (
  <Select
    class="order-choice"
    aria-label="Order"
    names={ORDER_NAMES}
    value={writeOrder(order)}
    onChange={(written) => changeParameter('order', written)}
  />
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
