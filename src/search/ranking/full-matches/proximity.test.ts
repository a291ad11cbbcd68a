/** Passages with the words of a query side by side come first, whatever others have of them. */
import { describe, expect, test } from 'vitest';
import { useSearch } from '../../testing/searched-texts.ts';

const { orderOf } = useSearch();

/** `count` texts, each made from its number. */
const numbered = (count: number, make: (n: number) => [title: string, content: string]) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => make(i + 1)));

describe('numbers and letters that stand beside a word', () => {
  const steps = {
    ...numbered(9, (n) => [
      `step ${n}`,
      `Step ${n}. ${['Close the valve', 'Drain the tank', 'Wait for the lamp'][n % 3]} before the next step.`,
    ]),
    all: 'Follow each step; a step takes a minute, and no step may be left out. Step by step.',
    ...numbered(30, (n) => [
      `visits ${n}`,
      `On day ${n % 9} there were ${n} visits, ${n % 7} at gate ${n % 5}.`,
    ]),
  };
  test.each([1, 3, 5, 8])('Step %i', async (n) => {
    expect((await orderOf(steps, `Step ${n}`))[0]).toBe(`step ${n}`);
  });

  const plans = {
    ...Object.fromEntries(
      ['A', 'B', 'C'].map((letter) => [
        letter,
        `Plan ${letter} holds if the hall is closed; no other plan does.`,
      ]),
    ),
    planner: 'A plan is a plan: plan well, plan a day ahead, and keep a plan B or C in mind for each plan.',
    ...numbered(12, (n) => [
      `class ${n}`,
      `Class B has ${n} pupils, class A has ${n + 3}; a plan hangs at the door.`,
    ]),
  };
  test.each(['A', 'C'])('Plan %s', async (letter) => {
    expect((await orderOf(plans, `Plan ${letter}`)).slice(0, 2)).toContain(letter);
  });

  test.each(['§ 5 Abs. 2 Nr. 3', '§5 Abs.2 Nr.3'])('%s', async (query) => {
    const law = Object.fromEntries(
      [2, 3, 5].flatMap((a) =>
        [2, 3, 5].map((b) => [
          `${a} ${b}`,
          `Nach § ${a} Abs. ${b} Nr. ${a === b ? 1 : 10 - a - b} gilt das für alle.`,
        ]),
      ),
    );
    expect((await orderOf(law, query))[0]).toBe('5 2');
  });
});

test('the words apart, often and in a title do not outweigh the words side by side', async () => {
  const order = await orderOf(
    {
      cuff: 'The nurse notes the blood pressure of each patient with a cuff every morning, before breakfast is served.',
      'Blood and pressure':
        'Pressure on the bank of blood: blood is rare, pressure is high, and blood needs pressure.',
      ...numbered(8, (n) => [`bank ${n}`, `The blood bank is under pressure in week ${n}.`]),
    },
    '"blood pressure"',
  );
  expect(order[0]).toBe('cuff');
});

test('of pages that share a menu the one about it comes first, beside other texts', async () => {
  const page = (own: string) =>
    `Home\n\nRefund policy\n\nShipping\n\nCareers\n\n${own}\n\nWe use cookies. Copyright.`;
  const order = await orderOf(
    {
      'Refund policy': page(
        'Refund policy\n\nMoney is returned within fourteen days if the parcel is sent back unopened.',
      ),
      Shipping: page('Shipping\n\nParcels leave our depot each weekday at noon.'),
      Careers: page('Careers\n\nWe look for two gardeners and one carpenter.'),
      ...numbered(30, (n) => [`note ${n}`, `A short note about something else, number ${n}.`]),
    },
    'Refund policy',
  );
  expect(order[0]).toBe('Refund policy');
});

test('no passage with some of the words is lifted above one with all by what it shares with others', async () => {
  const order = await orderOf(
    {
      both: 'Zebra crossings and lamps were painted by the harbour office in the spring of that year, it says.',
      ...numbered(10, (n) => [
        `lamp ${n}`,
        `Lamp lamp lamp: the street lamp of row ${n} burns from dusk to dawn in the old town.`,
      ]),
    },
    'zebra lamp',
  );
  expect(order[0]).toBe('both');
});

const notes = numbered(9, (n) => [`Note ${n}`, `A note that has nothing to do with it, number ${n}.`]);

test('words with a function word between them are not looked for side by side', async () => {
  const manual = {
    Upgrades:
      '# Upgrades\n\nInstall the new version and start it again. If it has to be undone, restore the backup.',
    Backups:
      '# Backups\n\nA backup is one file. To restore it, read the backup: what it lacks, no restore has.',
    ...notes,
  };
  expect((await orderOf(manual, 'How do I restore a backup?'))[0]).toBe('Backups');
});

test('a section with the words of a question, one in its heading, comes before a text that quotes it', async () => {
  const manual = {
    Changes: '# Changes\n\nOf `How do I restore a backup?` the section about backups comes first now.',
    Backups:
      '# Backups\n\nThe server writes all that it holds into one file, which its owner alone can read. An empty ' +
      'server can restore it at its first start, and no other one.',
    ...notes,
  };
  expect((await orderOf(manual, 'How do I restore a backup?'))[0]).toBe('Backups');
});

test('the title of a document is not a heading of its passages', async () => {
  const filler = 'The hall has many rooms, and each of them has a number on its door. '.repeat(12);
  const texts = {
    'Hall of backups': `${filler}Somebody may restore the lamp. ${filler}`,
    Copies: 'Restore what is lost: a backup is one file, and backups restore each file of the backup.',
    ...notes,
  };
  expect((await orderOf(texts, 'How do I restore a backup?'))[0]).toBe('Copies');
});

test('a word that is common in the language, but rare here, is not left out of what a heading has to say', async () => {
  const texts = {
    slow: '# When the server is slow\n\nNothing fails for want of it: searches go on without a model.',
    full: '# Guarantees\n\nWhile the disk is full, new content is refused, and the server goes on reading.',
    ...numbered(60, (n) => [`${n}`, `# Servers\n\nServer ${n} answers at port ${n}000 and writes a log.`]),
  };
  expect((await orderOf(texts, 'the server is full, what now'))[0]).toBe('full');
});

test('a common word beside another word is not looked for there', async () => {
  const manual = {
    Upgrades: '# Upgrades\n\nBefore you install the new version and start it again, make backups as always.',
    Copies: '# Copies\n\nEach backup is one file: backups make a copy of what is there, a backup a night.',
    ...notes,
  };
  expect((await orderOf(manual, 'Where can I make backups?'))[0]).toBe('Copies');
});

describe('a section about the words of a query comes before a sentence that mentions them', () => {
  const manual = {
    Upgrades:
      '# Upgrades\n\nFirst of all, make a backup. Then install the new version, and restart the server.',
    Backups:
      '# Backups\n\nThe server writes everything that it holds into one file, which its owner alone can read.',
    Keys:
      '# Keys\n\nA key that is lost is replaced by another one. Each backup holds the keys, ' +
      'and each backup their names.',
    Changes:
      '# Changes\n\n"How do I make a backup?" finds the section about it first; so does "new version".',
    ...notes,
  };
  test.each([
    ['backup', 'Backups'],
    ['How do I make a backup?', 'Backups'],
    ['What is a backup for?', 'Backups'],
    ['make a backup', 'Upgrades'],
    ['new version', 'Changes'],
  ])('%s', async (query, first) => {
    expect((await orderOf(manual, query))[0]).toBe(first);
  });
});
