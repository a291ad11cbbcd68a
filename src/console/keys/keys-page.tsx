/** The keys of the account: what each may do and see, when it was last used, and which are revoked. */
import './keys.css';
import { useState } from 'preact/hooks';
import type { CreatedKey, Key } from '../../client/index.ts';
import { writeFilter } from '../../formats/write-filter.ts';
import { formatCount } from '../format.ts';
import { listAllKnowledgeBases } from '../knowledge-bases/list-all.ts';
import { announce } from '../parts/announcements.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Choice } from '../parts/fields/choice.tsx';
import { PlusIcon } from '../parts/icons.tsx';
import { Empty, ErrorNotice, Loading } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { accountObstacle, signOut, useSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';
import { useTitle } from '../use-title.ts';
import { KeyForm } from './key-form.tsx';

const SCOPES: Record<Key['scope'], string> = { search: 'searches and reads', write: 'reads and writes' };

/** '2026-01-15T09:28:41.903Z' → '2026-01-15', as the service says the day of the last use: in UTC. */
const dayOf = (time: string): string => time.slice(0, 'YYYY-MM-DD'.length);

/** Names of knowledge bases by their ids. */
type Names = ReadonlyMap<string, string>;

function reachOf({ knowledgeBaseIds }: Key, names: Names): string {
  if (knowledgeBaseIds === undefined) return 'all knowledge bases';
  const known = knowledgeBaseIds.flatMap((id) => names.get(id) ?? []);
  const gone = knowledgeBaseIds.length - known.length;
  return [...known, ...(gone > 0 ? [`${formatCount(gone)} deleted`] : [])].join(', ');
}

function RevokeDialog({
  revoked,
  isOwn,
  onClose,
  onChange,
}: {
  revoked: Key;
  isOwn: boolean;
  onClose(): void;
  onChange(): void;
}) {
  const { service } = useSession();
  const revoke = useAction(async () => {
    await service.revokeKey({ keyId: revoked.id });
    announce(`The key ${revoked.name} is revoked.`);
    if (isOwn) signOut();
    else onChange();
  });
  return (
    <DialogForm
      title="Revoke this key?"
      action={revoke}
      failure="It was not revoked."
      submit="Revoke"
      isDangerous
      onClose={onClose}
    >
      <p>
        Programs and pages with <strong dir="auto">{revoked.name}</strong> are refused within a second, and so
        are its tokens. This cannot be undone.
      </p>
      {isOwn && <p class="bad">You are signed in with this key: the console will ask for another one.</p>}
    </DialogForm>
  );
}

/** When a key was used, ends or has ended. */
const KeyTimes = ({ shown: { createdAt, expiresAt, revokedAt, lastUsedOn, status } }: { shown: Key }) => (
  <>
    <li>{lastUsedOn === undefined ? 'never used' : `last used on ${lastUsedOn}`}</li>
    <li>
      created <Time at={createdAt} />
    </li>
    {status === 'revoked' && revokedAt !== undefined && (
      <li class="bad">
        revoked <Time at={revokedAt} />
      </li>
    )}
    {status !== 'revoked' && expiresAt !== undefined && (
      <li class={status === 'expired' ? 'bad' : ''}>
        {status === 'expired' ? 'expired' : 'expires'} on {dayOf(expiresAt)}
      </li>
    )}
  </>
);

/** What a key may do and see. */
const KeyFacts = ({ shown, names }: { shown: Key; names: Names }) => (
  <>
    <ul class="facts">
      <li>{SCOPES[shown.scope]}</li>
      <li dir="auto">{reachOf(shown, names)}</li>
      <KeyTimes shown={shown} />
    </ul>
    {shown.filter !== undefined && (
      <p>
        only documents with <code dir="auto">{writeFilter(shown.filter)}</code>
      </p>
    )}
    <p class="muted">
      <code>kr_{shown.id}_…</code>
    </p>
  </>
);

function KeyCard({ shown, names, onChange }: { shown: Key; names: Names; onChange(): void }) {
  const { keyId } = useSession();
  const [isRevoking, setIsRevoking] = useState(false);
  const { id, name, status } = shown;
  const isOwn = id === keyId;
  const close = () => setIsRevoking(false);
  return (
    <li class={`card key ${status === 'valid' ? '' : 'ended'}`}>
      <div class="page-head">
        <div>
          <h2>
            <span dir="auto">{name}</span> {isOwn && <span class="tag">this console</span>}
          </h2>
          <KeyFacts shown={shown} names={names} />
        </div>
        {status === 'valid' && (
          <button type="button" aria-label={`Revoke the key ${name}`} onClick={() => setIsRevoking(true)}>
            Revoke
          </button>
        )}
      </div>
      {isRevoking && <RevokeDialog revoked={shown} isOwn={isOwn} onClose={close} onChange={onChange} />}
    </li>
  );
}

/** Shows a new key: no later answer has it. */
const CreatedDialog = ({ created, onClose }: { created: CreatedKey; onClose(): void }) => (
  <Dialog title="The new key" onClose={onClose}>
    <div class="stack">
      <p>It is shown this once: store it now. Programs send it as the header x-api-key.</p>
      <pre class="new-key">
        <code>{created.key}</code>
      </pre>
      <div class="row end">
        <CopyButton text={created.key} what="the key" />
        <button type="button" class="primary" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  </Dialog>
);

/** The keys, the valid ones first or alone. */
function KeyList({ keys, names, onChange }: { keys: Key[]; names: Names; onChange(): void }) {
  const [showsEnded, setShowsEnded] = useState(false);
  const valid = keys.filter(({ status }) => status === 'valid');
  const ended = keys.filter(({ status }) => status !== 'valid');
  return (
    <>
      <ul class="stack cards">
        {[...valid, ...(showsEnded ? ended : [])].map((each) => (
          <KeyCard key={each.id} shown={each} names={names} onChange={onChange} />
        ))}
      </ul>
      {ended.length > 0 && (
        <Choice isChosen={showsEnded} onChange={setShowsEnded}>
          Show {formatCount(ended.length)} revoked or expired
        </Choice>
      )}
    </>
  );
}

/** The keys, and the names of the knowledge bases to which they are bound; nothing where the key may not see them. */
function useKeys(isPermitted: boolean) {
  const { service } = useSession();
  return useLoaded(async (signal) => {
    if (!isPermitted) return { keys: [], knowledgeBases: [], names: new Map() as Names };
    const [keys, knowledgeBases] = await Promise.all([
      service.listKeys({}, { signal }),
      listAllKnowledgeBases(service, signal),
    ]);
    const names: Names = new Map(knowledgeBases.map(({ id, name }) => [id, name]));
    return { keys: keys.data, knowledgeBases, names };
  }, []);
}

const Explained = ({ obstacle }: { obstacle: string | undefined }) =>
  obstacle === undefined ? (
    <p class="muted">
      A program or a page needs less than you: give it a key of its own, which you can revoke.
    </p>
  ) : (
    <Empty title="This key may not see keys">
      <p>{obstacle}</p>
    </Empty>
  );

export function KeysPage() {
  useTitle('Keys');
  const obstacle = accountObstacle(useSession());
  const { value, error, reload } = useKeys(obstacle === undefined);
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<CreatedKey>();
  const create = () => setIsCreating(true);
  const show = (key: CreatedKey) => {
    setCreated(key);
    reload();
  };
  return (
    <>
      <div class="page-head">
        <h1>Keys</h1>
        <button type="button" disabled={obstacle !== undefined} title={obstacle} onClick={create}>
          <PlusIcon /> New key
        </button>
      </div>
      <Explained obstacle={obstacle} />
      <ErrorNotice doing="The keys could not be listed." error={error} onRetry={reload} />
      {value === undefined && error === undefined && <Loading what="keys" />}
      {value && <KeyList keys={value.keys} names={value.names} onChange={reload} />}
      {isCreating && (
        <KeyForm
          knowledgeBases={value?.knowledgeBases ?? []}
          onClose={() => setIsCreating(false)}
          onCreated={show}
        />
      )}
      {created && <CreatedDialog created={created} onClose={() => setCreated(undefined)} />}
    </>
  );
}
