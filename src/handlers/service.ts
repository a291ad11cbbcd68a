/** The parts that all handlers use. The composition root creates them once. */
import type { AnalysisPool } from '../indexing/analysis-pool.ts';
import type { JobContext } from '../jobs/job-context.ts';
import type { LongPolls } from '../jobs/long-poll.ts';
import type { QueuePositions } from '../jobs/queue-positions.ts';
import type { SendTest } from '../outbound/webhooks/send-test.ts';
import type { QueryHistory } from '../search/history/noted-queries.ts';
import type { ChargedSearch } from '../search/payment/charged-search.ts';
import type { Arrivals } from '../versions/accept-together.ts';
import type { ShortTexts } from '../versions/short-texts.ts';

export type Service = JobContext &
  Readonly<{
    search: ChargedSearch;
    /** Keeps the queries of accounts that want it. */
    queryHistory: QueryHistory;
    importShortText: ShortTexts['importShortText'];
    acceptArrived: Arrivals['acceptArrived'];
    /**
     * Call it for each request. While its account is present, other accounts analyse fewer documents at a time.
     */
    markAccountPresent: AnalysisPool['markAccountPresent'];
    /** The positions of files in the queue of imports. */
    positions: QueuePositions;
    /** The generation of vectors by a model that passages are to have; undefined: no model is used. */
    wantedGeneration(): Promise<number | undefined>;
    /** Long polls: requests that wait for the end of imports. */
    longPolls: LongPolls;
    uploadSecret: string;
    /** Sends a test event to a webhook. */
    sendTest: SendTest;
  }>;
