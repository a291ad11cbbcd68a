/** The webhooks of the account: who is told of events, and how the last deliveries went. */
import './webhooks.css';
import { useState } from 'preact/hooks';
import type { CreatedWebhook, Webhook, WebhookDelivery } from '../../client/index.ts';
import { announce } from '../parts/announcements.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { PlusIcon, TrashIcon } from '../parts/icons.tsx';
import { Empty, ErrorNotice, Loading } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { accountObstacle, useSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';
import { useTitle } from '../use-title.ts';
import { WebhookForm } from './webhook-form.tsx';

function Deliveries({ deliveries }: { deliveries: WebhookDelivery[] }) {
  if (deliveries.length === 0) return <p class="muted">Nothing has been sent yet.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
    <div class="deliveries" tabIndex={0} role="region" aria-label="Last deliveries">
      <table>
        <thead>
          <tr>
            <th>Event</th>
            <th>Sent</th>
            <th>Answer</th>
            <th>Took</th>
          </tr>
        </thead>
        <tbody>
          {deliveries.map(({ eventId, eventType, attempt, sentAt, durationMs, status, error }) => (
            <tr key={`${eventId} ${attempt}`}>
              <td>
                <code>{eventType}</code> {attempt > 1 && <span class="muted">attempt {attempt}</span>}
              </td>
              <td>
                <Time at={sentAt} />
              </td>
              <td class={error === undefined ? 'good' : 'bad'}>
                {status} {error ?? 'received'}
              </td>
              <td>{durationMs} ms</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WebhookCard({ webhook, onChange }: { webhook: Webhook; onChange(): void }) {
  const { service } = useSession();
  const [isDeleting, setIsDeleting] = useState(false);
  const { id, url, events, knowledgeBaseIds, status, failingSince, disabledReason, deliveries, createdAt } =
    webhook;
  const test = useAction(async () => {
    const { delivered, delivery } = await service.testWebhook(id);
    announce(
      delivered
        ? `The receiver has accepted the test in ${delivery.durationMs} ms.`
        : `The test was not received. ${delivery.error ?? ''}`,
    );
    onChange();
  });
  const remove = useAction(async () => {
    await service.deleteWebhook(id);
    announce('The webhook is deleted.');
    onChange();
  });
  return (
    <li class="card webhook">
      <div class="page-head">
        <div>
          <h2>{url}</h2>
          <ul class="facts">
            <li class={status === 'enabled' ? 'good' : 'bad'}>{status}</li>
            <li>{events?.join(', ') ?? 'all events'}</li>
            <li>
              {knowledgeBaseIds === undefined
                ? 'all knowledge bases'
                : `${knowledgeBaseIds.length} of the knowledge bases`}
            </li>
            <li>
              created <Time at={createdAt} />
            </li>
            {failingSince !== undefined && (
              <li class="bad">
                failing since <Time at={failingSince} />
              </li>
            )}
          </ul>
          {disabledReason && <p>{disabledReason} A successful test enables it again.</p>}
        </div>
        <div class="row">
          <button type="button" disabled={test.isRunning} onClick={test.run}>
            {test.isRunning ? 'Testing …' : 'Send a test'}
          </button>
          <button
            type="button"
            aria-label={`Delete the webhook to ${url}`}
            onClick={() => setIsDeleting(true)}
          >
            <TrashIcon /> Delete
          </button>
        </div>
      </div>
      <ErrorNotice doing="The test failed." error={test.error} />
      <details open={failingSince !== undefined}>
        <summary>Last deliveries</summary>
        <Deliveries deliveries={deliveries} />
      </details>
      {isDeleting && (
        <DialogForm
          title="Delete this webhook?"
          action={remove}
          failure="It was not deleted."
          submit="Delete"
          isDangerous
          onClose={() => setIsDeleting(false)}
        >
          <p>
            <strong>{url}</strong> will get no more events, and those that wait for it are dropped.
          </p>
        </DialogForm>
      )}
    </li>
  );
}

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

export function WebhooksPage() {
  useTitle('Webhooks');
  const session = useSession();
  const { service } = session;
  const obstacle = accountObstacle(session);
  const { value, error, reload } = useLoaded(
    async (signal) => (obstacle === undefined ? (await service.listWebhooks({}, { signal })).data : []),
    [],
  );
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<CreatedWebhook>();
  const create = (
    <button
      type="button"
      class={value?.length === 0 ? 'primary' : ''}
      disabled={obstacle !== undefined}
      title={obstacle}
      onClick={() => setIsCreating(true)}
    >
      <PlusIcon /> New webhook
    </button>
  );
  return (
    <>
      <div class="page-head">
        <h1>Webhooks</h1>
        {value && value.length > 0 && create}
      </div>
      <ErrorNotice doing="The webhooks could not be listed." error={error} onRetry={reload} />
      {value === undefined && error === undefined && <Loading what="webhooks" />}
      {value?.length === 0 && (
        <Empty
          title={obstacle === undefined ? 'Tell your server what happens' : 'This key may not see webhooks'}
        >
          <p>
            {obstacle ??
              'A webhook is an address of yours that gets a request when a document is searchable, has failed or is deleted.'}
          </p>
          {obstacle === undefined && create}
        </Empty>
      )}
      {value && value.length > 0 && (
        <ul class="webhooks">
          {value.map((webhook) => (
            <WebhookCard key={webhook.id} webhook={webhook} onChange={reload} />
          ))}
        </ul>
      )}
      {isCreating && (
        <WebhookForm
          onClose={() => setIsCreating(false)}
          onCreated={(webhook) => {
            setCreated(webhook);
            reload();
          }}
        />
      )}
      {created && <SecretDialog webhook={created} onClose={() => setCreated(undefined)} />}
    </>
  );
}
