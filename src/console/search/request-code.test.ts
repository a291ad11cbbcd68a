/** The code of a search is what its language reads as the same request. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { codeOf, codeOfSearch } from './request-code.ts';

const request = {
  query: `it's "quoted" $HOME \`x\` \\ \n 知识 😀`,
  limit: 3,
  prefix: true,
  filter: { type: 'in' as const, key: 'a', value: [true, 'b: "c"', 2] },
};
const codes = codeOf('http://127.0.0.1:8080', request);

test.skipIf(process.platform === 'win32')('curl gets exactly the body, through a shell', () => {
  const script = `curl() { for last; do :; done; printf %s "$last"; }\n${codes.curl}`;
  const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual(request);
});

test('TypeScript passes exactly the request', () => {
  const [, literal = ''] = /query\((\{.*\n\})\);/s.exec(codes.TypeScript ?? '') ?? [];
  expect(new Function(`return ${literal}`)()).toEqual(request);
});

test('Python has its own words for true and false', () => {
  expect(codes.Python).toContain('prefix=True,');
  expect(codes.Python).toContain('"value": [True, "b: \\"c\\"", 2],');
});

test.skipIf(process.platform === 'win32')(
  'the command gets the query and the filter, through a shell',
  () => {
    const script = `npx() { for word; do printf '%s\\0' "$word"; done; }\n${codes.Command}`;
    const words = spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.split('\0');
    expect(words).toContain(request.query);
    expect(words).toContain(JSON.stringify(request.filter));
    expect(words).toEqual(expect.arrayContaining(['--limit', '3', '--prefix', '--copies']));
  },
);

test('what only the page needs is no part of the code', () => {
  const { curl = '' } = codeOfSearch('http://127.0.0.1:8080', { ...request, highlight: true, explain: true });
  expect(curl).not.toMatch(/highlight|explain/);
});

test('the key is a variable in each', () => {
  expect(codes.curl).toContain('"x-api-key: $KNOWLEDGE_API_KEY"');
  // The clients and the command read that variable by themselves.
  for (const code of Object.values(codes)) expect(code).not.toMatch(/kr_|apiKey/);
});
