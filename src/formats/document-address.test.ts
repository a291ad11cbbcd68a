/** Short addresses of documents lead back to their ids. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentAddress, restoreDocumentId } from './document-address.ts';

test('the id of a document comes back from its address', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (knowledgeBase, own) => {
      const id = `${knowledgeBase}_${own}`;
      const [, short = ''] = /^https:\/\/kr\.example\/#\/d\/([^?]+)\?passage=3$/.exec(
        documentAddress('https://kr.example', id, 3),
      ) ?? ['', ''];
      expect(restoreDocumentId(short)).toBe(id);
    }),
  );
});

test('anything else is no short address', () => {
  for (const text of ['', 'x', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}!`, 'é'.repeat(43)])
    expect(restoreDocumentId(text)).toBeUndefined();
});
