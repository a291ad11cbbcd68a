/** What can be done with the selected documents. */
import type { Document } from '../../client/index.ts';
import { countOf, formatCount } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { RetryIcon, TagIcon, TrashIcon } from '../parts/icons.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { useSession } from '../session.ts';
import { doForAll, useAction } from '../use-action.ts';
import type { DocumentList } from './document-list.ts';
import type { OpenDialog } from './documents-dialogs.tsx';
import { canBeReadAgain } from './status.tsx';

type SelectionProps = { documents: Document[]; list: DocumentList; onOpen: OpenDialog; onClear(): void };

export function Selection({ documents, list, onOpen, onClear }: SelectionProps) {
  const { service } = useSession();
  const failed = documents.filter(canBeReadAgain);
  const retry = useAction(async () => {
    await doForAll(failed, async ({ id }) => list.replace(await service.retryDocument(id))).finally(
      () => void list.refresh(),
    );
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
        <button type="button" onClick={() => onOpen('attributes')}>
          <TagIcon /> Attributes
        </button>
        <button type="button" class="danger" onClick={() => onOpen('deleteDocuments')}>
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
