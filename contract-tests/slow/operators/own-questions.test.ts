/** The command that compares words and meaning by a person's own questions, as people and scripts run it. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { spawnCommand } from '../../harness/service/command-line.ts';
import { openAccount } from '../../harness/service/opened-account.ts';
import { root } from '../../harness/service/service-process.ts';
import { sharedService } from '../../harness/shared/share.ts';

const service = await sharedService({ WORD_VECTORS: 'on' });
const { api, apiKey } = await openAccount({}, service);
const { id: knowledgeBaseId } = await api.createKnowledgeBase({ name: 'Own questions' });
const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-own-'));
afterAll(() => rm(folder, { recursive: true }));

const environment = {
  PATH: process.env.PATH,
  DATA_DIR: '/nonexistent',
  KNOWLEDGE_URL: service.address,
  KNOWLEDGE_API_KEY: apiKey,
};
const evaluate = (...args: string[]) => spawnCommand(environment, 'evaluate', ...args);

/** Documents, and questions that share no word with them. */
const OWN: [title: string, content: string, question: string][] = [
  ['Hotels', 'Employees stay in hotels of at most three stars.', 'Which accommodation may I book?'],
  ['Taxi', 'Cab fares are reimbursed once receipts are handed in.', 'How do I get my money back?'],
  ['Physician', 'Ill staff consult the company physician.', 'Who is the doctor?'],
  ['Animals', 'Pets are not allowed inside the building.', 'May I bring my dog along?'],
  ['Wages', 'Wages are paid on the last working day.', 'When do salaries arrive?'],
];
for (const [title, content] of OWN)
  await api.importTextContent({
    knowledgeBaseId,
    title,
    content,
    externalId: `rules/${title.toLowerCase()}.md`,
  });

async function write(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

const names = [
  (title: string) => title,
  (title: string) => `rules/${title.toLowerCase()}.md`,
  (title: string) => `${title.toLowerCase()}.md`,
];

test('documents by title, path and file name: a table, a plot, a picture, and what they say', {
  timeout: 120_000,
}, async () => {
  const rows = OWN.map(([title, , question], i) => `"${question}";${names[i % 3]?.(title)}`);
  const file = await write('own.csv', ['question;document', ...rows].join('\r\n'));
  const picture = join(folder, 'own.svg');
  const { output, complaints, code } = await evaluate(
    file,
    '--kb',
    'Own questions',
    '--svg',
    picture,
    '--each',
  );
  expect([complaints, code]).toEqual([expect.stringContaining('5 questions, each asked in 4 ways.'), 0]);
  expect(output).toMatch(/^- +(1 +)+May I bring my dog along\?$/m);
  expect(output).toMatch(/^words +0\.000 +0 % +0 % +0 % +0 +0 +[\d.]+ ms$/m);
  expect(output).toMatch(/^both +0\.[4-9]\d\d [ ├─●┤]+$/m);
  expect(output).toMatch(
    /^5 questions say too little to take one: (both|meaning) leads by .* Ask 20 or more\.$/m,
  );
  expect(await readFile(picture, 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s);
  const lines = (await evaluate(file, '--kb', 'Own questions', '--json')).output.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ way: 'words', ndcg: 0 }),
      expect.objectContaining({ way: 'both', worse: 0 }),
      expect.objectContaining({ verdict: expect.stringContaining('5 questions') }),
    ]),
  );
});

test('what is wrong with a table is said by line and column', { timeout: 120_000 }, async () => {
  await api.importTextContent({
    knowledgeBaseId,
    title: 'Taxi',
    content: 'Another text with the same title.',
  });
  const unreadable = await write('grades.csv', 'question,document,grade\nWhere?,Hotels,good\n,Taxi,1\n');
  expect(await evaluate(unreadable)).toMatchObject({
    code: 1,
    output: '',
    complaints:
      `${unreadable}:\nLine 2, column grade: "good" is no number from 0 to 100.\nLine 3, ` +
      `column question: the question is missing.\n`,
  });
  const unknown = await write('names.csv', 'question,document\nA?,hotels\nB?,Taxi\nC?,nothing\n');
  const { code, complaints } = await evaluate(unknown, '--kb', 'Own questions');
  expect([code, complaints]).toEqual([
    1,
    expect.stringMatching(
      new RegExp(
        'Line 2, column document: there is no document "hotels"\\. Did you mean "Hotels"\\?\n' +
          'Line 3, column document: 2 documents are named "Taxi"\\. Give one of .*\n' +
          'Line 4, column document: there is no document "nothing"\\. `docs list` shows all\\.\n$',
      ),
    ),
  ]);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/evaluate/evaluate.ts', '--own', unreadable],
    {
      cwd: root,
      env: { ...process.env, ...environment },
      encoding: 'utf8',
    },
  );
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toContain('Line 2, column grade: "good" is no number');
});
