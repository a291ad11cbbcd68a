/** Which words count as the title of a document, at its import and when it gets another title. */
import { expect, test } from 'vitest';
import { titleWordsOf, titleWordsOfPassages } from './document-title.ts';
import { scanMarkdown } from './split/markdown.ts';
import { splitPassages } from './split/passages.ts';

const LONG = 'Grease the hinge with oil, and wait a minute. '.repeat(40);

test.each([
  [
    'the heading above all',
    `# Yearly service\n\n## Step 1\n\n${LONG}\n\n## Step 2\n\n${LONG}`,
    'a.md\nYearly service',
  ],
  ['none of several beside each other', `# Step 1\n\n${LONG}\n\n# Step 2\n\n${LONG}`, 'a.md'],
  ['none below other text', `An introduction.\n\n${LONG}\n\n# Yearly service\n\n${LONG}`, 'a.md'],
  ['none that the title has already', `# A.md\n\n${LONG}`, 'a.md'],
  ['none without headings', LONG, 'a.md'],
])('%s', (_, content, words) => {
  const structured = scanMarkdown(content);
  expect(titleWordsOf('a.md', structured)).toBe(words);
  expect(titleWordsOfPassages('a.md', [...splitPassages(structured)])).toBe(words);
});
