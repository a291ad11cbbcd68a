/** A knowledge base: its documents, how their imports fare, and what can be done with them. */
import './documents.css';
import './uploads/uploads.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Document, DocumentStatus, KnowledgeBase } from '../../client/index.ts';
import { countOf, formatBytes, formatCount } from '../format.ts';
import { DeleteKnowledgeBaseDialog } from '../knowledge-bases/delete-dialog.tsx';
import { KnowledgeBaseForm } from '../knowledge-bases/knowledge-base-form.tsx';
import { SynonymsDialog } from '../knowledge-bases/synonyms-dialog.tsx';
import { announce } from '../parts/announcements.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import {
  BackIcon,
  CompareIcon,
  EditIcon,
  RetryIcon,
  SearchIcon,
  TagIcon,
  TrashIcon,
} from '../parts/icons.tsx';
import { ErrorNotice, Loading, Restriction } from '../parts/notice.tsx';
import { addressOf, route, setParameters } from '../routes.ts';
import { useSession, writeObstacle } from '../session.ts';
import { useAction } from '../use-action.ts';
import { useTitle } from '../use-title.ts';
import { AddressDialog } from './address-dialog.tsx';
import { AttributesDialog } from './attributes-dialog.tsx';
import { DeleteDocumentsDialog } from './delete-documents-dialog.tsx';
import { createDocumentList, type DocumentList } from './document-list.ts';
import { DocumentTable } from './document-table.tsx';
import { PasteDialog } from './paste-dialog.tsx';
import { canBeReadAgain, STATUS_NAMES } from './status.tsx';
import { UploadArea } from './uploads/upload-area.tsx';
import { UploadPanel } from './uploads/upload-panel.tsx';
import { isUploading } from './uploads/uploads.ts';

const isStatus = (text: string | null): text is DocumentStatus => text !== null && text in STATUS_NAMES;

type Dialog = 'rename' | 'synonyms' | 'delete' | 'paste' | 'address' | 'attributes' | 'deleteDocuments';

/** A pause in typing that ends a word. */
const TYPING_PAUSE_MS = 300;

/** The filters are parameters of the page, so that a reload and a link keep them. */
function Filters({ knowledgeBase }: { knowledgeBase: KnowledgeBase }) {
  const { parameters } = route.value;
  const [title, setTitle] = useState(parameters.get('title') ?? '');
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(route.value.parameters);
    if (value === '') next.delete(name);
    else next.set(name, value);
    setParameters(next);
  };
  useEffect(() => {
    if (title === (route.value.parameters.get('title') ?? '')) return;
    const timer = setTimeout(() => change('title', title), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [title]);
  const { documentCount = 0, documentsByStatus } = knowledgeBase;
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
      <select
        aria-label="Status"
        value={parameters.get('status') ?? ''}
        onChange={(event) => change('status', event.currentTarget.value)}
      >
        <option value="">All statuses ({formatCount(documentCount)})</option>
        {Object.entries(STATUS_NAMES).map(([status, name]) => (
          <option key={status} value={status}>
            {name} ({formatCount(documentsByStatus?.[status as DocumentStatus] ?? 0)})
          </option>
        ))}
      </select>
    </div>
  );
}

function Head({ knowledgeBase, onOpen }: { knowledgeBase: KnowledgeBase; onOpen(dialog: Dialog): void }) {
  const { id, name, description, documentCount = 0, passageCount = 0, storageUsed = 0 } = knowledgeBase;
  const { documentsWithoutVectors = 0 } = knowledgeBase;
  const obstacle = writeObstacle(useSession());
  return (
    <div>
      <a class="back" href={addressOf.home}>
        <BackIcon /> Knowledge bases
      </a>
      <div class="page-head">
        <div>
          <h1 dir="auto">{name}</h1>
          {description && <p dir="auto">{description}</p>}
          <ul class="facts">
            <li>{countOf(documentCount, 'document')}</li>
            <li>{countOf(passageCount, 'passage')}</li>
            <li>{formatBytes(storageUsed)}</li>
            {documentsWithoutVectors > 0 && (
              <li class="status-wait">{formatCount(documentsWithoutVectors)} found by words only so far</li>
            )}
            <li class="id">
              <code>{id}</code>
              <CopyButton text={id} what="the id" isQuiet />
            </li>
          </ul>
        </div>
        <div class="row">
          <a class="button" href={addressOf.search(new URLSearchParams({ kb: id }))}>
            <SearchIcon /> Search it
          </a>
          <button
            type="button"
            disabled={obstacle !== undefined}
            title={obstacle}
            onClick={() => onOpen('rename')}
          >
            <EditIcon /> Rename
          </button>
          <button
            type="button"
            disabled={obstacle !== undefined}
            title={obstacle}
            onClick={() => onOpen('synonyms')}
          >
            <CompareIcon /> Synonyms
          </button>
          <button
            type="button"
            disabled={obstacle !== undefined}
            title={obstacle}
            onClick={() => onOpen('delete')}
          >
            <TrashIcon /> Delete
          </button>
        </div>
      </div>
    </div>
  );
}

/** What can be done with the selected documents. */
function Selection({
  documents,
  list,
  onAttributes,
  onDelete,
  onClear,
}: {
  documents: Document[];
  list: DocumentList;
  onAttributes(): void;
  onDelete(): void;
  onClear(): void;
}) {
  const { service } = useSession();
  const failed = documents.filter(canBeReadAgain);
  const retry = useAction(async () => {
    const results = await Promise.allSettled(
      failed.map(async ({ id }) => list.replace(await service.retryDocument(id))),
    );
    void list.refresh();
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
    announce(`${countOf(failed.length, 'document')} will be read again.`);
    onClear();
  });
  return (
    <div class="selection">
      <div class="row">
        <strong>{formatCount(documents.length)} selected</strong>
        {failed.length > 0 && (
          <button type="button" disabled={retry.isRunning} onClick={retry.run}>
            <RetryIcon /> Read{' '}
            {failed.length === documents.length ? '' : `${formatCount(failed.length)} failed `}again
          </button>
        )}
        <button type="button" onClick={onAttributes}>
          <TagIcon /> Attributes
        </button>
        <button type="button" class="danger" onClick={onDelete}>
          <TrashIcon /> Delete
        </button>
        <button type="button" class="quiet" onClick={onClear}>
          Clear the selection
        </button>
      </div>
      <ErrorNotice doing="Not everything can be read again." error={retry.error} />
    </div>
  );
}

export function DocumentsPage() {
  const session = useSession();
  const { id, parameters } = route.value;
  const [status, title] = [parameters.get('status'), parameters.get('title')];
  const former = useRef<DocumentList>(undefined);
  const list = useMemo(() => {
    const query = {
      knowledgeBaseId: id,
      ...(isStatus(status) && { status }),
      ...(title && { titleContains: title }),
    };
    return createDocumentList(session.service, query, former.current?.state.peek().knowledgeBase);
  }, [id, status, title]);
  former.current = list;
  useEffect(() => list.end, [list]);
  const isBusy = isUploading.value;
  // The list watches uploads closely from their beginning on, and shows what they have left at their end.
  useEffect(() => void list.refresh(), [isBusy]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<Dialog>();
  const { knowledgeBase, documents, isLoading, error } = list.state.value;
  useTitle(knowledgeBase?.name ?? 'Knowledge base');
  const isFiltered = isStatus(status) || title !== null;
  const isEmpty = knowledgeBase?.documentCount === 0;
  const chosen = documents.filter((document) => selected.has(document.id));
  const close = () => setDialog(undefined);
  if (knowledgeBase === undefined)
    return (
      <>
        <a class="back" href={addressOf.home}>
          <BackIcon /> Knowledge bases
        </a>
        <ErrorNotice doing="The knowledge base could not be opened." error={error} onRetry={list.refresh} />
        {error === undefined && <Loading what="the knowledge base" />}
      </>
    );
  return (
    <>
      <Head knowledgeBase={knowledgeBase} onOpen={setDialog} />
      <Restriction obstacle={writeObstacle(session)} />
      <UploadArea
        knowledgeBaseId={id}
        isEmpty={isEmpty}
        onPaste={() => setDialog('paste')}
        onAddress={() => setDialog('address')}
      />
      <UploadPanel knowledgeBaseId={id} />
      <ErrorNotice doing="The documents could not be listed." error={error} onRetry={list.refresh} />
      {!isEmpty && <Filters knowledgeBase={knowledgeBase} />}
      {chosen.length > 0 && (
        <Selection
          documents={chosen}
          list={list}
          onAttributes={() => setDialog('attributes')}
          onDelete={() => setDialog('deleteDocuments')}
          onClear={() => setSelected(new Set())}
        />
      )}
      {documents.length > 0 && (
        <DocumentTable
          documents={documents}
          selected={selected}
          onSelect={writeObstacle(session) === undefined ? setSelected : undefined}
          onEndNear={list.loadMore}
        />
      )}
      {documents.length === 0 && isFiltered && !isLoading && (
        <p class="muted">No document fits these filters.</p>
      )}
      {isLoading && <Loading what="documents" />}
      {dialog === 'rename' && (
        <KnowledgeBaseForm
          knowledgeBase={knowledgeBase}
          onSaved={() => void list.refresh()}
          onClose={close}
        />
      )}
      {dialog === 'synonyms' && <SynonymsDialog knowledgeBase={knowledgeBase} onClose={close} />}
      {dialog === 'delete' && <DeleteKnowledgeBaseDialog knowledgeBase={knowledgeBase} onClose={close} />}
      {dialog === 'paste' && (
        <PasteDialog knowledgeBaseId={id} onImported={() => void list.refresh()} onClose={close} />
      )}
      {dialog === 'address' && (
        <AddressDialog knowledgeBaseId={id} onImported={() => void list.refresh()} onClose={close} />
      )}
      {dialog === 'attributes' && (
        <AttributesDialog knowledgeBaseId={id} documents={chosen} onChanged={list.replace} onClose={close} />
      )}
      {dialog === 'deleteDocuments' && (
        <DeleteDocumentsDialog
          documents={chosen}
          onDeleted={(ids) => {
            list.remove(ids);
            setSelected(new Set([...selected].filter((one) => !ids.has(one))));
            void list.refresh();
          }}
          onClose={close}
        />
      )}
    </>
  );
}
