/** The charge of a search apart from its statements. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, creditPayment } from '../../database/rows/accounts.ts';
import { createTestDatabase } from '../../database/testing/test-database.ts';
import { createCharge } from './charge.ts';

let suite: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  suite = await createTestDatabase();
});
afterAll(() => suite.close());

test('an account that has paid is not asked again, and is refused when it has nothing left', async () => {
  const { database } = suite;
  const charge = createCharge(creditPayment);
  const charged = { accountId: await createAccount(database, 'payer', 3), price: 2 };
  expect(await charge.isCovered(database, charged)).toBe(true);
  await charge.take(database, charged);
  expect(await charge.isCovered(database, charged)).toBe(true); // as remembered
  await expect(charge.take(database, charged)).rejects.toMatchObject({ errorCode: 'INSUFFICIENT_CREDITS' });
  expect(await charge.isCovered(database, charged)).toBe(false);
  const { credits } = await database
    .selectFrom('account_balances')
    .select('credits')
    .where('account_id', '=', charged.accountId)
    .executeTakeFirstOrThrow();
  expect(credits).toBe(1);
});
