/** The last queries of the account: what people look for, what they do not find, and what takes long. */
import './queries.css';
import { useState } from 'preact/hooks';
import type { KeptQuery, KnowledgeBase } from '../../client/index.ts';
import { formatCount } from '../format.ts';
import { listAllKnowledgeBases } from '../knowledge-bases/list-all.ts';
import { announce } from '../parts/announcements.tsx';
import { DialogForm } from '../parts/dialog-form.tsx';
import { Select } from '../parts/fields/select.tsx';
import { Empty, ErrorNotice, Loading } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { WriteButton } from '../parts/write-button.tsx';
import { addressOf, route, setParameters } from '../routes.ts';
import { accountObstacle, useSession } from '../session.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';
import { useTitle } from '../use-title.ts';
import { chooseQueries, summarise, type View } from './chosen-queries.ts';
import { QueryTable } from './query-table.tsx';

const VIEWS: Record<View, string> = {
  latest: 'The latest first',
  nothing: 'What found nothing',
  slowest: 'The slowest first',
};

const viewOf = (name: string | null): View => (name === 'nothing' || name === 'slowest' ? name : 'latest');

/** The view is a parameter of the page, so that a reload and a link keep it. */
const ViewChoice = ({ view }: { view: View }) => (
  <Select
    aria-label="Show"
    names={VIEWS}
    value={view}
    onChange={(show) => setParameters(new URLSearchParams(show === 'latest' ? {} : { show }))}
  />
);

function NotKept({ obstacle, onChange }: { obstacle: string | undefined; onChange(): void }) {
  const { service } = useSession();
  const keep = useAction(async () => {
    await service.setQueryHistory({ enabled: true });
    announce('Queries are kept from now on.');
    onChange();
  });
  return (
    <Empty title={obstacle === undefined ? 'Queries are not kept' : 'This key may not see queries'}>
      <p>
        {obstacle ??
          'What people look for and do not find says which texts are missing. ' +
            'The last thousand queries can be kept, each for 30 days at most, ' +
            'with the number of their results and never the results. Tell those who search.'}
      </p>
      {obstacle === undefined && (
        <WriteButton obstacle={obstacle} isPrimary isRunning={keep.isRunning} onClick={keep.run}>
          Keep the last queries
        </WriteButton>
      )}
      <ErrorNotice doing="That failed." error={keep.error} />
    </Empty>
  );
}

function ForgetDialog({ onClose, onChange }: { onClose(): void; onChange(): void }) {
  const { service } = useSession();
  const forget = useAction(async () => {
    await service.setQueryHistory({ enabled: false });
    announce('No queries are kept any more.');
    onClose();
    onChange();
  });
  return (
    <DialogForm
      title="Keep no queries any more?"
      action={forget}
      failure="They are still kept."
      submit="Remove them"
      isDangerous
      onClose={onClose}
    >
      <p>Those that are kept are removed, for all who use this account.</p>
    </DialogForm>
  );
}

function Summary({ queries, keptSince }: { queries: KeptQuery[]; keptSince: string }) {
  const { inVain, medianMs } = summarise(queries);
  return (
    <ul class="facts">
      <li>{queries.length === 1 ? '1 query' : `${formatCount(queries.length)} queries`}</li>
      {queries.length > 0 && (
        <>
          <li class={inVain > 0 ? 'bad' : ''}>{formatCount(inVain)} found nothing</li>
          <li>half of them took {formatCount(medianMs)} ms or less</li>
        </>
      )}
      <li>
        kept since <Time at={keptSince} />
      </li>
    </ul>
  );
}

type KeptProps = { queries: KeptQuery[]; knowledgeBases: KnowledgeBase[]; view: View };

function Kept({ queries, knowledgeBases, view }: KeptProps) {
  const shown = chooseQueries(queries, view);
  if (shown.length > 0) return <QueryTable shown={shown} knowledgeBases={knowledgeBases} />;
  return (
    <Empty title={queries.length === 0 ? 'Nothing was asked yet' : 'Every query found something'}>
      {queries.length === 0 && (
        <p>
          <a href={addressOf.search()}>Search</a> for something: it will be here.
        </p>
      )}
    </Empty>
  );
}

/** What the page shows: the queries, and the names of what they have searched. */
function useHistory(obstacle: string | undefined) {
  const { service } = useSession();
  return useLoaded(async (signal) => {
    if (obstacle !== undefined) return { keptSince: null, queries: [], knowledgeBases: [] };
    const [history, knowledgeBases] = await Promise.all([
      service.listQueries({}, { signal }),
      listAllKnowledgeBases(service, signal),
    ]);
    return { ...history, knowledgeBases };
  }, []);
}

export function QueriesPage() {
  useTitle('Queries');
  const obstacle = accountObstacle(useSession());
  const { value, error, reload } = useHistory(obstacle);
  const [isForgetting, setIsForgetting] = useState(false);
  const view = viewOf(route.value.parameters.get('show'));
  const isKept = typeof value?.keptSince === 'string';
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Queries</h1>
          {value?.keptSince && <Summary queries={value.queries} keptSince={value.keptSince} />}
        </div>
        {isKept && (
          <div class="row">
            <ViewChoice view={view} />
            <button type="button" onClick={reload}>
              Refresh
            </button>
            <button type="button" onClick={() => setIsForgetting(true)}>
              Stop keeping
            </button>
          </div>
        )}
      </div>
      <ErrorNotice doing="The queries could not be listed." error={error} onRetry={reload} />
      {value === undefined && error === undefined && <Loading what="queries" />}
      {value?.keptSince === null && <NotKept obstacle={obstacle} onChange={reload} />}
      {value && isKept && <Kept {...value} view={view} />}
      {isForgetting && <ForgetDialog onClose={() => setIsForgetting(false)} onChange={reload} />}
    </>
  );
}
