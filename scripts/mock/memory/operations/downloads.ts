/** The operation that gives a file back. The mock has kept its text only. */
import { documentHasNoFile } from '../../../../src/terms/errors.ts';
import { formatScopedId } from '../../../../src/terms/ids.ts';
import { formatDownload, type MockFile } from '../../downloads.ts';
import { requireDocument, type State, type StoredFile } from '../state.ts';
import type { MemoryAnswers } from './answer-types.ts';

/** @throws DOCUMENT_NOT_FOUND, DOCUMENT_HAS_NO_FILE */
export function requireOriginal(state: State, documentId: string): MockFile & { stored: StoredFile } {
  const { row, text, file } = requireDocument(state, documentId);
  if (file === undefined) throw documentHasNoFile();
  return { stored: file, fileName: file.fileName, type: row.type, text };
}

export const downloadAnswers = {
  presignDownloadUrl({ documentId }, { state, origin }) {
    const { stored, ...file } = requireOriginal(state, documentId);
    return {
      data: { fileId: formatScopedId(stored), ...formatDownload(file, { documentId, origin: origin() }) },
    };
  },
} satisfies Partial<MemoryAnswers>;
