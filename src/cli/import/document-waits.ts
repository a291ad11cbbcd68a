/** Waits for the ends of many imports, by few requests. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Document, DocumentStatusReport } from '../../../generated/types.gen.ts';
import type { KnowledgeRetrieval } from '../../client/client.ts';

/** Waits until a document is processed. @throws DOCUMENT_FAILED, DOCUMENT_TIMED_OUT, or a request's error */
export type WaitForDocument = (documentId: string) => Promise<Pick<DocumentStatusReport, 'warnings'>>;

/** How long after an answer the newest documents are listed again. */
const LIST_INTERVAL_MS = 250;
/** Documents of a list: more than are waited for, since other clients import too. The contract's most is 1000. */
const LISTED_MAX = 1_000;
const LISTED_PER_WAIT = 2;

/** Hears how many pages of a document OCR has read; undefined: it reads none, or no more. */
export type OnPages = (documentId: string, pages: DocumentStatusReport['recognition']) => void;

type Wait = PromiseWithResolvers<Pick<DocumentStatusReport, 'warnings'>> & { missed: number };

/** While no more documents are waited for, each has a request of its own: the service answers it at the end at once. */
const ALONE_MAX = 2;

/** After so many lists without a document, that document is an older one, and gets a request of its own. */
const MISSES_MAX = 2;

/** Requests for one document each, which wait at the service. */
function createOwnRequests(client: Pick<KnowledgeRetrieval, 'pollDocumentStatus'>, onPages: OnPages) {
  let running = 0;
  return {
    count: () => running,
    async ask(id: string): Promise<DocumentStatusReport> {
      running += 1;
      const onReport = ({ recognition }: DocumentStatusReport) => onPages(id, recognition);
      return await client.pollDocumentStatus(id, { onReport }).finally(() => {
        running -= 1;
        onPages(id, undefined);
      });
    },
  };
}

/** Ends the waits for listed documents that are processed. `askAlone`: for those that need a request of their own. */
function settle(
  waits: Map<string, Wait>,
  listed: Map<string, Document>,
  askAlone: (id: string, wait: Wait) => void,
): void {
  for (const [id, wait] of waits) {
    const document = listed.get(id);
    if (document === undefined && ++wait.missed >= MISSES_MAX) askAlone(id, wait);
    else if (document?.status === 'failed' || document?.status === 'timeout') askAlone(id, wait);
    else if (document?.status === 'processed') {
      waits.delete(id);
      wait.resolve(document);
    }
  }
}

/**
 * The documents of a running import are the newest of their knowledge base, so one list tells the status of all. An
 * older document gets a request of its own, which waits at the service. So does a failed one: its report has the
 * reason.
 */
export function createDocumentWaits(
  client: Pick<KnowledgeRetrieval, 'listDocuments' | 'pollDocumentStatus'>,
  knowledgeBaseId: string,
  onPages: OnPages = () => {},
): WaitForDocument {
  const waits = new Map<string, Wait>();
  const own = createOwnRequests(client, onPages);
  let isListing = false;

  const askAlone = (id: string, { resolve, reject }: Wait) => {
    waits.delete(id);
    own.ask(id).then(resolve, reject);
  };
  const list = async () => {
    isListing = true;
    try {
      while (waits.size > 0) {
        await delay(LIST_INTERVAL_MS);
        const limit = Math.min(LISTED_MAX, waits.size * LISTED_PER_WAIT);
        const { data } = await client.listDocuments({ knowledgeBaseId, limit });
        settle(waits, new Map(data.map((document) => [document.id, document])), askAlone);
      }
    } catch (error) {
      for (const { reject } of waits.values()) reject(error);
      waits.clear();
    } finally {
      isListing = false;
    }
  };
  return async (documentId) => {
    if (own.count() < ALONE_MAX) return await own.ask(documentId);
    const wait = { ...Promise.withResolvers<Pick<DocumentStatusReport, 'warnings'>>(), missed: 0 };
    waits.set(documentId, wait);
    if (!isListing) void list();
    return await wait.promise;
  };
}
