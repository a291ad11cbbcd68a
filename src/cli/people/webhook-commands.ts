/** The commands for webhooks. */
import { Command, Option } from 'commander';
import type { SubscribableEventType } from '../../../generated/types.gen.ts';
import { formatMinute } from '../../terminal/formats.ts';
import { printTable } from '../../terminal/table.ts';
import { note, print, printJson, toVisibleLine } from '../../terminal/terminal.ts';
import { collect, type JsonOption, withJson } from '../options.ts';
import { requireKnowledgeBase } from '../service/find-knowledge-base.ts';
import { connect, type RemoteOptions, withRemote } from '../service/remote-service.ts';

type Options = RemoteOptions & JsonOption;
type CreateOptions = Options & { kb?: string[]; event?: SubscribableEventType[] };

const EVENTS = [
  'document.processed',
  'document.failed',
  'document.deleted',
] satisfies SubscribableEventType[];

export const webhooks = new Command('webhooks').description(
  'webhooks: create, list, test and delete addresses that are told what becomes of documents',
);

withRemote(withJson(webhooks.command('create')))
  .description('create one, and print its id and, this once, its secret')
  .argument('<url>', "the receiver's https address")
  .option('--kb <name>', 'only of this knowledge base, by name or id; may be repeated', collect)
  .addOption(new Option('--event <type...>', 'only these events (default: all)').choices(EVENTS))
  .action(async (url: string, { json, kb, event, ...remote }: CreateOptions) => {
    const client = await connect(remote);
    const knowledgeBases = kb && (await Promise.all(kb.map((each) => requireKnowledgeBase(client, each))));
    const created = await client.createWebhook({
      url,
      ...(event && { events: event }),
      ...(knowledgeBases && { knowledgeBaseIds: knowledgeBases.map(({ id }) => id) }),
    });
    if (json) printJson(created);
    else print(`id      ${created.id}\nsecret  ${created.secret}`);
  });

withRemote(withJson(webhooks.command('list')))
  .description('list all, with their state and last delivery')
  .action(async ({ json, ...remote }: Options) => {
    const list = (await connect(remote)).listWebhooks();
    if (json) {
      for await (const webhook of list) printJson(webhook);
      return;
    }
    const rows = async function* () {
      for await (const { id, status, createdAt, url, disabledReason, deliveries } of list)
        yield {
          id,
          status,
          created: formatMinute(createdAt),
          url,
          problem: disabledReason ?? deliveries[0]?.error ?? '',
        };
    };
    if ((await printTable(rows())) === 0) note('There are none yet: `webhooks create` makes one.');
  });

withRemote(withJson(webhooks.command('test')))
  .description('send a test event, and show what the receiver answers; enables a disabled one')
  .argument('<id>', 'from `webhooks list`')
  .action(async (id: string, { json, ...remote }: Options) => {
    const tested = await (await connect(remote)).testWebhook(id);
    const { delivered, delivery } = tested;
    if (json) printJson(tested);
    else if (delivered) print(`The receiver has accepted the test in ${delivery.durationMs} ms.`);
    else note(toVisibleLine(`The test was not received. ${delivery.error ?? ''}`));
    if (!delivered) process.exitCode = 1;
  });

withRemote(withJson(webhooks.command('delete')))
  .description('delete one')
  .argument('<id>', 'from `webhooks list`')
  .action(async (id: string, { json, ...remote }: Options) => {
    const deleted = await (await connect(remote)).deleteWebhook(id);
    if (json) printJson(deleted);
    else print('The webhook is deleted.');
  });
