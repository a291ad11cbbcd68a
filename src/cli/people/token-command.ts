/** The command that makes a token, for the users of one's own application. */
import { Command } from 'commander';
import { note, print, printJson } from '../../terminal/terminal.ts';
import { FILTER_EXAMPLE, filterText, type JsonOption, wholeNumber, withJson } from '../options.ts';
import { connect, type RemoteOptions, withRemote } from '../service/remote-service.ts';

type Options = RemoteOptions & JsonOption & { filter?: string; expiresIn?: number };

/** A day: the most that the service signs. */
const SECONDS_MAX = 86_400;

export const token = withRemote(withJson(new Command('token')))
  .description('make a token that stands for your key for a while, and only reads')
  .option('--filter <filter>', `it sees only documents that match, such as '${FILTER_EXAMPLE}'`, filterText)
  .option('--expires-in <seconds>', 'seconds until it ends (default: an hour)', wholeNumber(1, SECONDS_MAX))
  .action(async ({ json, filter, expiresIn, ...remote }: Options) => {
    const client = await connect(remote);
    const created = await client.createToken({
      ...(filter !== undefined && { filter }),
      ...(expiresIn !== undefined && { expiresIn }),
    });
    if (json) printJson(created);
    else {
      print(created.token);
      note(`It ends at ${created.expiresAt}, or with its key.`);
    }
  });
