import { CATALOG, CATALOG_TABLES, type ErrorCode } from '../../src/errors/catalog';
import type { RestAnswer } from '../setup/running-service';
import { AMOUNT_CASES, NOT_YET } from './error-codes-amounts';
import type { ErrorCase } from './error-codes-cases';
import { QUOTE_CASES } from './error-codes-quotes';
import { TRANSFER_CASES } from './error-codes-transfers';
import { type ErrorWorld, openErrorWorld } from './error-codes-world';

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

/** What the catalog says, with something in the place of every parameter. */
const messageOf = (code: ErrorCode): RegExp => {
  const parts = CATALOG[code].message.split(/\{\w+\}/);
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]+')}$`);
};

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details?: any;
}

/** The failure that an answer tells of: the envelope of REST, or the error of a GraphQL operation. */
function failureIn({ status, body }: RestAnswer, code: ErrorCode): Failure {
  if ('errors' in body) {
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: [expect.anything()] });
    const [{ message, extensions }] = body.errors;
    return { message, ...extensions };
  }
  expect({ status, body }).toEqual({ status: CATALOG[code].status, body: { error: expect.anything() } });
  return body.error;
}

describe.each(Object.entries(TABLES))('the table "%s"', (_, table) => {
  const codes = Object.keys(table) as ErrorCode[];

  it.each(codes.filter((code) => !(code in NOT_YET)))('has %s, which a request is answered with', async (code) => {
    const produce = CASES[code];
    if (produce === undefined) throw new Error('no case produces it');
    const answer = await produce(world);
    const { message, details, ...rest } = failureIn(answer, code);
    expect(rest).toEqual({ code });
    expect(message).toMatch(messageOf(code));
    if (CATALOG[code].status >= 500) expect(details).toMatchObject({ requestId: answer.headers.get('x-request-id') });
    if (CATALOG[code].status !== 429) return;
    expect(details.retryAfter).toBeGreaterThan(0);
    expect(answer.headers.get('retry-after')).toBe(String(details.retryAfter));
  });
});

describe('a code that no request is answered with yet', () => {
  it.each(Object.entries(NOT_YET))('%s waits for the fiat ramps', async (_, ask) => {
    const { status, body } = await ask(world);
    expect({ status, code: body.error?.code }).toEqual({ status: 400, code: 'NO_ROUTE_FOUND' });
  });
});
