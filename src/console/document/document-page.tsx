/** A document: what is known about it, and its text as searches see it. */
import '../documents/documents.css';
import './document.css';
import { useEffect, useState } from 'preact/hooks';
import { pageUnit } from '../../client/found-place.ts';
import type { DocumentDetails, DocumentStatusReport } from '../../client/index.ts';
import { describeError } from '../describe-error.ts';
import { DeleteDocumentsDialog } from '../documents/delete-documents-dialog.tsx';
import {
  canBeReadAgain,
  failureRemedy,
  hasFailed,
  isUnsettled,
  StatusBadge,
  WARNING_REMEDIES,
} from '../documents/status.tsx';
import { countOf, describePages, formatBytes, formatCount } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import {
  BackIcon,
  EditIcon,
  LinkIcon,
  RetryIcon,
  SearchIcon,
  TrashIcon,
  UploadIcon,
} from '../parts/icons.tsx';
import { ErrorNotice, Loading, Restriction } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { addressOf, route, visit } from '../routes.ts';
import { AttributeTags } from '../search/results/result.tsx';
import { useSession, writeObstacle } from '../session.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';
import { useTitle } from '../use-title.ts';
import { DocumentText } from './document-text.tsx';
import { DownloadButton } from './download-button.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { MarkedWords, useMarkedPassages } from './marked-words.tsx';

/** One request waits at the service for this long, and for less while each report says how many pages OCR has read. */
const [WAIT_SECONDS, PAGES_WAIT_SECONDS] = [20, 5];

/** 'english' → 'English'; 'simple' → undefined: no language was recognised. */
const languageName = (language: string): string | undefined =>
  language === 'simple' ? undefined : language.charAt(0).toUpperCase() + language.slice(1);

/** The address of the knowledge base; the home page for a document that does not say where it is. */
const knowledgeBaseOf = ({ knowledgeBaseId }: DocumentDetails): string =>
  knowledgeBaseId === undefined ? addressOf.home : addressOf.documents(knowledgeBaseId);

function Facts({ document }: { document: DocumentDetails }) {
  const { id, type, size, pageCount, passageCount, languages = [], createdAt, externalId } = document;
  const names = languages.map(({ language }) => languageName(language)).filter(Boolean);
  return (
    <ul class="facts">
      <li>
        <StatusBadge status={document.status} />
      </li>
      <li>{type}</li>
      <li>{formatBytes(size)}</li>
      {pageCount !== undefined && <li>{countOf(pageCount, pageUnit(type))}</li>}
      {passageCount !== undefined && <li>{countOf(passageCount, 'passage')}</li>}
      {names.length > 0 && <li>{names.slice(0, 3).join(', ')}</li>}
      <li>
        added <Time at={createdAt} />
      </li>
      {externalId !== undefined && (
        <li>
          external id <code dir="auto">{externalId}</code>
        </li>
      )}
      <li class="id">
        <code>{id}</code>
        <CopyButton text={id} what="the id" isQuiet />
      </li>
    </ul>
  );
}

type RecognisedPages = DocumentStatusReport['recognition'];

type StateProps = { document: DocumentDetails; pages: RecognisedPages; onChange(): void };

/** Why the document cannot be searched yet, or in part. `pages`: those of a scan, as far as they are read. */
function State({ document, pages, onChange }: StateProps) {
  const session = useSession();
  const { service } = session;
  const { id, error, warnings = [] } = document;
  const retry = useAction(async () => {
    await service.retryDocument(id);
    announce('It will be read again.');
    onChange();
  });
  const obstacle = writeObstacle(session);
  const progress = pages && describePages(pages);
  return (
    <>
      {isUnsettled(document) && (
        <p class="notice" role="status">
          {document.status === 'pending'
            ? 'The file waits for its turn to be read.'
            : 'The file is being read. Its text appears here when that is done.'}
          {progress && ` It is a scan: ${progress}.`}
        </p>
      )}
      {hasFailed(document) && error !== undefined && (
        <div class="notice notice-bad" role="status">
          <div>
            <strong>This document cannot be searched.</strong> {error.message} {failureRemedy(document)}
          </div>
          {document.file !== undefined && canBeReadAgain(document) && (
            <button
              type="button"
              disabled={retry.isRunning || obstacle !== undefined}
              title={obstacle}
              onClick={retry.run}
            >
              <RetryIcon /> Read again
            </button>
          )}
          {!canBeReadAgain(document) && obstacle === undefined && (
            <a class="button" href={knowledgeBaseOf(document)}>
              <UploadIcon /> Upload a new version
            </a>
          )}
        </div>
      )}
      <ErrorNotice doing="It cannot be read again." error={retry.error} />
      {warnings.length > 0 && (
        <div class="notice warnings">
          <strong id="warnings">Not everything in this file can be found.</strong>
          <ul aria-labelledby="warnings">
            {warnings.map(({ code, message }) => (
              <li key={message}>
                <span dir="auto">{message}</span> <span class="muted">{WARNING_REMEDIES[code]}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** Loads the document again when its import has ended. @returns the pages of a scan, as far as they are read */
function useFollowing(document: DocumentDetails | undefined, reload: () => void): RecognisedPages {
  const { service } = useSession();
  const [pages, setPages] = useState<RecognisedPages>();
  const isWaiting = document !== undefined && isUnsettled(document);
  useEffect(() => {
    setPages(undefined);
    if (!isWaiting) return;
    const ending = new AbortController();
    const follow = async () => {
      // The first report comes at once: it may have pages already.
      for (let [isFollowed, waitSeconds] = [true, 0]; isFollowed; ) {
        const report = await service.getDocumentStatus(
          { documentId: document.id, waitSeconds },
          { signal: ending.signal },
        );
        isFollowed = report.status === document.status;
        waitSeconds = report.recognition ? PAGES_WAIT_SECONDS : WAIT_SECONDS;
        if (!ending.signal.aborted) setPages(report.recognition);
        // A busy service answers early.
        if (isFollowed) await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
      reload();
    };
    follow().catch((error) => ending.signal.aborted || announce(describeError(error).message));
    return () => ending.abort();
  }, [isWaiting, document?.id, document?.status]);
  return pages;
}

export function DocumentPage() {
  const session = useSession();
  const { id, parameters } = route.value;
  const {
    value: document,
    error,
    reload,
  } = useLoaded((signal) => session.service.getDocument(id, { signal }), [id]);
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  useTitle(document?.title ?? 'Document');
  const pages = useFollowing(document, reload);
  const target = Number(parameters.get('passage')) || undefined;
  const query = parameters.get('q') ?? '';
  const marked = useMarkedPassages(id, query);
  const obstacle = writeObstacle(session);
  const close = () => setDialog(undefined);
  if (document === undefined)
    return (
      <>
        <a class="back" href={addressOf.home}>
          <BackIcon /> Knowledge bases
        </a>
        <ErrorNotice doing="The document could not be opened." error={error} onRetry={reload} />
        {error === undefined && <Loading what="the document" />}
      </>
    );
  const { title, sourceUrl, attributes, passageCount = 0 } = document;
  return (
    <>
      <div>
        <a class="back" href={knowledgeBaseOf(document)}>
          <BackIcon /> All documents
        </a>
        <div class="page-head">
          <div>
            <h1 dir="auto">{title}</h1>
            <Facts document={document} />
            {attributes && <AttributeTags attributes={attributes} />}
            {sourceUrl !== undefined && /^https?:/.test(sourceUrl) && (
              <a class="source" href={sourceUrl} target="_blank" rel="noreferrer noopener">
                <LinkIcon /> <span>{sourceUrl}</span>
              </a>
            )}
          </div>
          <div class="row">
            <a class="button" href={addressOf.search(new URLSearchParams({ document: id }))}>
              <SearchIcon /> Search in it
            </a>
            <DownloadButton of={document} />
            <button
              type="button"
              disabled={obstacle !== undefined}
              title={obstacle}
              onClick={() => setDialog('edit')}
            >
              <EditIcon /> Edit
            </button>
            <button
              type="button"
              disabled={obstacle !== undefined}
              title={obstacle}
              onClick={() => setDialog('delete')}
            >
              <TrashIcon /> Delete
            </button>
          </div>
        </div>
      </div>
      <Restriction obstacle={obstacle} />
      <State document={document} pages={pages} onChange={reload} />
      {document.status === 'processed' && (
        <>
          <h2>
            Text{' '}
            <span class="muted">
              in {formatCount(passageCount)} {passageCount === 1 ? 'passage' : 'passages'}
            </span>
          </h2>
          {query !== '' && <MarkedWords documentId={id} query={query} marked={marked} target={target} />}
          <DocumentText
            documentId={id}
            type={document.type}
            target={target}
            query={query}
            marked={marked.value}
          />
        </>
      )}
      {dialog === 'edit' && <EditDialog document={document} onSaved={reload} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteDocumentsDialog
          documents={[document]}
          onDeleted={(ids) => ids.has(id) && visit(knowledgeBaseOf(document))}
          onClose={close}
        />
      )}
    </>
  );
}
