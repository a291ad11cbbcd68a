/** Connects the protocol's SDK with the service. Loaded with the first message: it takes 10 MB, and 0.1 s to load. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createKnowledgeRetrieval } from '../client/client.ts';
import { createKnowledgeServer } from './knowledge-server.ts';

/** Agents give up sooner than programs do. */
const ANSWER_MAX_MS = 30_000;

/**
 * Creates the function that answers messages. At most `listenersMax` clients may listen at the same time. When `ending`
 * aborts, they are disconnected.
 */
export function createMessageHandler(listenersMax: number, ending: AbortSignal) {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const { token = '', scopes = [], extra = {} } = authInfo ?? {};
      const limits = { timeoutMs: ANSWER_MAX_MS, deadlineMs: ANSWER_MAX_MS };
      const client = createKnowledgeRetrieval({
        baseUrl: String(extra.serviceAddress),
        apiKey: token,
        ...limits,
      });
      const address = String(extra.publicAddress);
      return createKnowledgeServer({ client, canWrite: scopes.includes('write'), address });
    },
    { maxSubscriptions: listenersMax },
  );
  const close = () => void handler.close();
  ending.addEventListener('abort', close, { once: true });
  if (ending.aborted) close(); // while the shutdown began, this module was being loaded
  return handler.fetch;
}
