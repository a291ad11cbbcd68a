/** JSON, also by lines, and notebooks. */
import { describe, expect, it, test } from 'vitest';
import { extractFile } from '../extract.ts';

const textOf = async (content: string, fileName = 'a.json') => {
  const extraction = await extractFile({ fileName, bytes: Buffer.from(content) });
  if ('failure' in extraction) throw new Error(`${extraction.failure.code}: ${extraction.failure.message}`);
  expect(extraction.type).toBe('json');
  return extraction.extracted.text;
};

describe('JSON by lines', () => {
  const lines = '{"id": 1, "note": "The first."}\n{"id": 2, "by": {"name": "Ada"}}\n';
  const records = 'id: 1\nnote: The first.\n\nid: 2\nby.name: Ada';
  it.each(['a.jsonl', 'a.ndjson', 'a.json', 'app.log', 'export'])(
    '%s has a block for each record',
    async (fileName) => {
      expect(await textOf(lines, fileName)).toBe(records);
    },
  );

  it('keeps a line that is cut off as it is', async () => {
    expect(await textOf(`${lines}{"id": 3, "no`, 'a.jsonl')).toBe(`${records}\n\n{"id": 3, "no`);
  });

  it('is plain text where most lines are', async () => {
    expect(await textOf('{"id": 1}\nnot this\nnor this\n', 'a.jsonl')).toBe(
      '{"id": 1}\nnot this\nnor this\n',
    );
  });
});

describe('JSON that ends early', () => {
  const warningsOf = async (content: string, fileName = 'a.json') => {
    const extraction = await extractFile({ fileName, bytes: Buffer.from(content) });
    return 'failure' in extraction ? extraction.failure : extraction.warnings.map(({ code }) => code);
  };
  it.each([
    ['{"a": 1, "b": ', 'a.json'],
    ['{"a": [1, {"note": "The lamp', 'a.json'],
    ['{"id": 1, "note": "One"}\n{"id": 2}\n{"id": 3, "no', 'a.jsonl'],
  ])('%s has a warning', async (content, fileName) => {
    expect(await warningsOf(content, fileName)).toEqual(['FILE_CUT_OFF']);
  });
  it.each(['{"a": "it ends with \\\\"}', '{"a": 1}', '{"a": 1}\n{"b": "}"}\n', '{a: 1}'])(
    '%s has none',
    async (content) => {
      expect(await warningsOf(content)).toEqual([]);
    },
  );
});

test('an object in a record is no heading, since it would stand above the records that follow', async () => {
  const extraction = await extractFile({
    fileName: 'a.json',
    bytes: Buffer.from('[{"a": {"b": {"c": 1}, "d": [{"e": 2}, {"e": 3}]}}, {"f": 4}]'),
  });
  expect(extraction).toMatchObject({
    extracted: { text: 'a.b.c: 1\na.d.e: 2\na.d.e: 3\n\nf: 4', headings: [] },
  });
});

test('long numbers keep their digits', async () => {
  expect(
    await textOf('{"order": 12345678901234567890, "pi": 3.14159265358979323846, "n": -1.50, "is": true}'),
  ).toBe('order: 12345678901234567890\npi: 3.14159265358979323846\nn: -1.5\nis: true');
});

describe('a notebook', () => {
  const notebook = (...cells: unknown[]) => JSON.stringify({ nbformat: 4, cells });
  const code = (...outputs: unknown[]) => ({ cell_type: 'code', source: ['x = 1\n', 'x'], outputs });
  const shown = async (...outputs: unknown[]) =>
    (await textOf(notebook(code(...outputs)), 'a.ipynb'))
      .replace('```\nx = 1\nx\n```', '')
      .replaceAll('```', '')
      .trim();

  it('shows what a program has printed last on a line', async () => {
    expect(await shown({ output_type: 'stream', text: ['10 %\r50 %\r100 %\r\ndone\r\n'] })).toBe(
      '100 %\r\ndone',
    );
  });

  it('has its text, code and outputs', async () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Title\n', 'Text.'] },
      code({ output_type: 'stream', text: ['printed\n'] }),
      { cell_type: 'raw', source: 'raw' },
    ];
    expect(await textOf(notebook(...cells), 'a.ipynb')).toBe(
      '# Title\nText.\n\n```\nx = 1\nx\n```\n\n```\nprinted\n\n```\n\nraw',
    );
  });

  it.each([
    [
      'the text of a value',
      { data: { 'text/plain': ["'a value'"], 'image/png': 'iVBORw0KGgo=' } },
      "'a value'",
    ],
    [
      'the page of an object',
      { data: { 'text/plain': ['<IPython.core.display.HTML object>'], 'text/html': ['<b>A page</b>'] } },
      'A page',
    ],
    [
      'no name of a figure',
      { data: { 'text/plain': ['<Figure size 640x480 with 1 Axes>'], 'image/png': 'iVBORw0KGgo=' } },
      '',
    ],
    [
      'an error without its colours',
      { output_type: 'error', ename: 'ValueError', evalue: 'no rows', traceback: ['\u001b[31mx'] },
      'ValueError: no rows',
    ],
    [
      'text without the colours of a terminal',
      { output_type: 'stream', text: '\u001b[1;32mgreen\u001b[0m' },
      'green',
    ],
  ])('shows %s', async (_what, output, text) => {
    expect(await shown(output)).toBe(text);
  });

  it('of version 3 has its cells in worksheets', async () => {
    const cells = [
      { cell_type: 'heading', level: 2, source: 'Part' },
      { cell_type: 'code', input: 'y', outputs: [{ output_type: 'pyout', text: ['7'] }] },
    ];
    expect(await textOf(JSON.stringify({ nbformat: 3, worksheets: [{ cells }] }), 'a.ipynb')).toBe(
      '## Part\n\n```\ny\n```\n\n```\n7\n```',
    );
  });
});

test('pictures inside a text are left out', async () => {
  const picture = `data:image/png;base64,${'iVBORw0KGgo'.repeat(9)}=`;
  const cells = [{ cell_type: 'markdown', source: `![A tide gauge](${picture}) at low water` }];
  expect(await textOf(JSON.stringify({ nbformat: 4, cells }), 'a.ipynb')).toBe(
    '![A tide gauge](data:image/png) at low water',
  );
  const extraction = await extractFile({ fileName: 'a.md', bytes: Buffer.from(`![A](${picture})`) });
  expect(extraction).toMatchObject({ extracted: { text: '![A](data:image/png)' } });
});
