/** The clients of a crash run. Each draws its operations from its seed, and notes the answers. */
import { createRandom, pick, type Random } from '../../harness/documents/texts.ts';
import { importFile, importText } from './imports.ts';
import { versionsWord } from './planned-documents.ts';
import { listDocuments, query, queryVersions, readUsage } from './readings.ts';
import { createKnowledgeBase, deleteDocument, deleteKnowledgeBase } from './removals.ts';
import type { Target } from './sending.ts';
import type { DocumentRecord, KnowledgeBaseRecord } from './world.ts';

/** This many clients share a knowledge base. One of them, the leader, sometimes replaces it. */
const GROUP_SIZE = 4;

/** Holds the knowledge base that its clients currently use. */
type KnowledgeBaseSlot = { current: KnowledgeBaseRecord };

/**
 * `group`: the slot shared with other clients. `isLeader`: this client replaces the shared knowledge base.
 * `former`: the knowledge base replaced last.
 */
export type Client = {
  name: string;
  random: Random;
  own: KnowledgeBaseSlot;
  group: KnowledgeBaseSlot;
  former: KnowledgeBaseSlot;
  isLeader: boolean;
  /** Its own documents. It deletes one when there are too many, or at random. */
  documents: DocumentRecord[];
  /** Returns the next number for a document. No other client has the same numbers. */
  nextNumber(): number;
};

/** Documents beyond this number are deleted, so that a long run stays as fast as a short one. */
const DOCUMENTS_MAX = 12;

/** The numbers of each client start at a different multiple of this. */
const NUMBERS_EACH = 1_000_000;

/** An operation of a client, and its percentage of all operations. */
type Act = { share: number; act(target: Target, client: Client): Promise<unknown> };

/** A document that the client may know. It may be deleted, to check that deleted documents are not found. */
function pickKnown({ random, own, group, former }: Client): DocumentRecord | undefined {
  const { documents } = pick([own, group, former], random).current;
  return documents.length === 0 ? undefined : pick(documents, random);
}

const pickKnowledgeBase = ({ random, own, group }: Client): KnowledgeBaseRecord =>
  pick([own, group], random).current;

/** A document with a known id that still exists, as far as this client knows. */
function pickLive(client: Client): DocumentRecord | undefined {
  client.documents = client.documents.filter(
    ({ life, knowledgeBase }) => life.endBegunAt === undefined && knowledgeBase.life.endBegunAt === undefined,
  );
  const known = client.documents.filter(({ id }) => id !== undefined);
  return known.length === 0 ? undefined : pick(known, client.random);
}

async function deleteOne(target: Target, client: Client): Promise<void> {
  const record = pickLive(client);
  const givesUp = client.random() < 0.3;
  if (record !== undefined) await deleteDocument(target, record, { givesUp });
}

/** Replaces the client's own knowledge base by a new one; the leader sometimes the shared one. Deletes the old one. */
async function replace(target: Target, client: Client): Promise<void> {
  const { random, own, group, isLeader, name, nextNumber } = client;
  const slot = isLeader && random() < 0.5 ? group : own;
  const givesUp = random() < 0.3;
  const withKey = random() < 0.5;
  const old = slot.current;
  const made = await createKnowledgeBase(target, `knowledge base of ${name}, ${nextNumber()}`, { withKey });
  if (made === undefined) return;
  slot.current = made;
  client.former.current = old;
  await deleteKnowledgeBase(target, old, { givesUp });
}

/** Imports into one of the client's slots, or deletes a document where there are too many. */
const importing =
  (run: typeof importText): Act['act'] =>
  async (target, client) => {
    const number = client.nextNumber();
    const knowledgeBase = pickKnowledgeBase(client);
    if (pickLive(client) !== undefined && client.documents.length >= DOCUMENTS_MAX)
      return await deleteOne(target, client);
    const record = await run(target, { knowledgeBase, number, random: client.random });
    if (record !== undefined) client.documents.push(record);
  };

/** Imports the next version of the client's document in one of its slots. Others query it meanwhile. */
async function importVersion(
  target: Target,
  { random, own, group, name, nextNumber }: Client,
): Promise<void> {
  const knowledgeBase = pick([own, group], random).current;
  const externalId = `document of ${name}`;
  let versions = knowledgeBase.versions.find((each) => each.externalId === externalId);
  if (versions === undefined) {
    versions = { externalId, word: versionsWord(nextNumber()), knowledgeBase, records: [] };
    knowledgeBase.versions.push(versions);
  }
  const run = random() < 0.6 ? importText : importFile;
  await run(target, { knowledgeBase, number: nextNumber(), random, versions });
}

const ACTS: Act[] = [
  { share: 28, act: importing(importText) },
  { share: 24, act: importing(importFile) },
  { share: 15, act: deleteOne },
  {
    share: 18,
    async act(target, client) {
      const isScoped = client.random() < 0.5;
      const record = pickKnown(client);
      if (record !== undefined) await query(target, record, { isScoped });
    },
  },
  { share: 14, act: importVersion },
  {
    share: 14,
    async act(target, client) {
      const { versions } = pickKnowledgeBase(client);
      if (versions.length > 0) await queryVersions(target, pick(versions, client.random));
    },
  },
  { share: 8, act: (target, client) => listDocuments(target, pickKnowledgeBase(client)) },
  { share: 4, act: (target) => readUsage(target) },
  { share: 3, act: replace },
];

function drawAct(random: Random): Act['act'] {
  let drawn = random() * ACTS.reduce((sum, { share }) => sum + share, 0);
  const found = ACTS.find(({ share }) => {
    drawn -= share;
    return drawn < 0;
  });
  return (found ?? (ACTS[0] as Act)).act; // a rounded sum may find none; the list is not empty
}

/** Creates a slot with its knowledge base, before the first kill. */
async function openSlot(target: Target, name: string): Promise<KnowledgeBaseSlot> {
  const made = await createKnowledgeBase(target, name, { withKey: true });
  if (made === undefined) throw new Error(`${name} could not be created`);
  return { current: made };
}

/** Creates the clients. The same seed makes the same decisions. */
export async function openClients(
  target: Target,
  { count, seed }: { count: number; seed: number },
): Promise<Client[]> {
  const groups = await Promise.all(
    Array.from({ length: Math.ceil(count / GROUP_SIZE) }, (_, group) =>
      openSlot(target, `shared by group ${group}`),
    ),
  );
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      let number = (index + 1) * NUMBERS_EACH;
      const own = await openSlot(target, `of client ${index} alone`);
      return {
        name: `client ${index}`,
        random: createRandom(seed * NUMBERS_EACH + index),
        own,
        former: { ...own },
        group: groups[Math.floor(index / GROUP_SIZE)] as KnowledgeBaseSlot, // there are enough
        isLeader: index % GROUP_SIZE === 0,
        documents: [],
        nextNumber: () => number++,
      };
    }),
  );
}

/** Acts until `signal` aborts. A started operation is completed. */
export async function runClient(target: Target, client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await drawAct(client.random)(target, client);
}
