/** The commands for the history of queries. */
import { Command } from 'commander';
import type { KeptQuery } from '../../../generated/types.gen.ts';
import { formatMinute } from '../../terminal/formats.ts';
import { printTable } from '../../terminal/table.ts';
import { note, print, printJson, toVisibleLine } from '../../terminal/terminal.ts';
import { confirm } from '../confirm.ts';
import { type JsonOption, wholeNumber, withJson } from '../options.ts';
import { connect, type RemoteOptions, withRemote } from '../service/remote-service.ts';

type Options = RemoteOptions & JsonOption;
type ListOptions = Options & { limit?: number; nothing?: boolean; slow?: number };

export const queries = new Command('queries').description(
  'the last queries of the account, which it keeps only if it is told to: list, keep, forget',
);

const isWanted = ({ resultCount, durationMs }: KeptQuery, { nothing, slow = 0 }: ListOptions): boolean =>
  (!nothing || resultCount === 0) && durationMs >= slow;

withRemote(withJson(queries.command('list')))
  .description('list those that are kept, the latest first')
  .option('--nothing', 'only those that found nothing')
  .option('--slow <ms>', 'only those that took so long, in milliseconds', wholeNumber(0, 86_400_000))
  .option('--limit <count>', 'of the last ones, at most (default: 1000)', wholeNumber(1, 1_000))
  .action(async ({ json, limit, nothing, slow, ...remote }: ListOptions) => {
    const client = await connect(remote);
    const { keptSince, queries: kept } = await client.listQueries(limit === undefined ? {} : { limit });
    const wanted = kept.filter((query) => isWanted(query, { ...(nothing && { nothing }), slow: slow ?? 0 }));
    if (json) {
      for (const query of wanted) printJson(query);
      return;
    }
    const rows = async function* () {
      for (const { sentAt, resultCount, durationMs, request } of wanted)
        yield {
          sent: formatMinute(sentAt),
          results: String(resultCount),
          ms: String(durationMs),
          query: toVisibleLine(request.query),
        };
    };
    if ((await printTable(rows())) > 0) return;
    note(keptSince === null ? 'None are kept: `queries keep` begins.' : 'There are none of these yet.');
  });

withRemote(withJson(queries.command('keep')))
  .description('keep the last thousand queries from now on, each for 30 days at most, never their results')
  .action(async ({ json, ...remote }: Options) => {
    const history = await (await connect(remote)).setQueryHistory({ enabled: true });
    if (json) printJson(history);
    else print(`Queries are kept since ${formatMinute(history.keptSince ?? undefined)}.`);
  });

withRemote(withJson(queries.command('forget')))
  .description('keep none any more, and remove those that are kept')
  .option('--yes', 'do not ask')
  .action(async ({ json, yes, ...remote }: Options & { yes?: boolean }) => {
    const client = await connect(remote);
    await confirm('Remove all queries that are kept, and keep none any more?', yes);
    const history = await client.setQueryHistory({ enabled: false });
    if (json) printJson(history);
    else print('No queries are kept any more.');
  });
