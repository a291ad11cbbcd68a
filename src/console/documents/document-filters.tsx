/** Filters of the list of documents, by title and status. */
import { useEffect, useState } from 'preact/hooks';
import type { DocumentStatus, KnowledgeBase } from '../../client/index.ts';
import { formatCount } from '../format.ts';
import { route, setParameters } from '../routes.ts';
import { STATUS_NAMES } from './status.tsx';

/** A pause in typing that ends a word. */
const TYPING_PAUSE_MS = 300;

/** An empty value takes the filter away. */
function change(name: string, value: string): void {
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
      onChange={(event) => change('status', event.currentTarget.value)}
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

/** The filters are parameters of the page, so that a reload and a link keep them. */
export function Filters({ knowledgeBase }: { knowledgeBase: KnowledgeBase }) {
  const [title, setTitle] = useState(route.value.parameters.get('title') ?? '');
  useEffect(() => {
    if (title === (route.value.parameters.get('title') ?? '')) return;
    const timer = setTimeout(() => change('title', title), TYPING_PAUSE_MS);
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
    </div>
  );
}
