/** The dialog that creates a webhook. */
import { useState } from 'preact/hooks';
import type { CreatedWebhook, SubscribableEventType } from '../../client/index.ts';
import { listAllKnowledgeBases } from '../knowledge-bases/list-all.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Field } from '../parts/fields/field.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';

const EVENTS: Record<SubscribableEventType, string> = {
  'document.processed': 'A document is searchable',
  'document.failed': 'A document could not be read',
  'document.deleted': 'A document was deleted',
  'knowledgeBase.deleted': 'A knowledge base was deleted',
};
const EVENT_TYPES = Object.keys(EVENTS) as SubscribableEventType[]; // the record has no others

type WebhookFormProps = { onCreated(webhook: CreatedWebhook): void; onClose(): void };

export function WebhookForm({ onCreated, onClose }: WebhookFormProps) {
  const { service } = useSession();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<ReadonlySet<SubscribableEventType>>(new Set(EVENT_TYPES));
  const [knowledgeBaseId, setKnowledgeBaseId] = useState('');
  const { value: knowledgeBases = [] } = useLoaded((signal) => listAllKnowledgeBases(service, signal), []);
  const create = useAction(async () => {
    const created = await service.createWebhook({
      url,
      // Without the field, types that later versions add are sent too.
      ...(events.size < EVENT_TYPES.length && { events: [...events] }),
      ...(knowledgeBaseId !== '' && { knowledgeBaseIds: [knowledgeBaseId] }),
    });
    onCreated(created);
    onClose();
  });
  const toggle = (type: SubscribableEventType, isChosen: boolean) => {
    const next = new Set(events);
    if (isChosen) next.add(type);
    else next.delete(type);
    setEvents(next);
  };
  return (
    <DialogForm
      title="New webhook"
      action={create}
      failure="The webhook was not created."
      submit="Create"
      isIncomplete={events.size === 0}
      onClose={onClose}
    >
      <Field label="Address" hint="An https address of your server. It gets a POST request for each event.">
        {(attributes) => (
          <input
            {...attributes}
            type="url"
            required
            maxLength={2048}
            autofocus
            placeholder="https://hooks.example.com/knowledge"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        )}
      </Field>
      <fieldset class="attribute-rows">
        <legend class="label">Events</legend>
        {EVENT_TYPES.map((type) => (
          <label key={type} class="choice">
            <input
              type="checkbox"
              checked={events.has(type)}
              onChange={(event) => toggle(type, event.currentTarget.checked)}
            />
            {EVENTS[type]}
          </label>
        ))}
      </fieldset>
      <Field label="Knowledge bases">
        {(attributes) => (
          <select
            {...attributes}
            value={knowledgeBaseId}
            onChange={(event) => setKnowledgeBaseId(event.currentTarget.value)}
          >
            <option value="">all knowledge bases, also later ones</option>
            {knowledgeBases.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </DialogForm>
  );
}
