/** The imports of a crash run's client: texts, with and without a key, and files. */
import { randomUUID } from 'node:crypto';
import type { Document, DocumentStatusReport, UploadTicket } from '../../../generated/types.gen.ts';
import type { Answer } from '../../../src/contract-check/requests/exchange.ts';
import { pathOf } from '../../harness/calls/uploading.ts';
import type { Random } from '../../harness/documents/texts.ts';
import { mustBeSeen } from './lifetime.ts';
import { type DocumentKind, planDocument } from './planned-documents.ts';
import { complain, dataOf, type Outcome, planRequest, sendUntilAnswered, type Target } from './sending.ts';
import {
  addDocument,
  type DocumentRecord,
  type KnowledgeBaseRecord,
  noteProcessed,
  type Versions,
  type World,
} from './world.ts';

/** The target and the number of a document, and the source of all other decisions. */
type PlannedImport = {
  knowledgeBase: KnowledgeBaseRecord;
  number: number;
  random: Random;
  /** The document replaces these. */
  versions?: Versions;
};

const externalIdOf = (versions: Versions | undefined): object =>
  versions === undefined ? {} : { externalId: versions.externalId };

/** KNOWLEDGE_BASE_NOT_FOUND is right only for a knowledge base that is being deleted. Then the document is gone too. */
function judgeRefusal(
  world: World,
  knowledgeBase: KnowledgeBaseRecord,
  { answer, ...span }: Outcome & { answer: Answer },
): void {
  if (answer.status === 404 && !mustBeSeen(knowledgeBase.life, span)) return;
  complain(world, 'refused without reason', `${knowledgeBase.name}: ${answer.status} ${answer.text}`);
}

/** Returns the answer of a success, otherwise undefined. Judges a refusal. */
function successOf(world: World, knowledgeBase: KnowledgeBaseRecord, outcome: Outcome): Answer | undefined {
  const { answer } = outcome;
  if (answer === undefined || answer.status === 200) return answer;
  judgeRefusal(world, knowledgeBase, { ...outcome, answer });
  return undefined;
}

/** Notes an acknowledged document with its id, and a refused one as ended. */
function noteMade(
  { clock }: World,
  record: DocumentRecord,
  outcome: Outcome,
  answer: Answer | undefined,
): void {
  if (answer === undefined) {
    if (outcome.answer !== undefined) record.life.endedAt = clock();
    return;
  }
  record.id = dataOf<Document>(answer).id;
  record.life.madeAt = clock();
}

/**
 * Imports a text. With a key, the client retries until an acknowledgement, and sometimes repeats the request once more.
 * Without a key, a server receives the request at most once.
 */
export async function importText(
  target: Target,
  { knowledgeBase, number, random, versions }: PlannedImport,
): Promise<DocumentRecord | undefined> {
  const { world } = target;
  const [withKey, givesUp, repeats] = [random() < 0.6, random() < 0.2, random() < 0.3];
  const record = addDocument(world, knowledgeBase, planDocument(number, 'text', versions?.word), versions);
  const { title, content } = record;
  const key: Record<string, string> = withKey ? { 'idempotency-key': randomUUID() } : {};
  const request = planRequest(
    'importTextContent',
    { knowledgeBaseId: knowledgeBase.id, title, content, ...externalIdOf(versions) },
    key,
  );
  const outcome = await sendUntilAnswered(target, request, { givesUp: givesUp || !withKey });
  const answer = successOf(world, knowledgeBase, outcome);
  noteMade(world, record, outcome, answer);
  if (answer === undefined) return undefined;
  noteProcessed(world, record);
  if (withKey && repeats) {
    const again = await sendUntilAnswered(target, request);
    if (again.answer?.text !== answer.text)
      complain(world, 'doubled', `the key of ${title}: ${answer.text} and then ${again.answer?.text}`);
  }
  return record;
}

/** Uploads a file. Returns its ticket, or undefined if the knowledge base is gone. */
async function upload(
  target: Target,
  knowledgeBase: KnowledgeBaseRecord,
  { title, content, sizeBytes }: { title: string; content: string; sizeBytes: number },
): Promise<UploadTicket | undefined> {
  const { world } = target;
  const input = { knowledgeBaseId: knowledgeBase.id, fileName: title, size: sizeBytes };
  const presigned = await sendUntilAnswered(
    target,
    planRequest('presignUploadUrl', input, { 'idempotency-key': randomUUID() }),
  );
  const answer = successOf(world, knowledgeBase, presigned);
  if (answer === undefined) return undefined;
  const ticket = dataOf<UploadTicket>(answer);
  // Only the path: a killed server answers at another address after its restart.
  const sent = { method: 'PUT', path: pathOf(ticket.uploadUrl), headers: {}, body: content };
  const put = await sendUntilAnswered(target, { operationId: undefined, sent });
  return successOf(world, knowledgeBase, put) && ticket;
}

/** As `successOf`. An earlier version whose answer was lost may have come later, and have replaced this one. */
function successOfFile(world: World, record: DocumentRecord, outcome: Outcome): Answer | undefined {
  const isReplaced = outcome.answer?.status === 404 && record.life.endBegunAt !== undefined;
  return isReplaced ? undefined : successOf(world, record.knowledgeBase, outcome);
}

/** Some files have no text, and must fail. */
const drawKind = (random: Random): DocumentKind => (random() < 0.25 ? 'blank' : 'file');

/** Notes the import's end, from a long poll. */
async function awaitImport(target: Target, record: DocumentRecord): Promise<void> {
  const { world } = target;
  const { id: documentId } = record;
  const outcome = await sendUntilAnswered(
    target,
    planRequest('getDocumentStatus', { documentId, waitSeconds: 5 }),
  );
  const answer = successOfFile(world, record, outcome);
  if (answer === undefined) return;
  const { status, error } = dataOf<DocumentStatusReport>(answer);
  if (status === 'processed') noteProcessed(world, record);
  if (status === 'timeout' || (status === 'failed' && error?.code !== 'NO_TEXT_EXTRACTED'))
    complain(world, 'lost', `${record.title} is ${status}: ${error?.message}`);
}

/** Uploads a file and imports it. Sometimes waits until it is processed. */
export async function importFile(
  target: Target,
  { knowledgeBase, number, random, versions }: PlannedImport,
): Promise<DocumentRecord | undefined> {
  const { world } = target;
  const [givesUp, waits] = [random() < 0.2, random() < 0.3];
  const planned = planDocument(number, drawKind(random), versions?.word);
  const ticket = await upload(target, knowledgeBase, planned);
  if (ticket === undefined) return undefined;
  const record = addDocument(world, knowledgeBase, planned, versions);
  const outcome = await sendUntilAnswered(
    target,
    planRequest('importFile', { fileId: ticket.fileId, ...externalIdOf(versions) }),
    {
      givesUp,
    },
  );
  const answer = successOfFile(world, record, outcome);
  noteMade(world, record, outcome, answer);
  if (answer === undefined) return undefined;
  if (waits) await awaitImport(target, record);
  return record;
}
