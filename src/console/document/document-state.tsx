/** Why a document cannot be searched yet, or in part. */
import type { DocumentDetails } from '../../client/index.ts';
import {
  canBeReadAgain,
  failureRemedy,
  hasFailed,
  isUnsettled,
  WARNING_REMEDIES,
} from '../documents/status.tsx';
import { describePages } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { RetryIcon, UploadIcon } from '../parts/icons.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { WriteButton } from '../parts/write-button.tsx';
import { useSession, writeObstacle } from '../session.ts';
import { useAction } from '../use-action.ts';
import type { RecognisedPages } from './follow-import.ts';
import { knowledgeBaseOf } from './knowledge-base-of.ts';

function Waiting({ document, pages }: { document: DocumentDetails; pages: RecognisedPages }) {
  const progress = pages && describePages(pages);
  return (
    <p class="notice" role="status">
      {document.status === 'pending'
        ? 'The file waits for its turn to be read.'
        : 'The file is being read. Its text appears here when that is done.'}
      {progress && ` It is a scan: ${progress}.`}
    </p>
  );
}

/** The reason of a failure, and what helps. */
function Failure({ document, onChange }: { document: DocumentDetails; onChange(): void }) {
  const session = useSession();
  const retry = useAction(async () => {
    await session.service.retryDocument(document.id);
    announce('It will be read again.');
    onChange();
  });
  const obstacle = writeObstacle(session);
  return (
    <>
      <div class="notice notice-bad" role="status">
        <div>
          <strong>This document cannot be searched.</strong> {document.error?.message}{' '}
          {failureRemedy(document)}
        </div>
        {document.file !== undefined && canBeReadAgain(document) && (
          <WriteButton obstacle={obstacle} isRunning={retry.isRunning} onClick={retry.run}>
            <RetryIcon /> Read again
          </WriteButton>
        )}
        {!canBeReadAgain(document) && obstacle === undefined && (
          <a class="button" href={knowledgeBaseOf(document)}>
            <UploadIcon /> Upload a new version
          </a>
        )}
      </div>
      <ErrorNotice doing="It cannot be read again." error={retry.error} />
    </>
  );
}

const Warnings = ({ warnings }: { warnings: NonNullable<DocumentDetails['warnings']> }) => (
  <div class="notice warnings">
    <strong id="warnings" class="wait">
      Not everything in this file can be found.
    </strong>
    <ul aria-labelledby="warnings">
      {warnings.map(({ code, message }) => (
        <li key={message}>
          <span dir="auto">{message}</span> <span class="muted">{WARNING_REMEDIES[code]}</span>
        </li>
      ))}
    </ul>
  </div>
);

type StateProps = { document: DocumentDetails; pages: RecognisedPages; onChange(): void };

/** `pages`: the pages of a scan, as far as they are read. */
export function State({ document, pages, onChange }: StateProps) {
  const { error, warnings = [] } = document;
  return (
    <>
      {isUnsettled(document) && <Waiting document={document} pages={pages} />}
      {hasFailed(document) && error !== undefined && <Failure document={document} onChange={onChange} />}
      {warnings.length > 0 && <Warnings warnings={warnings} />}
    </>
  );
}
