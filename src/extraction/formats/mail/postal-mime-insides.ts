/**
 * Reads a message as the tree of its MIME parts by postal-mime: see docs/private-insides.md.
 *
 * The package returns one text of a message, decoded as UTF-8 where the part names no encoding, and made of all its
 * parts. A reader needs the parts with their bytes: which of them are alternatives, which belong to a page, what
 * encoding they seem to have. The tree is in the parser after parsing (postal-mime 4.0), in members without types.
 * Instead: split the message at its boundaries here, and decode base64 and quoted-printable by Node.
 */
import PostalMime, { decodeWords } from 'postal-mime';

/** A part of a message. `type` and `disposition` are in lower case, '' where there is no disposition. */
export type MimePart = {
  type: string;
  parameters: Record<string, string>;
  disposition: string;
  fileName: string;
  /** '' where it has none; with its angle brackets. */
  contentId: string;
  headers: { key: string; value: string }[];
  /** Decoded from its transfer encoding. Empty where it consists of parts. */
  bytes: Uint8Array;
  parts: MimePart[];
};

type StructuredHeader = { value: string; params: Record<string, string> };
type MimeNode = {
  contentType: { parsed: StructuredHeader };
  contentDisposition: { parsed: StructuredHeader };
  contentId?: string;
  headers: { key: string; value: string }[];
  content: ArrayBuffer | null;
  childNodes: MimeNode[];
};

/** Depth of parts in parts. Mails have 5. */
const DEPTH_MAX = 100;

/** @throws Error where the parts nest deeper than DEPTH_MAX, or the headers are longer than 2 MiB */
export async function readMime(message: Uint8Array): Promise<MimePart> {
  const parser = new PostalMime({ forceRfc822Attachments: true, maxNestingDepth: DEPTH_MAX });
  await parser.parse(message);
  return partOf((parser as unknown as { root: MimeNode }).root);
}

function partOf(node: MimeNode): MimePart {
  const { parsed: type } = node.contentType;
  const { parsed: disposition } = node.contentDisposition;
  return {
    type: type.value,
    parameters: type.params,
    disposition: disposition.value,
    fileName: decodeWords(disposition.params.filename ?? type.params.name ?? ''),
    contentId: node.contentId ?? '',
    headers: node.headers,
    bytes: new Uint8Array(node.content ?? new ArrayBuffer(0)),
    parts: node.childNodes.map(partOf),
  };
}
