/** How a client of a crash run brings documents in: as text, with and without a key, and as files. */
import { randomUUID } from 'node:crypto';
import type { Document, DocumentStatusReport, UploadTicket } from '../../../generated/types.gen.ts';
import type { Answer } from '../../harness/exchange.ts';
import type { Random } from '../../harness/texts.ts';
import { pathOf } from '../../harness/uploading.ts';
import { mustBeSeen } from './lifetime.ts';
import { type DocumentKind, planDocument } from './planned-documents.ts';
import { complain, dataOf, type Outcome, persist, planRequest, type Target } from './sending.ts';
import { addDocument, type DocumentRecord, type KnowledgeBaseRecord, type World } from './world.ts';

/** Where a document goes, its number, and what decides the rest. */
type PlannedImport = { knowledgeBase: KnowledgeBaseRecord; number: number; random: Random };

/** Only a knowledge base that somebody deletes may be said not to be there; then the document is not either. */
function judgeRefusal(
  world: World,
  knowledgeBase: KnowledgeBaseRecord,
  { answer, ...span }: Outcome & { answer: Answer },
): void {
  if (answer.status === 404 && !mustBeSeen(knowledgeBase.life, span)) return;
  complain(world, 'refused without reason', `${knowledgeBase.name}: ${answer.status} ${answer.text}`);
}

/** The answer of a success; undefined where there is none, and what that says is noted. */
function successOf(world: World, knowledgeBase: KnowledgeBaseRecord, outcome: Outcome): Answer | undefined {
  const { answer } = outcome;
  if (answer === undefined || answer.status === 200) return answer;
  judgeRefusal(world, knowledgeBase, { ...outcome, answer });
  return undefined;
}

/** Notes what the import's answer has acknowledged. */
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

/** Imports a text; with a key until it is acknowledged, and then sometimes once more, without one at most once. */
export async function importText(
  target: Target,
  { knowledgeBase, number, random }: PlannedImport,
): Promise<DocumentRecord | undefined> {
  const { world } = target;
  const [withKey, givesUp, repeats] = [random() < 0.6, random() < 0.2, random() < 0.3];
  const record = addDocument(world, knowledgeBase, planDocument(number, 'text'));
  const { title, content } = record;
  const key: Record<string, string> = withKey ? { 'idempotency-key': randomUUID() } : {};
  const request = planRequest(
    'importTextContent',
    { knowledgeBaseId: knowledgeBase.id, title, content },
    key,
  );
  const outcome = await persist(target, request, { givesUp: givesUp || !withKey });
  const answer = successOf(world, knowledgeBase, outcome);
  noteMade(world, record, outcome, answer);
  if (answer === undefined) return undefined;
  record.searchableAt = world.clock();
  if (withKey && repeats) {
    const again = await persist(target, request);
    if (again.answer?.text !== answer.text)
      complain(world, 'doubled', `the key of ${title}: ${answer.text} and then ${again.answer?.text}`);
  }
  return record;
}

/** A ticket whose bytes have arrived; undefined where the knowledge base is gone. */
async function upload(
  target: Target,
  knowledgeBase: KnowledgeBaseRecord,
  { title, content, sizeBytes }: { title: string; content: string; sizeBytes: number },
): Promise<UploadTicket | undefined> {
  const { world } = target;
  const input = { knowledgeBaseId: knowledgeBase.id, fileName: title, size: sizeBytes };
  const presigned = await persist(
    target,
    planRequest('presignUploadUrl', input, { 'idempotency-key': randomUUID() }),
  );
  const answer = successOf(world, knowledgeBase, presigned);
  if (answer === undefined) return undefined;
  const ticket = dataOf<UploadTicket>(answer);
  // The path alone: a server that was killed meanwhile answers at another address.
  const sent = { method: 'PUT', path: pathOf(ticket.uploadUrl), headers: {}, body: content };
  const put = await persist(target, { operationId: undefined, sent });
  return successOf(world, knowledgeBase, put) && ticket;
}

/** Some files have no text, and have to fail. */
const drawKind = (random: Random): DocumentKind => (random() < 0.25 ? 'blank' : 'file');

/** Notes what a waiting client has heard of its file's import. */
async function awaitImport(target: Target, record: DocumentRecord): Promise<void> {
  const { world } = target;
  const { knowledgeBase, id: documentId } = record;
  const outcome = await persist(target, planRequest('getDocumentStatus', { documentId, waitSeconds: 5 }));
  const answer = successOf(world, knowledgeBase, outcome);
  if (answer === undefined) return;
  const { status, error } = dataOf<DocumentStatusReport>(answer);
  if (status === 'processed') record.searchableAt = world.clock();
  if (status === 'timeout' || (status === 'failed' && error?.code !== 'NO_TEXT_EXTRACTED'))
    complain(world, 'lost', `${record.title} is ${status}: ${error?.message}`);
}

/** Uploads a file and imports it; sometimes waits until it is processed. */
export async function importFile(
  target: Target,
  { knowledgeBase, number, random }: PlannedImport,
): Promise<DocumentRecord | undefined> {
  const { world } = target;
  const [givesUp, waits] = [random() < 0.2, random() < 0.3];
  const planned = planDocument(number, drawKind(random));
  const ticket = await upload(target, knowledgeBase, planned);
  if (ticket === undefined) return undefined;
  const record = addDocument(world, knowledgeBase, planned);
  const outcome = await persist(target, planRequest('importFile', { fileId: ticket.fileId }), { givesUp });
  const answer = successOf(world, knowledgeBase, outcome);
  noteMade(world, record, outcome, answer);
  if (answer === undefined) return undefined;
  if (waits) await awaitImport(target, record);
  return record;
}
