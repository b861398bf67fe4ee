import { setTimeout as wait } from 'node:timers/promises';
import type { Control } from '../../devnet/emulators/primary-ramp/control';
import { brCodeOf } from '../../devnet/emulators/primary-ramp/br-code';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import { toBaseUnits } from '../../src/money/base-units';
import { createPrimaryRamp, type PrimaryRamp } from '../../src/ramps/providers/primary/primary-ramp';
import { primaryRampSignature } from '../../src/ramps/providers/primary/sign-request';
import type { PayoutDestination, RampRoute, Ticket, TicketRequest, TicketState } from '../../src/ramps/ramp-provider';
import type { UncheckedPixKey } from '../../src/ramps/unchecked-pix-key';
import { universeOfTests } from '../setup/universe-of-tests';
import { type LocalPrimaryRamp, PAYER_INDEX, startLocalPrimaryRamp } from './primary-ramp-world';

const BRLA = 10n ** 18n;
/** Shorter than a test may take, so that a payout that never ends is reported with its last state. */
const END_MS = 90_000;
const HEALTHY: Partial<Control> = {
  loseResponses: 0,
  payouts: 'pay',
  unknownPixKeys: [],
  pixLookupStatus: null,
  expiredBrCodes: [],
  brlPerUsdc: '5.40',
  limits: { maxFiatIn: '500000.00', maxFiatOut: '500000.00' },
};

let local: LocalPrimaryRamp;
/** An adapter for the same ramp, with an adjustable clock. */
let ramp: PrimaryRamp;
let http: HttpClient;
let ahead = 0;
let wallet: string;
let made = 0;
const unchecked: UncheckedPixKey[] = [];

const timeout = (): AbortSignal => AbortSignal.timeout(60_000);

beforeAll(async () => {
  const universe = await universeOfTests();
  local = await startLocalPrimaryRamp(universe);
  wallet = universe.accounts[PAYER_INDEX]!.address;
  const { emulator, chain } = local;
  http = createHttpClient({ baseUrl: emulator.url, sign: primaryRampSignature(emulator) });
  const networks = { [chain.chainId]: 'POLYGON' } as const;
  const clock = () => Date.now() + ahead;
  const onUncheckedPixKey = (key: UncheckedPixKey) => void unchecked.push(key);
  ramp = createPrimaryRamp({ http, apiUrl: emulator.url, networks, clock, onUncheckedPixKey, pixKeyTimeoutMs: 60_000 });
});

afterEach(async () => {
  ahead = 0;
  unchecked.splice(0);
  await local.steer(HEALTHY);
});

afterAll(async () => {
  await http.close();
  await local.stop();
});

const outOf = (symbol: 'BRLA' | 'USDC'): RampRoute => local.routeOf(symbol, { direction: 'offRamp' });
const pixTo = (pixKey: string): PayoutDestination => ({ rail: 'PIX', pixKey, thirdParty: false });

async function requestFor(route: RampRoute, amount: bigint, payout?: PayoutDestination): Promise<TicketRequest> {
  const { account } = local;
  const quoteRequest = { route, side: 'in', amount: toBaseUnits(amount), account, thirdParty: false } as const;
  const quote = await ramp.quote(quoteRequest, timeout());
  return { route, quote, account, externalId: `movement-${String((made += 1))}`, walletAddress: wallet, payout };
}

const poll = ({ externalId: id, account }: TicketRequest, request: TicketRequest) =>
  ramp.ticketState(id, { ...account, request }, timeout());

/** Polls until the status is reached, and ignores failures. */
async function until(status: TicketState['status'], request: TicketRequest): Promise<TicketState> {
  let last: unknown;
  for (const end = Date.now() + END_MS; Date.now() < end;) {
    await wait(60);
    last = await poll(request, request).catch((error: unknown) => error);
    if (!(last instanceof Error) && (last as TicketState).status === status) return last as TicketState;
  }
  throw new Error(`not ${status}, but ${JSON.stringify(last)}`);
}

async function deposit(request: TicketRequest): Promise<Ticket> {
  const ticket = await ramp.openTicket(request, timeout());
  if (ticket.kind !== 'payOut') throw new Error('the ticket requires no token');
  await local.send(request.route, ticket.depositAddress, ticket.amount);
  return ticket;
}

const balance = (symbol: 'BRLA' | 'USDC' = 'BRLA') => local.balanceOf(outOf(symbol), wallet);
const opened = async (externalId: string): Promise<number> => (await local.ticketsOf(externalId)).length;
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (error as { code: string }).code,
  );

describe('payouts of the primary ramp', () => {
  it('open no ticket before the full deposit has arrived', async () => {
    const request = await requestFor(outOf('BRLA'), 10n * BRLA, pixTo('ana@example.com'));
    const ticket = await ramp.openTicket(request, timeout());
    if (ticket.kind !== 'payOut') throw new Error('the ticket requires no token');
    await local.send(request.route, ticket.depositAddress, ticket.amount - 10n ** 12n);
    expect(await poll(request, request)).toEqual({ status: 'waitingForPayment' });
    expect(await opened(request.externalId)).toBe(0);
    await local.send(request.route, ticket.depositAddress, 10n ** 12n);
    await until('completed', request);
    expect(await opened(request.externalId)).toBe(1);
  });

  it('are opened once, and so are their refunds, when every response is lost', async () => {
    const before = await balance();
    await local.steer({ payouts: 'fail' });
    const request = await requestFor(outOf('BRLA'), 10n * BRLA, pixTo('ana@example.com'));
    await deposit(request);
    await local.steer({ loseResponses: 2 });
    const last = await until('refunded', request);
    expect(last).toMatchObject({ txHash: expect.stringMatching(/^0x/) as unknown, reason: 'The payout failed' });
    expect(await opened(request.externalId)).toBe(1);
    expect(await opened(`${request.externalId}-refund`)).toBe(1);
    expect(await balance()).toBe(before);
  });

  it('that the ramp refuses are retried, and refunded after the timeout', async () => {
    const before = await balance();
    const request = await requestFor(outOf('BRLA'), 10n * BRLA, pixTo('gone@example.com'));
    await deposit(request);
    await local.steer({ unknownPixKeys: ['gone@example.com'], pixLookupStatus: 429 });
    expect(await codeOf(poll(request, request))).toBe('PROVIDER_UNAVAILABLE');
    ahead = 3_600_000;
    await until('refunded', request);
    expect(await opened(request.externalId)).toBe(0);
    expect(await balance()).toBe(before);
  });

  it.each(['gone@example.com', brCodeOf({ pixKey: 'gone@example.com', amount: '10.00', transactionId: 'ORDER2' })])(
    'to a key that no longer exists wait for it, and are refunded once after the timeout, also when every response is lost (%s)',
    async (pixKey) => {
      const before = await balance();
      const request = await requestFor(outOf('BRLA'), 10n * BRLA, pixTo(pixKey));
      await deposit(request);
      await local.steer({ unknownPixKeys: ['gone@example.com'] });
      expect(await codeOf(poll(request, request))).toBe('PROVIDER_UNAVAILABLE');
      expect([await opened(request.externalId), await opened(`${request.externalId}-refund`)]).toEqual([0, 0]);
      ahead = 3_600_000;
      await local.steer({ loseResponses: 1 });
      expect(await until('refunded', request)).toMatchObject({ reason: 'The payout failed' });
      // The key exists again: the refunded deposit is not paid out.
      await local.steer({ unknownPixKeys: [] });
      expect(await poll(request, request)).toMatchObject({ status: 'refunded' });
      expect([await opened(request.externalId), await opened(`${request.externalId}-refund`)]).toEqual([0, 1]);
      expect([await balance(), unchecked]).toEqual([before, []]);
    },
  );

  it.each([
    [429, 'unavailable'],
    [503, 'serverError'],
  ] as const)(
    'are opened once, and are counted, when the look-up of their key fails with HTTP %i',
    async (pixLookupStatus, failure) => {
      const request = await requestFor(outOf('BRLA'), 10n * BRLA, pixTo('ana@example.com'));
      await deposit(request);
      await local.steer({ pixLookupStatus });
      await until('completed', request);
      expect([await opened(request.externalId), await opened(`${request.externalId}-refund`)]).toEqual([1, 0]);
      expect(unchecked).toEqual([{ ramp: 'primary', step: 'payout', failure }]);
    },
  );

  it('pay at the current rate within the tolerance, and are refunded beyond it', async () => {
    const [little, far] = await Promise.all(
      [20n, 30n].map((usdc) => requestFor(outOf('USDC'), usdc * 1_000_000n, pixTo('ana@example.com'))),
    );
    const before = await balance('USDC');
    await deposit(little!);
    await local.steer({ brlPerUsdc: '5.30' });
    expect(await until('completed', little!)).toMatchObject({ amountOut: 10_547n });
    await deposit(far!);
    await local.steer({ brlPerUsdc: '4.90' });
    await until('refunded', far!);
    expect(await opened(far!.externalId)).toBe(0);
    expect(before - (await balance('USDC'))).toBe(20_000_000n);
  });

  it('that fail are refunded to the refund address', async () => {
    const other = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
    const heldBy = (owner: string) => local.balanceOf(outOf('BRLA'), owner);
    const [before, elsewhere] = [await heldBy(wallet), await heldBy(other)];
    await local.steer({ payouts: 'fail' });
    const request = await requestFor(outOf('BRLA'), 10n * BRLA, pixTo('ana@example.com'));
    const refunded = { ...request, refundAddress: other };
    await deposit(refunded);
    await until('refunded', refunded);
    expect([before - (await heldBy(wallet)), (await heldBy(other)) - elsewhere]).toEqual([10n * BRLA, 10n * BRLA]);
  });

  it('are refunded when they would be less than the minimum', async () => {
    const before = await balance('USDC');
    const request = await requestFor(outOf('USDC'), 20_000_000n, pixTo('ana@example.com'));
    const bounded = { ...request, minAmountOut: toBaseUnits((request.quote.amountOut * 995n) / 1000n) };
    await deposit(bounded);
    await local.steer({ brlPerUsdc: '5.36' }); // 0.75 % less
    await until('refunded', bounded);
    expect(await opened(bounded.externalId)).toBe(0);
    expect(await balance('USDC')).toBe(before);
  });

  it('of one person at the same time are each opened once', async () => {
    const requests = await Promise.all(
      [3n, 4n, 5n].map((whole) => requestFor(outOf('BRLA'), whole * BRLA, pixTo('ana@example.com'))),
    );
    for (const request of requests) await deposit(request);
    const states = await Promise.all(requests.map((request) => until('completed', request)));
    expect(states.map((state) => state.status === 'completed' && state.amountOut)).toEqual([300n, 400n, 500n]);
    for (const { externalId } of requests) expect(await opened(externalId)).toBe(1);
  });
});

describe('charges that are paid through the primary ramp', () => {
  const brCodeAmount = (amount: string): string =>
    brCodeOf({ pixKey: 'shop@example.com', amount, transactionId: 'ORDER1' });

  it('are paid exactly, to their key', async () => {
    const request = await requestFor(outOf('BRLA'), 12n * BRLA, pixTo(brCodeAmount('12.00')));
    await deposit(request);
    expect(await until('completed', request)).toMatchObject({ amountOut: 1200n });
  });

  it('are refused when they have expired or differ from the quote', async () => {
    const expired = brCodeAmount('12.00');
    await local.steer({ expiredBrCodes: [expired] });
    const opening = async (brCode: string) =>
      codeOf(ramp.openTicket(await requestFor(outOf('BRLA'), 12n * BRLA, pixTo(brCode)), timeout()));
    expect(await opening(expired)).toBe('PIX_BRCODE_EXPIRED');
    expect(await opening(brCodeAmount('12.01'))).toBe('PIX_BRCODE_REQUOTE_REQUIRED');
    expect(await opening(`${expired.slice(0, -1)}!`)).toBe('INVALID_PIX_BRCODE_FORMAT');
  });

  it('require a key', async () => {
    const request = await requestFor(outOf('BRLA'), 12n * BRLA, undefined);
    expect(await codeOf(ramp.openTicket(request, timeout()))).toBe('MISSING_PIX_KEY');
  });
});

it('finds the ticket of a pay-in at once when the response was lost', async () => {
  const request = await requestFor(local.routeOf('BRLA'), 1000n);
  await local.steer({ loseResponses: 1 });
  const ticket = await ramp.openTicket(request, timeout());
  expect(await ramp.findTicket(request, timeout())).toEqual(ticket);
  expect(await opened(request.externalId)).toBe(1);
});

describe('requests that the primary ramp refuses', () => {
  const quoteOf = (cents: bigint) => codeOf(requestFor(local.routeOf('BRLA'), cents));

  it('are quotes above the remaining limit or below the minimum', async () => {
    await local.steer({ limits: { maxFiatIn: '5000.00', maxFiatOut: '5000.00' } });
    expect(await quoteOf(500_100n)).toBe('AMOUNT_EXCEEDS_PROVIDER_LIMIT');
    expect(await quoteOf(1n)).toBe('RAMP_AMOUNT_OUT_OF_RANGE');
    await local.control(`accounts/${local.account.accountId}`, { blocked: true });
    expect(await quoteOf(1000n)).toBe('AMOUNT_EXCEEDS_PROVIDER_LIMIT');
    const limits = await ramp.accountLimits(local.account, timeout());
    expect(limits.map(({ remaining }) => remaining)).toEqual([0n, 0n, 0n, 0n]);
    await local.control(`accounts/${local.account.accountId}`, { blocked: false });
    expect(await quoteOf(1000n)).toBe('no error');
  });

  it('are tickets of a quote that has expired', async () => {
    const request = await requestFor(local.routeOf('BRLA'), 1000n);
    ahead = 16_000;
    expect(await codeOf(ramp.openTicket(request, timeout()))).toBe('QUOTE_EXPIRED');
    ahead = 0;
    const forged = { ...request, quote: { ...request.quote, execution: { quoteToken: 'another quote' } } };
    expect(await codeOf(ramp.openTicket(forged, timeout()))).toBe('QUOTE_EXPIRED');
    expect(await opened(request.externalId)).toBe(0);
  });

  it('are quotes of unsupported routes', async () => {
    const route = local.routeOf('BRLA', { currency: 'USD', rail: 'WIRE' });
    expect(await codeOf(requestFor(route, 1000n))).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
  });
});
