/** Reads how a model names a document: by its id, or by an address that a citation has. */
import { restoreDocumentId } from '../../formats/document-address.ts';

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}_[0-9a-f-]{36}/i;
const SHORT = /#\/d\/([\w-]+)/;

/**
 * The id in `given`: `…_…`, `knowledge://documents/…_…`, `https://kr.example/#/d/…?passage=3`
 * @throws a sentence for the model when it is something else, such as a title
 */
export function readDocumentId(given: string): string {
  const id = ID.exec(given)?.[0].toLowerCase() ?? restoreDocumentId(SHORT.exec(given)?.[1] ?? '');
  if (id !== undefined) return id;
  throw new Error(
    `${JSON.stringify(given.slice(0, 100))} is no id of a document, which has 73 characters, ` +
      `and no address of one here. ` +
      'search and list_documents return both; list_documents finds a document by titleContains.',
  );
}
