/** The dialog that creates a webhook. */
import { useState } from 'preact/hooks';
import type { CreatedWebhook, SubscribableEventType } from '../../client/index.ts';
import { listAllKnowledgeBases } from '../knowledge-bases/list-all.ts';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Choice, withChoice } from '../parts/fields/choice.tsx';
import { Field } from '../parts/fields/field.tsx';
import { FieldGroup } from '../parts/fields/field-group.tsx';
import { Select } from '../parts/fields/select.tsx';
import { TextField } from '../parts/fields/text-field.tsx';
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

const ADDRESS_FIELD = {
  label: 'Address',
  hint: 'An https address of your server. It gets a POST request for each event.',
  isAddress: true,
  required: true,
  maxLength: 2048,
  autofocus: true,
  placeholder: 'https://hooks.example.com/knowledge',
};

type WebhookFormProps = { onCreated(webhook: CreatedWebhook): void; onClose(): void };

type Events = ReadonlySet<SubscribableEventType>;

const EventChoices = ({ events, onChange }: { events: Events; onChange(events: Events): void }) => (
  <FieldGroup legend="Events">
    {EVENT_TYPES.map((type) => (
      <Choice
        key={type}
        isChosen={events.has(type)}
        onChange={(isChosen) => onChange(withChoice(events, type, isChosen))}
      >
        {EVENTS[type]}
      </Choice>
    ))}
  </FieldGroup>
);

/** `value`: an id; empty: all knowledge bases. */
function KnowledgeBaseField({ value, onChange }: { value: string; onChange(id: string): void }) {
  const { service } = useSession();
  const { value: knowledgeBases = [] } = useLoaded((signal) => listAllKnowledgeBases(service, signal), []);
  const names: Record<string, string> = {
    '': 'all knowledge bases, also later ones',
    ...Object.fromEntries(knowledgeBases.map(({ id, name }) => [id, name])),
  };
  return (
    <Field label="Knowledge bases">
      {(attributes) => <Select {...attributes} names={names} value={value} onChange={onChange} />}
    </Field>
  );
}

export function WebhookForm({ onCreated, onClose }: WebhookFormProps) {
  const { service } = useSession();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<Events>(new Set(EVENT_TYPES));
  const [knowledgeBaseId, setKnowledgeBaseId] = useState('');
  const create = useAction(async () => {
    const created = await service.createWebhook({
      url,
      // Without the field, types that later versions add are sent too.
      ...(events.size < EVENT_TYPES.length && { events: [...events] }),
      ...(knowledgeBaseId !== '' && { knowledgeBaseIds: [knowledgeBaseId] }),
    });
    onClose();
    onCreated(created);
  });
  return (
    <DialogForm
      title="New webhook"
      action={create}
      failure="The webhook was not created."
      submit="Create"
      isIncomplete={events.size === 0}
      onClose={onClose}
    >
      <TextField {...ADDRESS_FIELD} value={url} onChange={setUrl} />
      <EventChoices events={events} onChange={setEvents} />
      <KnowledgeBaseField value={knowledgeBaseId} onChange={setKnowledgeBaseId} />
    </DialogForm>
  );
}
