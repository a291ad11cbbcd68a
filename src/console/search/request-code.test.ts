/** The code of a search is what its language reads as the same request. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { codeOf } from './request-code.ts';

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

test('the key is a variable in each', () => {
  expect(codes.curl).toContain('"x-api-key: $KEY"');
  expect(codes.TypeScript).toContain('env.KEY');
  expect(codes.Python).toContain('os.environ["KEY"]');
});
