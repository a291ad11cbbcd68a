/** What a command says of a knowledge base that is not there. */
import { expect, test } from 'vitest';
import { requireNamed } from './find-knowledge-base.ts';

test.each([
  { names: [], says: 'There are none yet: `kb create` and `import` make one.' },
  { names: ['Handbook'], says: 'There is only "Handbook".' },
  { names: ['Handbook', 'Manual'], says: 'There are "Handbook" and "Manual".' },
  { names: ['Handbook', 'Office'], says: 'Did you mean "Office"?' },
])('a name that is not among $names', ({ names, says }) => {
  const name = says.startsWith('Did') ? 'Offcie' : 'Sales';
  const find = () => requireNamed({ found: [], names }, name);
  expect(find).toThrow(`There is no knowledge base named "${name}". ${says}`);
});
