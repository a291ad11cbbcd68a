/** What the account uses and has left, and what the key may do. */
import './usage.css';
import type { ComponentChildren } from 'preact';
import type { Balance, Usage } from '../../client/index.ts';
import { countOf, formatBytes, formatCount } from '../format.ts';
import { ErrorNotice, Loading } from '../parts/notice.tsx';
import { type KeyScope, useSession } from '../session.ts';
import { useLoaded } from '../use-loaded.ts';
import { useTitle } from '../use-title.ts';

const ABILITIES: Record<KeyScope, string> = {
  search: 'It may search and read. It may not write.',
  write:
    'It may search, read and write in the knowledge bases that it is bound to, and not manage the account.',
  account: 'It may do everything: search, read, write, and manage knowledge bases and webhooks.',
};

/** An account that nobody has given fewer credits begins with a billion. Their number would say nothing. */
const CREDITS_ENDLESS = 500_000_000;

const isCounted = ({ balance, creditsPerQuery }: Balance): boolean =>
  creditsPerQuery !== 0 && balance < CREDITS_ENDLESS;

function Measure({
  name,
  used,
  limit,
  children,
}: {
  name: string;
  /** With a `limit`, how much of it is used. */
  used?: number;
  limit?: number | undefined;
  children: ComponentChildren;
}) {
  return (
    <div class="card stack measure">
      <h2 class="muted label">{name}</h2>
      <p>{children}</p>
      {used !== undefined && limit !== undefined && limit > 0 && (
        <meter
          class={used / limit > 0.9 ? 'bad' : ''}
          value={used / limit}
          min={0}
          max={1}
          aria-label={`Used of ${name.toLowerCase()}`}
        />
      )}
    </div>
  );
}

function Measures({ usage, balance }: { usage: Usage; balance: Balance }) {
  const { storageUsed, knowledgeBaseCount, documentCount = 0, passageCount = 0, limits } = usage;
  return (
    <div class="measures">
      <Measure name="Storage" used={storageUsed} limit={limits?.storage}>
        <strong>{formatBytes(storageUsed)}</strong>
        {limits && <> of {formatBytes(limits.storage)}</>}
      </Measure>
      <Measure name="Knowledge bases" used={knowledgeBaseCount} limit={limits?.knowledgeBases}>
        <strong>{formatCount(knowledgeBaseCount)}</strong>
        {limits && <> of {formatCount(limits.knowledgeBases)}</>}
      </Measure>
      <Measure name="Documents">
        <strong>{formatCount(documentCount)}</strong> with {countOf(passageCount, 'passage')}
      </Measure>
      {isCounted(balance) && (
        <Measure name="Credits">
          <strong>{formatCount(balance.balance)}</strong>
          {` left; a search costs ${formatCount(balance.creditsPerQuery ?? 1)}`}
        </Measure>
      )}
      <Requests perMinute={limits?.requestsPerMinute} />
    </div>
  );
}

const Requests = ({ perMinute }: { perMinute: number | null | undefined }) => (
  <Measure name="Requests">
    {perMinute ? (
      <>
        <strong>{formatCount(perMinute)}</strong> a minute with each key
      </>
    ) : (
      'Without a limit'
    )}
  </Measure>
);

const ThisKey = ({ scope }: { scope: KeyScope }) => (
  <section class="stack">
    <h2>This key</h2>
    <p>{ABILITIES[scope]}</p>
    <p class="muted">
      Web pages and agents need less than a key for everything. On the server, this makes one that only
      searches:
    </p>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
    <pre tabIndex={0}>
      <code>npx knowledge-retrieval keys create --name website --scope search</code>
    </pre>
  </section>
);

export function UsagePage() {
  useTitle('Usage');
  const { service, scope } = useSession();
  const { value, error, reload } = useLoaded(async (signal) => {
    const [usage, balance] = await Promise.all([
      service.getUsage({ signal }),
      service.getBalance({ signal }),
    ]);
    return { usage, balance };
  }, []);
  return (
    <>
      <h1>Usage</h1>
      <ErrorNotice doing="The usage could not be loaded." error={error} onRetry={reload} />
      {value === undefined && error === undefined && <Loading what="the usage" />}
      {value && <Measures {...value} />}
      <ThisKey scope={scope} />
    </>
  );
}
