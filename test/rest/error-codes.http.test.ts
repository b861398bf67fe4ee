import { CATALOG_TABLES, type ErrorCode } from '../../src/errors/catalog';
import { AMOUNT_CASES } from './error-codes-amounts';
import { type ErrorCase, RECIPIENT } from './error-codes-cases';
import { QUOTE_CASES } from './error-codes-quotes';
import { TRANSFER_CASES } from './error-codes-transfers';
import { type ErrorWorld, openErrorWorld } from './error-codes-world';
import { expectFailure } from './expect-failure';

const { quotesAndSwaps, amounts, transfers, general } = CATALOG_TABLES;
const TABLES: Readonly<Record<string, object>> = {
  'quote and swap': quotesAndSwaps,
  'validation and amounts': amounts,
  'transfers, bridges, transactions, general': { ...transfers, ...general },
};
const CASES: Partial<Record<ErrorCode, ErrorCase>> = { ...QUOTE_CASES, ...AMOUNT_CASES, ...TRANSFER_CASES };

let world: ErrorWorld;
beforeAll(async () => {
  world = await openErrorWorld();
});
afterAll(() => world.stop());

describe.each(Object.entries(TABLES))('the table "%s"', (_, table) => {
  it.each(Object.keys(table) as ErrorCode[])('contains %s, and a request fails with it', async (code) => {
    const produce = CASES[code];
    if (produce === undefined) throw new Error('there is no case for the code');
    expectFailure(await produce(world), code);
  });
});

it('allows exactly a hundred requests a minute, and reports the limit in headers', async () => {
  const { id } = await world.admin('customer', 'create', '--name', 'busy');
  const { key } = await world.admin('key', 'create', id);
  const sendAgain = () => world.healthy(`/actions?walletAddress=${RECIPIENT}`, { headers: { 'x-api-key': key } });
  let [response, allowed] = [await sendAgain(), 0];
  expect(response.headers.get('ratelimit-policy')).toMatch(/"minute";q=100;w=60.*"hour";q=1000;w=3600/);
  while (response.status === 200) {
    const isFirst = response.headers.get('x-ratelimit-remaining') === '99';
    allowed = isFirst ? 1 : allowed + 1;
    response = await sendAgain();
  }
  expectFailure(response, 'RATE_LIMIT_EXCEEDED');
  expect(allowed).toBe(100);
});
