import fc from 'fast-check';
import type { CustomerId } from '../../src/auth/principal';
import { FIAT_CHAIN_ID } from '../../src/chains/chain';
import { type BaseUnits, toBaseUnits } from '../../src/money/base-units';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import type { PayoutDestination, Ticket, TicketRequest } from '../../src/ramps/ramp-provider';
import { createTicketStore, type TicketStore } from '../../src/ramps/ticket-store';
import type { UsdBeneficiary } from '../../src/ramps/usd-beneficiary';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { testVault } from '../swaps/fake-fiat';
import { chains, devnet, rejection } from '../swaps/swap-world';
import { orderOf, pixTo } from './scripted-money';

let test: TestDatabase;
let tickets: TicketStore;
beforeAll(async () => {
  test = await createTestDatabase();
  tickets = createTicketStore({ database: test.database, vault: testVault, chains });
});
afterAll(() => test.drop());

const customerId = uuidV7() as CustomerId;

const amount: fc.Arbitrary<BaseUnits> = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(toBaseUnits);
const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const date = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });

const beneficiary = (paymentMethod: UsdBeneficiary['paymentMethod']): fc.Arbitrary<UsdBeneficiary> =>
  fc.record({
    alias: text,
    accountNumber: text,
    routingNumber: text,
    bankName: text,
    name: text,
    street: fc.array(text),
    city: text,
    state: text,
    postalCode: text,
    country: text,
    description: maybe(text),
    paymentMethod: fc.constant(paymentMethod),
  });
const payout: fc.Arbitrary<PayoutDestination> = fc.oneof(
  fc.record({ rail: fc.constant('PIX' as const), pixKey: text, thirdParty: fc.boolean() }),
  fc.record({ rail: fc.constant('ACH' as const), beneficiary: beneficiary('ACH') }),
  fc.record({ rail: fc.constant('WIRE' as const), beneficiary: beneficiary('WIRE') }),
);
const json = fc.jsonValue({ stringUnit: 'grapheme' }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

const request: fc.Arbitrary<Omit<TicketRequest, 'externalId'>> = fc.record({
  route: fc.record({
    direction: fc.constantFrom('onRamp' as const, 'offRamp' as const),
    currency: fc.constantFrom('BRL' as const, 'USD' as const),
    rail: fc.constantFrom('PIX' as const, 'ACH' as const, 'WIRE' as const),
    token: fc.record({
      chainId: fc.constant(devnet.chainId),
      address: text,
      symbol: text,
      name: text,
      decimals: fc.nat(30),
      logoURI: maybe(text),
    }),
    chain: fc.constantFrom(devnet, chains.get(FIAT_CHAIN_ID)),
  }),
  quote: fc.record({
    amountIn: amount,
    amountOut: amount,
    expiresAt: date,
    execution: json,
    fees: fc.array(fc.record({ label: text, asset: fc.constantFrom('in' as const, 'out' as const), amount })),
  }),
  account: fc.record({ accountId: text, kycUserId: fc.uuid() }),
  walletAddress: text,
  memo: maybe(text),
  payout: maybe(payout),
  minAmountOut: maybe(amount),
  refundAddress: maybe(text),
});

const bank = fc.record({
  bankName: text,
  routingNumber: text,
  accountNumber: text,
  beneficiary: text,
  memo: maybe(text),
});
const ticket: fc.Arbitrary<Ticket> = fc.oneof(
  fc.record({
    kind: fc.constant('payOut' as const),
    ticketId: text,
    depositAddress: text,
    amount,
  }),
  fc.record({
    kind: fc.constant('payIn' as const),
    ticketId: text,
    instructions: fc.record({
      pix: maybe(fc.record({ copyPaste: text })),
      wire: maybe(bank),
      ach: maybe(bank),
      expiresAt: maybe(date),
      amount: fc.record({ amountRaw: fc.bigInt({ min: 0n }).map(String), currency: fc.constant('BRL' as const) }),
    }),
  }),
);

/** PostgreSQL cannot store NUL in a text, and ids of ramps never contain it. */
const withoutNul = (value: string): string => value.replaceAll('\0', '');

it('requests and tickets are stored without loss', async () => {
  await fc.assert(
    fc.asyncProperty(request, ticket, async (requested, opened) => {
      const whole = { ...requested, externalId: uuidV7() };
      whole.account = { ...requested.account, accountId: withoutNul(requested.account.accountId) };
      const saved = { ...opened, ticketId: `${withoutNul(opened.ticketId)} of ${whole.externalId}` };
      const intent = await tickets.recordIntent({ customerId, ramp: 'secondary', request: whole });
      const noted = (await tickets.find(whole.externalId))!;
      expect([noted.intent, noted.request, noted.ticket]).toEqual([intent, whole, undefined]);
      expect(await tickets.saveTicket(whole.externalId, intent!, saved)).toBe(true);
      const { request: read, ticket: readTicket } = (await tickets.find(whole.externalId))!;
      expect([read, readTicket]).toEqual([whole, saved]);
      expect(read.route.chain).toBe(whole.route.chain);
    }),
    { numRuns: 60 },
  );
});

it('stored tickets are encrypted, and do not open for another action', async () => {
  const [mine, other] = [orderOf(), orderOf()];
  for (const { customerId: customer, quoteRequest, ticket: rest } of [mine, other]) {
    const quote = {
      amountIn: quoteRequest.amount,
      amountOut: quoteRequest.amount,
      fees: [],
      execution: { token: 'quoted' },
    };
    const whole = { ...rest, route: quoteRequest.route, quote: { ...quote, expiresAt: new Date() } };
    await tickets.recordIntent({ customerId: customer, ramp: 'primary', request: whole });
  }
  const [from, to] = [mine.ticket.externalId, other.ticket.externalId];
  const { request: sealed } = await test.database.rampTicket.findUniqueOrThrow({ where: { actionId: from } });
  expect(Buffer.from(sealed).toString('latin1')).not.toMatch(/ana@example|quoted|amountIn/);
  expect((await tickets.find(from))?.request.payout).toEqual(pixTo('ana@example.com'));
  await test.database.rampTicket.update({ where: { actionId: to }, data: { request: sealed } });
  expect(String(await rejection(tickets.find(to)))).toContain('belongs to another row');
  await test.database.rampTicket.update({ where: { actionId: from }, data: { ticket: sealed.slice(0, -1) } });
  expect(String(await rejection(tickets.find(from)))).toContain('was modified');
});

it('an action has one ticket, from one request', async () => {
  const { customerId: customer, quoteRequest, ticket: rest } = orderOf();
  const quote = { amountIn: quoteRequest.amount, amountOut: quoteRequest.amount, fees: [], execution: {} };
  const whole = { ...rest, route: quoteRequest.route, quote: { ...quote, expiresAt: new Date() } };
  const recordIntent = () => tickets.recordIntent({ customerId: customer, ramp: 'primary', request: whole });
  const intents = await Promise.all(Array.from({ length: 10 }, recordIntent));
  const [intent, ...more] = intents.filter((each) => each !== undefined);
  expect([intent, more]).toEqual([expect.any(Uint8Array), []]);
  const newTicket: Ticket = { kind: 'payOut', ticketId: 't', depositAddress: '0x', amount: quoteRequest.amount };
  await tickets.withdraw(rest.externalId, new Uint8Array([1]));
  expect(await tickets.saveTicket(rest.externalId, new Uint8Array([1]), newTicket)).toBe(false);
  expect(await tickets.saveTicket(rest.externalId, intent!, newTicket)).toBe(true);
  await tickets.withdraw(rest.externalId, intent!);
  expect((await tickets.find(rest.externalId))?.ticket).toEqual(newTicket);
});

it('a ticket belongs to one action, even when the ramp returns it for another one', async () => {
  const ticketId = uuidV7();
  const [mine, other] = await Promise.all(
    [orderOf(), orderOf()].map(async ({ customerId: customer, quoteRequest, ticket: rest }) => {
      const quote = { amountIn: quoteRequest.amount, amountOut: quoteRequest.amount, fees: [], execution: {} };
      const whole = { ...rest, route: quoteRequest.route, quote: { ...quote, expiresAt: new Date() } };
      const intent = await tickets.recordIntent({ customerId: customer, ramp: 'secondary', request: whole });
      const newTicket: Ticket = { kind: 'payOut', ticketId, depositAddress: '0x', amount: quoteRequest.amount };
      return { id: rest.externalId, save: () => tickets.saveTicket(rest.externalId, intent!, newTicket) };
    }),
  );
  expect(await mine!.save()).toBe(true);
  expect(await mine!.save()).toBe(true);
  expect(await rejection(other!.save())).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED' });
  expect((await tickets.find(other!.id))?.ticket).toBeUndefined();
});

describe('settlements in one transaction', () => {
  const recorded = async (): Promise<string> => {
    const { ticket, customerId: owner, quoteRequest } = orderOf();
    const quote = { amountIn: quoteRequest.amount, amountOut: quoteRequest.amount, fees: [], execution: {} };
    const stored = { ...ticket, route: quoteRequest.route, quote: { ...quote, expiresAt: new Date() } };
    await tickets.recordIntent({ customerId: owner, ramp: 'primary', request: stored });
    return ticket.externalId;
  };

  it('are assigned to one action each under concurrency, and stay assigned', async () => {
    const claims = fc.array(fc.uniqueArray(fc.nat(3), { minLength: 1 }), { minLength: 2, maxLength: 6 });
    const property = fc.asyncProperty(claims, fc.uuid(), async (wanted, txHash) => {
      const actions = await Promise.all(wanted.map(async (logIndexes) => ({ id: await recorded(), logIndexes })));
      const count = ({ id, logIndexes }: (typeof actions)[number]) =>
        tickets.assignSettlement(id, { chainId: 1, txHash, logIndexes });
      const counted = await Promise.all(actions.map(count));
      const given = counted.filter((index) => index !== undefined);
      expect(new Set(given).size).toBe(given.length);
      for (const [index, { logIndexes }] of actions.entries()) {
        const own = counted[index];
        if (own === undefined) expect(given).toEqual(expect.arrayContaining(logIndexes));
        else expect(logIndexes).toContain(own);
      }
      expect(await Promise.all([...actions].reverse().map(count))).toEqual([...counted].reverse());
    });
    await fc.assert(property, { numRuns: 15 });
  });

  it('are not assigned when the whole transaction was assigned to an action', async () => {
    const [first, second] = [await recorded(), await recorded()];
    await test.database.rampTicket.update({ where: { actionId: first }, data: { paidBy: '1:0xab' } });
    const payments = { chainId: 1, txHash: '0xAB', logIndexes: [0, 1] };
    expect(await tickets.assignSettlement(second, payments)).toBeUndefined();
    expect(await tickets.assignSettlement(first, payments)).toBe(0);
  });
});
