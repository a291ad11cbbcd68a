/** The command that shows what the account has stored, and what it has left. */
import { Command } from 'commander';
import { formatBytes } from '../../terminal/formats.ts';
import { printFacts } from '../../terminal/table.ts';
import { printJson } from '../../terminal/terminal.ts';
import { type JsonOption, withJson } from '../options.ts';
import { connect, type RemoteOptions, withRemote } from '../service/remote-service.ts';

export const usage = withRemote(withJson(new Command('usage')))
  .description('show what the account has stored, its limits and its credits')
  .action(async ({ json, ...remote }: RemoteOptions & JsonOption) => {
    const client = await connect(remote);
    const [stored, credits] = await Promise.all([client.getUsage(), client.getBalance()]);
    if (json) {
      printJson({ ...stored, ...credits });
      return;
    }
    const { knowledgeBaseCount, documentCount = 0, passageCount = 0, storageUsed, limits } = stored;
    const { balance, creditsPerQuery = 0 } = credits;
    const ofLimit = (limit: string | undefined) => (limit === undefined ? '' : ` of ${limit}`);
    printFacts({
      'knowledge bases': `${knowledgeBaseCount}${ofLimit(limits && String(limits.knowledgeBases))}`,
      documents: String(documentCount),
      passages: String(passageCount),
      storage: `${formatBytes(storageUsed)}${ofLimit(limits && formatBytes(limits.storage))}`,
      'requests a minute':
        limits?.requestsPerMinute == null ? 'any number' : `${limits.requestsPerMinute} of each key`,
      credits:
        creditsPerQuery === 0
          ? `${balance}; searches are free`
          : `${balance}; a search costs ${creditsPerQuery}`,
    });
  });
