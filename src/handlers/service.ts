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
     * Makes a request's account count as present. Meanwhile fewer documents of each other account are analysed at a time.
     */
    markAccountPresent: AnalysisPool['markAccountPresent'];
    /** The positions of files in the queue of imports. */
    positions: QueuePositions;
    /** The requests that wait for the end of imports. */
    longPolls: LongPolls;
    uploadSecret: string;
  }>;
