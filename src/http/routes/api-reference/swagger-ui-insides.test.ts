/**
 * Swagger UI has the parts that the page wraps. That they look and work as they should is tested in a browser:
 * contract-tests/slow/pages/reference.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

/** In a process of its own, because Swagger UI leaves rejected promises where there is no window. */
const SCRIPT = `
  import { createRequire } from 'node:module';
  process.on('unhandledRejection', () => {});
  console.error = console.warn = () => {};
  const bundle = createRequire(process.argv[1])(process.argv[1]);
  const { plugins, replaceSpec } = await import(process.argv[2]);
  const of = (title) => ({
    openapi: '3.0.3',
    info: { title, version: '1' },
    paths: { '/a': { post: { tags: ['t'], summary: 'the word', responses: {} } } },
  });
  const ui = bundle({ spec: of('first'), plugins });
  const { fn, getComponents, specSelectors } = ui.getSystem();
  const countFound = (phrase) => fn.opsFilter(specSelectors.taggedOperations(), phrase).size;
  replaceSpec(ui, of('second'));
  console.log(JSON.stringify({
    components: Object.keys(getComponents()),
    title: specSelectors.specJson().getIn(['info', 'title']),
    found: [countFound('WORD'), countFound('none')],
  }));
  process.exit();`;

test('Swagger UI has the components that the plugins wrap, the filter, and the action that shows another spec', () => {
  const bundle = createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui-bundle.js');
  const insides = new URL('./swagger-ui-insides.mjs', import.meta.url).href;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT, bundle, insides], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const { components, title, found } = JSON.parse(output);
  const reason = 'Swagger UI has other parts: see swagger-ui-insides.mjs';
  for (const name of ['ExamplesSelect', 'FilterContainer', 'Servers', 'responses'])
    expect(components, reason).toContain(name);
  expect(title, reason).toBe('second');
  expect(found, reason).toEqual([1, 0]);
});
