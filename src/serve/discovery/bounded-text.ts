/** Reads answers of programs that may be foreign. */

/** The text of a response; undefined: it has more than `maxBytes`, and the rest is not received. */
export async function readBoundedText({ body }: Response, maxBytes: number): Promise<string | undefined> {
  if (body === null) return '';
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest.
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
