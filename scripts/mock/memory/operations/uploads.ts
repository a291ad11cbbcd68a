/** The operations that import files: tickets, imports, and both in one. */
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Document } from '../../../../generated/types.gen.ts';
import { type Description, toDocument } from '../../../../src/database/rows/documents/documents.ts';
import { typeByName } from '../../../../src/extraction/detect-type.ts';
import { scanMarkdown } from '../../../../src/indexing/split/markdown.ts';
import { type AddressRules, findAddressProblem } from '../../../../src/outbound/address-rules.ts';
import { nameByAddress } from '../../../../src/outbound/fetching/file-name.ts';
import {
  fileAlreadyImported,
  fileNotUploaded,
  uploadExpired,
  validationFailed,
} from '../../../../src/terms/errors.ts';
import { formatScopedId } from '../../../../src/terms/ids.ts';
import { formatTicket, type ReceivedBytes, readBytes, TICKET_TTL_MS } from '../../uploads.ts';
import { startReading } from '../imports.ts';
import { readFile } from '../read-file.ts';
import {
  idOf,
  requireFile,
  requireKnowledgeBase,
  requireMemory,
  requireStorage,
  type State,
  type StoredFile,
} from '../state.ts';
import type { MemoryAnswers } from './answer-types.ts';
import { createDocument, takeUnchanged } from './documents.ts';

const ADDRESS_RULES: AddressRules = { protocols: ['https:', 'http:'], allowedPrivate: 'none' };

const createFile = (file: Pick<StoredFile, 'knowledgeBaseId' | 'fileName' | 'sizeBytes'>): StoredFile => ({
  ...file,
  id: uuidv7(),
  expiresAt: new Date(Date.now() + TICKET_TTL_MS),
  tries: 0,
});

/** Keeps the text of a file's bytes. */
async function receive(state: State, file: StoredFile, bytes: ReceivedBytes): Promise<void> {
  const content = await readFile(file.fileName, bytes);
  requireMemory(state, content.extracted?.text.length ?? 0);
  file.received = { content, sha256: bytes.sha256, uploadedAt: state.now() };
}

/** For PUTs to upload addresses. @throws FILE_NOT_FOUND, FILE_ALREADY_IMPORTED, UPLOAD_EXPIRED */
export function requireOpenFile(state: State, fileId: string): StoredFile {
  const file = requireFile(state, fileId);
  if (file.documentId !== undefined) throw fileAlreadyImported();
  if (file.expiresAt < state.now()) throw uploadExpired();
  return file;
}

/** Keeps the bytes that came to an upload address. @throws as `requireOpenFile` */
export async function keepUpload(state: State, fileId: string, bytes: ReceivedBytes): Promise<void> {
  await receive(state, requireOpenFile(state, fileId), bytes);
}

/** The pending document of a file whose bytes have arrived; with `skips`, the document that has its content already. */
function importReceived(
  state: State,
  file: StoredFile,
  { skips, description }: { skips: boolean; description: Description },
): Document {
  const { knowledgeBaseId, fileName: title, sizeBytes, received } = file;
  if (received === undefined) throw fileNotUploaded();
  const { sha256 } = received;
  const content = { knowledgeBaseId, title, sha256, isText: false, description };
  const unchanged = skips ? takeUnchanged(state, content) : undefined;
  if (unchanged !== undefined) {
    file.duplicateOf = idOf(unchanged.row);
    return { ...toDocument(unchanged.row), unchanged: true };
  }
  const type = typeByName(title) ?? 'unknown';
  const document = createDocument(state, {
    ...{ knowledgeBaseId, description, title, type },
    ...{ size_bytes: sizeBytes, sha256, status: 'pending' },
  });
  const described = document.row.storage_bytes - sizeBytes;
  requireMemory(state, described);
  requireStorage(state, described); // the ticket has reserved the size
  document.file = file;
  file.documentId = idOf(document.row);
  state.documents.set(file.documentId, document);
  startReading(state, document);
  return toDocument(document.row);
}

export const uploadAnswers = {
  presignUploadUrl({ knowledgeBaseId, fileName, size }, { state, origin }) {
    requireKnowledgeBase(state, knowledgeBaseId);
    requireStorage(state, size);
    requireMemory(state, fileName.length);
    const file = createFile({ knowledgeBaseId, fileName, sizeBytes: size });
    const fileId = formatScopedId(file);
    state.files.set(fileId, file);
    return {
      data: {
        fileId,
        ...formatTicket(fileId, { sizeBytes: size, origin: origin() }),
        method: 'PUT',
        headers: {},
      },
    };
  },

  importFile({ fileId, ifUnchanged, ...description }, { state }) {
    const file = requireFile(state, fileId);
    const known = state.documents.get(file.documentId ?? file.duplicateOf ?? '');
    if (known !== undefined) {
      const isDuplicate = file.documentId === undefined;
      return { data: { ...toDocument(known.row), ...(isDuplicate && { unchanged: true as const }) } };
    }
    if (file.received === undefined && file.expiresAt < state.now()) throw uploadExpired();
    return { data: importReceived(state, file, { skips: ifUnchanged === 'skip', description }) };
  },

  /** The mock opens no address: a text stands for its file, and each import counts as changed. */
  importUrl({ knowledgeBaseId, url, title, attributes, externalId = url }, { state }) {
    const problem = findAddressProblem(url, ADDRESS_RULES);
    if (problem !== undefined) throw validationFailed([], { url: [problem] });
    requireKnowledgeBase(state, knowledgeBaseId);
    const fileName = nameByAddress(url);
    const text = `The mock opens no addresses. This text stands for the file at ${url}.`;
    const file = createFile({ knowledgeBaseId, fileName, sizeBytes: Buffer.byteLength(text) });
    const type = typeByName(fileName) ?? 'html';
    const sha256 = createHash('sha256').update(text).digest();
    file.received = { content: { type, extracted: scanMarkdown(text) }, sha256, uploadedAt: state.now() };
    const description = { attributes, sourceUrl: url, externalId };
    state.files.set(formatScopedId(file), file);
    const data = importReceived(state, file, { skips: false, description });
    const document = state.documents.get(data.id);
    if (document === undefined) return { data };
    Object.assign(document.row, { title: title ?? fileName, size_bytes: 0, sha256: null });
    return { data: toDocument(document.row) };
  },

  async uploadFile({ knowledgeBaseId, fileName, ifUnchanged, ...description }, { state, byteBody }) {
    requireKnowledgeBase(state, knowledgeBaseId);
    const { sizeBytes, bytes } = byteBody();
    requireStorage(state, sizeBytes);
    const received = await readBytes(bytes, sizeBytes);
    const file = createFile({ knowledgeBaseId, fileName, sizeBytes });
    await receive(state, file, received);
    requireKnowledgeBase(state, knowledgeBaseId); // it may have been deleted meanwhile
    state.files.set(formatScopedId(file), file);
    const data = importReceived(state, file, { skips: ifUnchanged === 'skip', description });
    if (data.unchanged) state.files.delete(formatScopedId(file));
    return { data };
  },
} satisfies Partial<MemoryAnswers>;
