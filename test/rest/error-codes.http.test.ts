import { CATALOG_TABLES, type ErrorCode } from '../../src/errors/catalog';
import { AMOUNT_CASES } from './error-codes-amounts';
import { type ErrorCase, RECIPIENT } from './error-codes-cases';
import { QUOTE_CASES } from './error-codes-quotes';
import { TRANSFER_CASES } from './error-codes-transfers';
import { type ErrorWorld, openErrorWorld } from './error-codes-world';
import { expectFailure } from './expect-failure';
import { expectDocumented, newHeard, recorded } from './recorded-ask';

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
}, 60_000);
afterAll(() => world.stop());

describe.each(Object.entries(TABLES))('the table "%s"', (_, table) => {
  it.each(Object.keys(table) as ErrorCode[])('has %s, which a request is answered with', async (code) => {
    const produce = CASES[code];
    if (produce === undefined) throw new Error('no case produces it');
    const heard = newHeard();
    const ask = (asker: ErrorWorld['healthy']) => recorded(asker, heard);
    expectFailure(await produce({ ...world, healthy: ask(world.healthy), crippled: ask(world.crippled) }), code);
    if (!heard.last.endsWith(' /graphql')) expectDocumented(code, heard);
  });
});

it('lets a hundred requests a minute in, and not one more, and tells so', async () => {
  const { id } = await world.admin('customer', 'create', '--name', 'busy');
  const { key } = await world.admin('key', 'create', id);
  const again = () => world.healthy(`/actions?walletAddress=${RECIPIENT}`, { headers: { 'x-api-key': key } });
  let [answer, letIn] = [await again(), 0];
  expect(answer.headers.get('ratelimit-policy')).toMatch(/"minute";q=100;w=60.*"hour";q=1000;w=3600/);
  while (answer.status === 200) {
    const isFirst = answer.headers.get('x-ratelimit-remaining') === '99';
    letIn = isFirst ? 1 : letIn + 1;
    answer = await again();
  }
  expectFailure(answer, 'RATE_LIMIT_EXCEEDED');
  expect(letIn).toBe(100);
});
