/** Makes a document of a text that is typed or pasted. */
import { useState } from 'preact/hooks';
import { formatCount } from '../format.ts';
import { announce } from '../parts/announcements.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';

/** The longest text that the service takes, in code points. */
const TEXT_MAX = 1_000_000;

type PasteDialogProps = { knowledgeBaseId: string; onClose(): void; onImported(): void };

export function PasteDialog({ knowledgeBaseId, onClose, onImported }: PasteDialogProps) {
  const { service } = useSession();
  const [title, setTitle] = useState('');
  const [content, setContent] = useState('');
  const [sourceUrl, setSourceUrl] = useState('');
  const isTooLong = content.length > TEXT_MAX && [...content].length > TEXT_MAX;
  const save = useAction(async () => {
    const document = await service.importTextContent({
      knowledgeBaseId,
      title,
      content,
      ...(sourceUrl !== '' && { sourceUrl }),
    });
    announce(
      `${document.title} is ${document.status === 'processed' ? 'searchable' : 'stored, but not searchable'}.`,
    );
    onImported();
    onClose();
  });
  return (
    <Dialog title="Paste a text" onClose={onClose} isWide>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        <Field label="Title">
          {(attributes) => (
            <input
              {...attributes}
              required
              maxLength={256}
              dir="auto"
              autofocus
              value={title}
              onInput={(event) => setTitle(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field
          label="Text"
          hint="Headings with # as in Markdown are understood."
          error={isTooLong ? `A text may have ${formatCount(TEXT_MAX)} characters.` : undefined}
        >
          {(attributes) => (
            <textarea
              {...attributes}
              class="long-text"
              required
              dir="auto"
              value={content}
              onInput={(event) => setContent(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Address of the original" hint="Optional: search results show it for citations.">
          {(attributes) => (
            <input
              {...attributes}
              type="url"
              maxLength={2048}
              placeholder="https://…"
              value={sourceUrl}
              onInput={(event) => setSourceUrl(event.currentTarget.value)}
            />
          )}
        </Field>
        <ErrorNotice doing="The text was not stored." error={save.error} />
        <div class="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class="primary"
            disabled={save.isRunning || isTooLong || content.trim() === ''}
          >
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}
