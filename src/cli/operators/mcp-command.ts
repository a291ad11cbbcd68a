/** The command that agents start: MCP over standard input and output. */
import { Command } from 'commander';
import type { KnowledgeRetrieval } from '../../client/client.ts';
import { KnowledgeRetrievalError } from '../../client/errors.ts';
import { connect, type RemoteOptions, readTarget, withRemote } from '../service/remote-service.ts';

/**
 * Whether the key may write. The interface has no operation that tells it, but it refuses a key before it looks at the
 * input: an import without content changes nothing.
 * @throws why the service cannot be used
 */
async function mayWrite(client: KnowledgeRetrieval): Promise<boolean> {
  try {
    await client.importTextContent({ knowledgeBaseId: '', title: '', content: '' });
  } catch (error) {
    if (!(error instanceof KnowledgeRetrievalError)) throw error;
    if (error.errorCode === 'KEY_NOT_PERMITTED') return false;
    if (error.errorCode !== 'INPUT_VALIDATION_FAILED') throw error;
  }
  return true;
}

async function serve(options: RemoteOptions): Promise<void> {
  const { baseUrl, apiKey } = await readTarget(options);
  const client = await connect({ url: baseUrl, key: apiKey });
  const canWrite = await mayWrite(client);
  // Loaded here, since `serve` loads this file too: the SDK takes 10 MB.
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const { createKnowledgeServer } = await import('../../mcp/knowledge-server.ts');
  serveStdio(() => createKnowledgeServer({ client, canWrite, address: baseUrl }));
}

export const mcp = withRemote(
  new Command('mcp').description(
    'serve agents by the Model Context Protocol over standard input and output; they start this command themselves',
  ),
).action(serve);
