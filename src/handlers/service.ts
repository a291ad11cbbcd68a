/** The parts that every handler works with, made once by the composition root. */
import type { AnalysisPool } from '../indexing/analysis-pool.ts';
import type { JobContext } from '../jobs/job-context.ts';
import type { LongPolls } from '../jobs/long-poll.ts';
import type { QueuePositions } from '../jobs/queue-positions.ts';
import type { Search } from '../search/search.ts';

export type Service = JobContext &
  Readonly<{
    search: Search;
    /**
     * Reports each request's account: while it is present, fewer documents of other accounts are analysed at a time.
     */
    markAccountPresent: AnalysisPool['markAccountPresent'];
    /** The positions of files in the queue of imports. */
    positions: QueuePositions;
    /** The requests that wait for the end of imports. */
    longPolls: LongPolls;
    uploadSecret: string;
  }>;
