/** A document: what is known about it, and its text as searches see it. */
import './document.css';
import { useState } from 'preact/hooks';
import type { DocumentDetails } from '../../client/index.ts';
import { DeleteDocumentsDialog } from '../documents/delete-documents-dialog.tsx';
import { formatCount } from '../format.ts';
import { BackLink } from '../parts/back-link.tsx';
import { EditIcon, LinkIcon, SearchIcon, TrashIcon } from '../parts/icons.tsx';
import { ErrorNotice, Loading, Restriction } from '../parts/notice.tsx';
import { WriteButton } from '../parts/write-button.tsx';
import { addressOf, route, visit } from '../routes.ts';
import { AttributeTags } from '../search/results/attribute-tags.tsx';
import { useSession, writeObstacle } from '../session.ts';
import { useLoaded } from '../use-loaded.ts';
import { useTitle } from '../use-title.ts';
import { Facts } from './document-facts.tsx';
import { State } from './document-state.tsx';
import { DocumentText } from './document-text.tsx';
import { DownloadButton } from './download-button.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { useFollowing } from './follow-import.ts';
import { knowledgeBaseOf } from './knowledge-base-of.ts';
import { MarkedWords, useMarkedPassages } from './marked-words.tsx';

type DialogName = 'edit' | 'delete';

const SourceLink = ({ to }: { to: string }) => (
  <a class="source" href={to} target="_blank" rel="noreferrer noopener">
    <LinkIcon /> <span class="one-line">{to}</span>
  </a>
);

type ButtonsProps = { document: DocumentDetails; onOpen(dialog: DialogName): void };

function Buttons({ document, onOpen }: ButtonsProps) {
  const obstacle = writeObstacle(useSession());
  return (
    <div class="row">
      <a class="button" href={addressOf.search(new URLSearchParams({ document: document.id }))}>
        <SearchIcon /> Search in it
      </a>
      <DownloadButton of={document} />
      <WriteButton obstacle={obstacle} onClick={() => onOpen('edit')}>
        <EditIcon /> Edit
      </WriteButton>
      <WriteButton obstacle={obstacle} onClick={() => onOpen('delete')}>
        <TrashIcon /> Delete
      </WriteButton>
    </div>
  );
}

function Head({ document, onOpen }: ButtonsProps) {
  const { title, sourceUrl, attributes } = document;
  return (
    <div>
      <BackLink to={knowledgeBaseOf(document)}>All documents</BackLink>
      <div class="page-head">
        <div>
          <h1 dir="auto">{title}</h1>
          <Facts document={document} />
          {attributes && <AttributeTags attributes={attributes} />}
          {sourceUrl !== undefined && /^https?:/.test(sourceUrl) && <SourceLink to={sourceUrl} />}
        </div>
        <Buttons document={document} onOpen={onOpen} />
      </div>
    </div>
  );
}

/** The text, at the passage that the page's address names, with the words of its query marked. */
function Text({ id, type, passageCount = 0 }: DocumentDetails) {
  const { parameters } = route.value;
  const target = Number(parameters.get('passage')) || undefined;
  const query = parameters.get('q') ?? '';
  const marked = useMarkedPassages(id, query);
  return (
    <>
      <h2>
        Text{' '}
        <span class="muted">
          in {formatCount(passageCount)} {passageCount === 1 ? 'passage' : 'passages'}
        </span>
      </h2>
      {query !== '' && <MarkedWords documentId={id} query={query} marked={marked} target={target} />}
      <DocumentText documentId={id} {...{ type, target, query }} marked={marked.value} />
    </>
  );
}

const Unopened = ({ error, onRetry }: { error: unknown; onRetry(): void }) => (
  <>
    <BackLink to={addressOf.home}>Knowledge bases</BackLink>
    <h1 class="visually-hidden">Document</h1>
    <ErrorNotice doing="The document could not be opened." error={error} onRetry={onRetry} />
    {error === undefined && <Loading what="the document" />}
  </>
);

export function DocumentPage() {
  const session = useSession();
  const { id } = route.value;
  const {
    value: document,
    error,
    reload,
  } = useLoaded((signal) => session.service.getDocument(id, { signal }), [id]);
  const [dialog, setDialog] = useState<DialogName>();
  useTitle(document?.title ?? 'Document');
  const pages = useFollowing(document, reload);
  const close = () => setDialog(undefined);
  if (document === undefined) return <Unopened error={error} onRetry={reload} />;
  return (
    <>
      <Head document={document} onOpen={setDialog} />
      <Restriction obstacle={writeObstacle(session)} />
      <State document={document} pages={pages} onChange={reload} />
      {document.status === 'processed' && <Text {...document} />}
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
