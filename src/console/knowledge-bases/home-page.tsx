/** The first page: a query box, and the knowledge bases. */
import './home.css';
import { useState } from 'preact/hooks';
import type { KnowledgeBase } from '../../client/index.ts';
import { countOf, formatBytes, formatCount } from '../format.ts';
import { CompareIcon, PlusIcon, SearchIcon } from '../parts/icons.tsx';
import { Empty, ErrorNotice, Loading, Restriction } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { WriteButton } from '../parts/write-button.tsx';
import { addressOf, visit } from '../routes.ts';
import { accountObstacle, useSession } from '../session.ts';
import { useLoaded } from '../use-loaded.ts';
import { useTitle } from '../use-title.ts';
import { KnowledgeBaseForm } from './knowledge-base-form.tsx';
import { listAllKnowledgeBases } from './list-all.ts';
import { SynonymsDialog } from './synonyms-dialog.tsx';

function QueryBox() {
  const [query, setQuery] = useState('');
  return (
    <form
      class="query-box"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (query.trim() !== '') visit(addressOf.search(new URLSearchParams({ q: query })));
      }}
    >
      <SearchIcon />
      <input
        type="search"
        name="query"
        aria-label="Search all knowledge bases"
        placeholder="Ask or search"
        maxLength={8192}
        dir="auto"
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      <button type="submit" class="primary">
        Search
      </button>
    </form>
  );
}

/** 'processed' documents with all vectors are the normal case: only the others are named. */
function Statuses({ documentsByStatus, documentsWithoutVectors = 0 }: KnowledgeBase) {
  if (documentsByStatus === undefined) return null;
  const { pending, processing, failed, timeout } = documentsByStatus;
  const [waiting, broken] = [pending + processing, failed + timeout];
  return (
    <>
      {waiting > 0 && <li class="wait">{formatCount(waiting)} in progress</li>}
      {broken > 0 && <li class="bad">{formatCount(broken)} failed</li>}
      {documentsWithoutVectors > 0 && (
        <li class="wait">{formatCount(documentsWithoutVectors)} found by words only so far</li>
      )}
    </>
  );
}

const Row = ({ knowledgeBase }: { knowledgeBase: KnowledgeBase }) => {
  const { id, name, description, documentCount, passageCount, storageUsed, createdAt } = knowledgeBase;
  return (
    <li>
      <a href={addressOf.documents(id)} dir="auto">
        {name}
      </a>
      {description && (
        <p class="muted clamped" dir="auto">
          {description}
        </p>
      )}
      <ul class="facts">
        {documentCount !== undefined && <li>{countOf(documentCount, 'document')}</li>}
        {passageCount !== undefined && <li>{countOf(passageCount, 'passage')}</li>}
        {storageUsed !== undefined && <li>{formatBytes(storageUsed)}</li>}
        <Statuses {...knowledgeBase} />
        <li>
          created <Time at={createdAt} />
        </li>
      </ul>
    </li>
  );
};

/** A list of this length fits the screen: a field that filters it would be in the way. */
const FILTERED_FROM = 12;

function List({ knowledgeBases }: { knowledgeBases: KnowledgeBase[] }) {
  const [words, setWords] = useState('');
  const wanted = words.toLowerCase();
  const shown = knowledgeBases.filter(({ name, description }) =>
    `${name}\n${description}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      {knowledgeBases.length >= FILTERED_FROM && (
        <input
          type="search"
          aria-label="Filter the knowledge bases by name"
          placeholder="Filter by name"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      )}
      <ul class="card knowledge-bases">
        {shown.map((knowledgeBase) => (
          <Row key={knowledgeBase.id} knowledgeBase={knowledgeBase} />
        ))}
      </ul>
      {shown.length === 0 && <p class="muted">No knowledge base has this in its name or description.</p>}
    </>
  );
}

type DialogName = 'create' | 'synonyms';
type OpenProps = { obstacle: string | undefined; onOpen(dialog: DialogName): void };

const Create = ({ obstacle, onOpen, isPrimary = false }: OpenProps & { isPrimary?: boolean }) => (
  <WriteButton obstacle={obstacle} isPrimary={isPrimary} onClick={() => onOpen('create')}>
    <PlusIcon /> New knowledge base
  </WriteButton>
);

const First = ({ obstacle, onOpen }: OpenProps) => (
  <Empty title="Create your first knowledge base">
    <p>
      A knowledge base holds documents that are searched together: manuals, contracts, notes. Create one, drop
      files into it, and search them.
    </p>
    {obstacle && <p>{obstacle}</p>}
    <Create obstacle={obstacle} isPrimary onOpen={onOpen} />
  </Empty>
);

const Buttons = ({ obstacle, onOpen }: OpenProps) => (
  <div class="row">
    <WriteButton obstacle={obstacle} onClick={() => onOpen('synonyms')}>
      <CompareIcon /> Synonyms
    </WriteButton>
    <Create obstacle={obstacle} onOpen={onOpen} />
  </div>
);

export function HomePage() {
  useTitle('Knowledge bases');
  const session = useSession();
  const { value, error, reload } = useLoaded((signal) => listAllKnowledgeBases(session.service, signal), []);
  const [dialog, setDialog] = useState<DialogName>();
  const close = () => setDialog(undefined);
  const opening = { obstacle: accountObstacle(session), onOpen: setDialog };
  const hasSome = value !== undefined && value.length > 0;
  return (
    <>
      {value?.length !== 0 && <QueryBox />}
      <div class="page-head">
        <h1>Knowledge bases</h1>
        {hasSome && <Buttons {...opening} />}
      </div>
      {hasSome && <Restriction obstacle={opening.obstacle} />}
      <ErrorNotice doing="The knowledge bases could not be listed." error={error} onRetry={reload} />
      {value === undefined && error === undefined && <Loading what="knowledge bases" />}
      {value?.length === 0 && <First {...opening} />}
      {hasSome && <List knowledgeBases={value} />}
      {dialog === 'synonyms' && <SynonymsDialog onClose={close} />}
      {dialog === 'create' && (
        <KnowledgeBaseForm onClose={close} onSaved={({ id }) => visit(addressOf.documents(id))} />
      )}
    </>
  );
}
