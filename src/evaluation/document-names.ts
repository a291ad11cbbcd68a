/** The names by which people call a document. */

type Named = { id: string; externalId?: string | undefined; title: string };

/**
 * The kinds of names, the most certain first: id, `externalId` (the path of an import), title, file name in the path.
 */
export const KINDS_OF_NAMES = 4;

/** The names of a document, one of each kind; '' where it has none. */
export const namesOf = ({ id, externalId = '', title }: Named): string[] =>
  [id, externalId, title, externalId.split('/').at(-1) ?? ''].map((name) => name.normalize('NFC'));
