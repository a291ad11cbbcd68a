/** A webhook: its state, its last deliveries, and what can be done with it. */
import { useState } from 'preact/hooks';
import type { Webhook, WebhookDelivery } from '../../client/index.ts';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { TrashIcon } from '../parts/icons.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { useSession } from '../session.ts';
import { useAction } from '../use-action.ts';

function Deliveries({ deliveries }: { deliveries: WebhookDelivery[] }) {
  if (deliveries.length === 0) return <p class="muted">Nothing has been sent yet.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
    <div class="deliveries" tabIndex={0} role="region" aria-label="Last deliveries">
      <table class="records">
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

function Facts({ webhook }: { webhook: Webhook }) {
  const { events, knowledgeBaseIds, status, failingSince, createdAt } = webhook;
  return (
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
  );
}

type WebhookProps = { webhook: Webhook; onChange(): void };

function DeleteDialog({ webhook, onChange, onClose }: WebhookProps & { onClose(): void }) {
  const { service } = useSession();
  const remove = useAction(async () => {
    await service.deleteWebhook(webhook.id);
    announce('The webhook is deleted.');
    onChange();
  });
  return (
    <DialogForm
      title="Delete this webhook?"
      action={remove}
      failure="It was not deleted."
      submit="Delete"
      isDangerous
      onClose={onClose}
    >
      <p>
        <strong>{webhook.url}</strong> will get no more events, and those that wait for it are dropped.
      </p>
    </DialogForm>
  );
}

function useTest({ webhook, onChange }: WebhookProps) {
  const { service } = useSession();
  return useAction(async () => {
    const { delivered, delivery } = await service.testWebhook(webhook.id);
    announce(
      delivered
        ? `The receiver has accepted the test in ${delivery.durationMs} ms.`
        : `The test was not received. ${delivery.error ?? ''}`,
    );
    onChange();
  });
}

export function WebhookCard({ webhook, onChange }: WebhookProps) {
  const [isDeleting, setIsDeleting] = useState(false);
  const { url, failingSince, disabledReason, deliveries } = webhook;
  const test = useTest({ webhook, onChange });
  const close = () => setIsDeleting(false);
  return (
    <li class="card stack webhook">
      <div class="page-head">
        <div>
          <h2>{url}</h2>
          <Facts webhook={webhook} />
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
        <summary class="muted">Last deliveries</summary>
        <Deliveries deliveries={deliveries} />
      </details>
      {isDeleting && <DeleteDialog webhook={webhook} onChange={onChange} onClose={close} />}
    </li>
  );
}
