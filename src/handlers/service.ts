/** What every handler works with, made once by the composition root. */
import type { AnalysisPool } from '../indexing/analysis-pool.ts';
import type { JobContext } from '../jobs/job-context.ts';
import type { LongPolls } from '../jobs/long-poll.ts';
import type { QueuePositions } from '../jobs/queue-positions.ts';
import type { Search } from '../search/search.ts';

export type Service = JobContext &
  Readonly<{
    search: Search;
    /** To be told of each request's account: beside it, the documents of others are analysed fewer at a time. */
    greetAccount: AnalysisPool['greet'];
    /** Where files stand in the queue of imports. */
    positions: QueuePositions;
    /** Who waits for the end of imports. */
    longPolls: LongPolls;
    uploadSecret: string;
  }>;
