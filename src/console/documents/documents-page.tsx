/** A knowledge base: its documents, how their imports fare, and what can be done with them. */
import './documents.css';
import './uploads/uploads.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DocumentStatus, KnowledgeBase } from '../../client/index.ts';
import { WithFacets } from '../facets/facet-list.tsx';
import { BackLink } from '../parts/back-link.tsx';
import { ErrorNotice, Loading, Restriction } from '../parts/notice.tsx';
import { addressOf, route } from '../routes.ts';
import { useSession, writeObstacle } from '../session.ts';
import { useTitle } from '../use-title.ts';
import { changeParameter, Filters } from './document-filters.tsx';
import { createDocumentList, type DocumentList, LIMIT_MAX } from './document-list.ts';
import { DocumentTable } from './document-table.tsx';
import { type DialogName, Dialogs } from './documents-dialogs.tsx';
import { Head } from './documents-head.tsx';
import { isNewestFirst, readOrder, SORTED_MAX, sortDocuments, writeOrder } from './order.ts';
import { Selection } from './selection.tsx';
import { STATUS_NAMES } from './status.tsx';
import { UploadArea } from './uploads/upload-area.tsx';
import { UploadPanel } from './uploads/upload-panel.tsx';
import { isUploading } from './uploads/uploads.ts';

const isStatus = (text = ''): text is DocumentStatus => Object.hasOwn(STATUS_NAMES, text);

/** The documents of the page's knowledge base that fit the page's filters. */
function useDocumentList(): { list: DocumentList; isFiltered: boolean } {
  const { service } = useSession();
  const { id, parameters } = route.value;
  const [status, title, filter] = ['status', 'title', 'filter'].map((name) => parameters.get(name) ?? '');
  const former = useRef<DocumentList>(undefined);
  const list = useMemo(() => {
    const query = {
      knowledgeBaseId: id,
      ...(isStatus(status) && { status }),
      ...(title && { titleContains: title }),
      ...(filter && { filter }),
    };
    return createDocumentList(service, query, former.current?.state.peek().knowledgeBase);
  }, [id, status, title, filter]);
  former.current = list;
  useEffect(() => list.end, [list]);
  const isBusy = isUploading.value;
  // The list watches uploads closely from their beginning on, and shows what they have left at their end.
  useEffect(() => void list.refresh(), [isBusy]);
  return { list, isFiltered: isStatus(status) || Boolean(title || filter) };
}

const Unopened = ({ error, onRetry }: { error: unknown; onRetry(): void }) => (
  <>
    <BackLink to={addressOf.home}>Knowledge bases</BackLink>
    <h1 class="visually-hidden">Knowledge base</h1>
    <ErrorNotice doing="The knowledge base could not be opened." error={error} onRetry={onRetry} />
    {error === undefined && <Loading what="the knowledge base" />}
  </>
);

export function DocumentsPage() {
  const { list, isFiltered } = useDocumentList();
  const { knowledgeBase, error } = list.state.value;
  useTitle(knowledgeBase?.name ?? 'Knowledge base');
  return knowledgeBase === undefined ? (
    <Unopened error={error} onRetry={list.refresh} />
  ) : (
    <OpenKnowledgeBase knowledgeBase={knowledgeBase} list={list} isFiltered={isFiltered} />
  );
}

/**
 * The documents in the order of the page, for which all of them are loaded. `order` undefined: they are too many, and
 * stay as the service lists them.
 */
function useOrder(list: DocumentList, documentCount: number) {
  const { documents, nextCursor, isLoading, error } = list.state.value;
  const order = documentCount > SORTED_MAX ? undefined : readOrder(route.value.parameters.get('order'));
  const isUnsorted = order === undefined || isNewestFirst(order);
  const isMoreNeeded = !isUnsorted && nextCursor !== null && !isLoading && error === undefined;
  useEffect(() => {
    if (isMoreNeeded) void list.loadMore(LIMIT_MAX);
  }, [isMoreNeeded]);
  const sorted = useMemo(
    () => (isUnsorted ? documents : sortDocuments(documents, order)),
    [documents, order && writeOrder(order)],
  );
  return { order, sorted };
}

type OpenProps = { knowledgeBase: KnowledgeBase; list: DocumentList; isFiltered: boolean };

type ListedProps = OpenProps & {
  selected: ReadonlySet<string>;
  /** Undefined: the key may not change documents. */
  onSelect: ((selected: ReadonlySet<string>) => void) | undefined;
  /** Stands above the table. */
  children: ComponentChildren;
};

/** The documents that fit the page's filters, beside the attributes that narrow them. */
function Listed({ knowledgeBase, list, isFiltered, selected, onSelect, children }: ListedProps) {
  const { id, documentCount = 0, documentsByStatus } = knowledgeBase;
  const { documents, isLoading } = list.state.value;
  const { order, sorted } = useOrder(list, documentCount);
  return (
    <WithFacets
      knowledgeBaseIds={[id]}
      version={documentsByStatus?.processed ?? 0}
      filter={route.value.parameters.get('filter') ?? ''}
      onChange={(filter) => changeParameter('filter', filter)}
    >
      <Filters knowledgeBase={knowledgeBase} order={order} />
      {children}
      {documents.length > 0 && (
        <DocumentTable
          {...{ documents: sorted, selected, onSelect, order }}
          onOrder={(next) => changeParameter('order', writeOrder(next))}
          onEndNear={() => void list.loadMore()}
        />
      )}
      {documents.length === 0 && isFiltered && !isLoading && (
        <p class="muted">No document fits these filters.</p>
      )}
      {isLoading && <Loading what="documents" />}
    </WithFacets>
  );
}

function OpenKnowledgeBase({ knowledgeBase, list, isFiltered }: OpenProps) {
  const obstacle = writeObstacle(useSession());
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<DialogName>();
  const { documents, error } = list.state.value;
  const isEmpty = knowledgeBase.documentCount === 0;
  const chosen = documents.filter((document) => selected.has(document.id));
  const onDeleted = (ids: ReadonlySet<string>) => {
    list.remove(ids);
    setSelected(new Set([...selected].filter((one) => !ids.has(one))));
    void list.refresh();
  };
  const onSelect = obstacle === undefined ? setSelected : undefined;
  const clear = () => setSelected(new Set());
  return (
    <>
      <Head knowledgeBase={knowledgeBase} onOpen={setDialog} />
      <Restriction obstacle={obstacle} />
      <UploadArea knowledgeBaseId={knowledgeBase.id} isEmpty={isEmpty} onOpen={setDialog} />
      <UploadPanel knowledgeBaseId={knowledgeBase.id} />
      <ErrorNotice doing="The documents could not be listed." error={error} onRetry={list.refresh} />
      {!isEmpty && (
        <Listed {...{ knowledgeBase, list, isFiltered, selected, onSelect }}>
          {chosen.length > 0 && (
            <Selection documents={chosen} list={list} onOpen={setDialog} onClear={clear} />
          )}
        </Listed>
      )}
      <Dialogs
        open={dialog}
        {...{ knowledgeBase, list, chosen, onDeleted }}
        onClose={() => setDialog(undefined)}
      />
    </>
  );
}
