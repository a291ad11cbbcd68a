/** A part of a Word document with text, and what its drawings show. */

/** `related`: writes what a relationship of the part leads to (charts, diagrams, inserted documents), by its id. */
export type WordPart = { bytes: Buffer; related: Map<string, () => void> };
