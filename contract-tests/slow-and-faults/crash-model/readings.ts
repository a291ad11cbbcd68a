/** The reads of a crash run's client. Each answer is judged by the model's current state. */
import type { Document, SearchResult, Usage } from '../../../generated/types.gen.ts';
import { judgeDocuments, judgeResults, judgeUsage, judgeVersions } from './judge.ts';
import { mustBeSeen, type Span } from './lifetime.ts';
import { attempt, complain, dataOf, planRequest, type Target } from './sending.ts';
import type { DocumentRecord, KnowledgeBaseRecord, Versions, Violation, World } from './world.ts';

/** The maximum number of a query's results. */
export const RESULTS_MAX = 50;

/**
 * The payload of a success; undefined without an answer, or for a refusal.
 * A refusal is right only if the knowledge base is gone.
 */
function readData<Data>(
  world: World,
  { answer, ...span }: Awaited<ReturnType<typeof attempt>>,
  knowledgeBase?: KnowledgeBaseRecord,
): Data | undefined {
  if (answer === undefined) return undefined;
  if (answer.status === 200) return dataOf<Data>(answer);
  const isGone = knowledgeBase !== undefined && !mustBeSeen(knowledgeBase.life, span);
  if (!(answer.status === 404 && isGone))
    complain(world, 'refused without reason', `${answer.status} ${answer.text}`);
  return undefined;
}

/** Queries these words, judges the results, and notes the charge. @returns whether the query succeeded */
async function search(
  target: Target,
  { words, scope }: { words: string[]; scope: KnowledgeBaseRecord | undefined },
  judge: (results: SearchResult[], span: Span) => Violation[],
): Promise<boolean> {
  const { world } = target;
  const query = words.join(' ');
  const input = { query, limit: RESULTS_MAX, ...(scope && { knowledgeBaseIds: [scope.id] }) };
  const tried = await attempt(target, planRequest('query', input));
  if (tried.answer?.status === 200) world.charges.answeredAtMs.push(performance.now());
  if (tried.answer === undefined && tried.isSent) world.charges.inDoubt++;
  const results = readData<SearchResult[]>(world, tried, scope);
  if (results === undefined) return false;
  world.violations.push(...judge(results, tried));
  return true;
}

/**
 * Queries every passage of these documents, which must be few enough for one answer.
 * @returns whether the query succeeded
 */
export async function queryPassages(
  target: Target,
  queried: DocumentRecord[],
  scope?: KnowledgeBaseRecord,
): Promise<boolean> {
  const { world } = target;
  const words = queried.flatMap((record) => record.words);
  return await search(target, { words, scope }, (results, span) =>
    judgeResults(world, { queried, results, span }),
  );
}

/** Queries the word that all versions have in each passage. @returns whether the query succeeded */
export const queryVersions = async (target: Target, versions: Versions): Promise<boolean> =>
  await search(target, { words: [versions.word], scope: versions.knowledgeBase }, (results, span) =>
    judgeVersions(versions, results, span),
  );

/** Queries all passages of one document, deleted or not, in its knowledge base or in all. */
export async function query(
  target: Target,
  record: DocumentRecord,
  { isScoped }: { isScoped: boolean },
): Promise<void> {
  if (record.words.length > 0)
    await queryPassages(target, [record], isScoped ? record.knowledgeBase : undefined);
}

/** @returns the documents; undefined without an answer, or where the knowledge base is gone */
export async function listDocuments(
  target: Target,
  knowledgeBase: KnowledgeBaseRecord,
): Promise<Document[] | undefined> {
  const { world } = target;
  const tried = await attempt(target, planRequest('listDocuments', { knowledgeBaseId: knowledgeBase.id }));
  const listed = readData<Document[]>(world, tried, knowledgeBase);
  if (listed !== undefined) world.violations.push(...judgeDocuments(knowledgeBase, listed, tried));
  return listed;
}

/** @returns whether the request succeeded */
export async function readUsage(target: Target): Promise<boolean> {
  const { world } = target;
  const tried = await attempt(target, planRequest('getUsage', {}));
  const usage = readData<Usage>(world, tried);
  if (usage !== undefined) world.violations.push(...judgeUsage(world, usage, tried));
  return usage !== undefined;
}
