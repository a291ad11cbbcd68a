/** What is known about a document, in a line. */
import { pageUnit } from '../../client/found-place.ts';
import type { DocumentDetails } from '../../client/index.ts';
import { StatusBadge } from '../documents/status.tsx';
import { countOf, formatBytes } from '../format.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Time } from '../parts/time.tsx';

/** 'english' → 'English'; 'simple' → undefined: no language was recognised. */
const languageName = (language: string): string | undefined =>
  language === 'simple' ? undefined : language.charAt(0).toUpperCase() + language.slice(1);

export function Facts({ document }: { document: DocumentDetails }) {
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
      <li class="copy">
        <code class="one-line">{id}</code>
        <CopyButton text={id} what="the id" isQuiet />
      </li>
    </ul>
  );
}
