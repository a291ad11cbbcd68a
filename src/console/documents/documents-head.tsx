/** The head of a knowledge base's page: its name, its numbers, and what can be done with it as a whole. */
import type { KnowledgeBase } from '../../client/index.ts';
import { countOf, formatBytes, formatCount } from '../format.ts';
import { BackLink } from '../parts/back-link.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { CompareIcon, EditIcon, SearchIcon, TrashIcon } from '../parts/icons.tsx';
import { WriteButton } from '../parts/write-button.tsx';
import { addressOf } from '../routes.ts';
import { useSession, writeObstacle } from '../session.ts';
import type { OpenDialog } from './documents-dialogs.tsx';

function Facts({ knowledgeBase }: { knowledgeBase: KnowledgeBase }) {
  const { id, documentCount = 0, passageCount = 0, storageUsed = 0 } = knowledgeBase;
  const { documentsWithoutVectors = 0 } = knowledgeBase;
  return (
    <ul class="facts">
      <li>{countOf(documentCount, 'document')}</li>
      <li>{countOf(passageCount, 'passage')}</li>
      <li>{formatBytes(storageUsed)}</li>
      {documentsWithoutVectors > 0 && (
        <li class="wait">{formatCount(documentsWithoutVectors)} found by words only so far</li>
      )}
      <li class="copy">
        <code class="one-line">{id}</code>
        <CopyButton text={id} what="the id" isQuiet />
      </li>
    </ul>
  );
}

function Buttons({ id, onOpen }: { id: string; onOpen: OpenDialog }) {
  const obstacle = writeObstacle(useSession());
  return (
    <div class="row">
      <a class="button" href={addressOf.search(new URLSearchParams({ kb: id }))}>
        <SearchIcon /> Search it
      </a>
      <WriteButton obstacle={obstacle} onClick={() => onOpen('rename')}>
        <EditIcon /> Rename
      </WriteButton>
      <WriteButton obstacle={obstacle} onClick={() => onOpen('synonyms')}>
        <CompareIcon /> Synonyms
      </WriteButton>
      <WriteButton obstacle={obstacle} onClick={() => onOpen('delete')}>
        <TrashIcon /> Delete
      </WriteButton>
    </div>
  );
}

export function Head({ knowledgeBase, onOpen }: { knowledgeBase: KnowledgeBase; onOpen: OpenDialog }) {
  const { id, name, description } = knowledgeBase;
  return (
    <div>
      <BackLink to={addressOf.home}>Knowledge bases</BackLink>
      <div class="page-head">
        <div>
          <h1 dir="auto">{name}</h1>
          {description && <p dir="auto">{description}</p>}
          <Facts knowledgeBase={knowledgeBase} />
        </div>
        <Buttons id={id} onOpen={onOpen} />
      </div>
    </div>
  );
}
