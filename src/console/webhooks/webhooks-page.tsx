/** The webhooks of the account: who is told of events, and how the last deliveries went. */
import './webhooks.css';
import { useState } from 'preact/hooks';
import type { CreatedWebhook } from '../../client/index.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { PlusIcon } from '../parts/icons.tsx';
import { Empty, ErrorNotice, Loading } from '../parts/notice.tsx';
import { WriteButton } from '../parts/write-button.tsx';
import { accountObstacle, useSession } from '../session.ts';
import { useLoaded } from '../use-loaded.ts';
import { useTitle } from '../use-title.ts';
import { WebhookCard } from './webhook-card.tsx';
import { WebhookForm } from './webhook-form.tsx';

/** Shows the secret of a new webhook: no later answer has it. */
const SecretDialog = ({ webhook, onClose }: { webhook: CreatedWebhook; onClose(): void }) => (
  <Dialog title="The secret of the new webhook" onClose={onClose}>
    <div class="stack">
      <p>
        Your server verifies events with this secret. It is shown this once: store it now. Libraries of{' '}
        <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
          Standard Webhooks
        </a>{' '}
        take it as it is.
      </p>
      <pre>
        <code>{webhook.secret}</code>
      </pre>
      <div class="row end">
        <CopyButton text={webhook.secret} what="the secret" />
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  </Dialog>
);

type CreateProps = { obstacle: string | undefined; onCreate(): void };

const Create = ({ obstacle, onCreate, isPrimary = false }: CreateProps & { isPrimary?: boolean }) => (
  <WriteButton obstacle={obstacle} isPrimary={isPrimary} onClick={onCreate}>
    <PlusIcon /> New webhook
  </WriteButton>
);

const First = ({ obstacle, onCreate }: CreateProps) => (
  <Empty title={obstacle === undefined ? 'Tell your server what happens' : 'This key may not see webhooks'}>
    <p>
      {obstacle ??
        'A webhook is an address of yours that gets a request when a document is searchable, has failed or is deleted.'}
    </p>
    {obstacle === undefined && <Create obstacle={obstacle} isPrimary onCreate={onCreate} />}
  </Empty>
);

/** A dialog that is open: the form, or the secret of the webhook that it has created. */
type Open = 'form' | CreatedWebhook | undefined;

function Dialogs({ open, onOpen, onCreated }: { open: Open; onOpen(open: Open): void; onCreated(): void }) {
  if (open === undefined) return null;
  const close = () => onOpen(undefined);
  if (open !== 'form') return <SecretDialog webhook={open} onClose={close} />;
  const showSecret = (webhook: CreatedWebhook) => {
    onOpen(webhook);
    onCreated();
  };
  return <WebhookForm onClose={close} onCreated={showSecret} />;
}

export function WebhooksPage() {
  useTitle('Webhooks');
  const session = useSession();
  const obstacle = accountObstacle(session);
  const { value, error, reload } = useLoaded(
    async (signal) =>
      obstacle === undefined ? (await session.service.listWebhooks({}, { signal })).data : [],
    [],
  );
  const [open, setOpen] = useState<Open>();
  const create = { obstacle, onCreate: () => setOpen('form') };
  return (
    <>
      <div class="page-head">
        <h1>Webhooks</h1>
        {value && value.length > 0 && <Create {...create} />}
      </div>
      <ErrorNotice doing="The webhooks could not be listed." error={error} onRetry={reload} />
      {value === undefined && error === undefined && <Loading what="webhooks" />}
      {value?.length === 0 && <First {...create} />}
      {value && value.length > 0 && (
        <ul class="stack cards">
          {value.map((webhook) => (
            <WebhookCard key={webhook.id} webhook={webhook} onChange={reload} />
          ))}
        </ul>
      )}
      <Dialogs open={open} onOpen={setOpen} onCreated={reload} />
    </>
  );
}
