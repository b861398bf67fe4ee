import { setTimeout as wait } from 'node:timers/promises';
import { toBaseUnits } from '../../src/money/base-units';
import { parseBrCode } from '../../src/ramps/br-code';
import type { RampQuote, RampRoute, Ticket, TicketRequest, TicketState } from '../../src/ramps/ramp-provider';
import { describeFaults } from './ramp-faults';
import type { RampUnderTest, ServedRamp } from './ramp-under-test';

/** Time limit of a healthy request. */
const TIMEOUT_MS = 60_000;
/** Shorter than a test may take, so that a movement that never ends is reported with its last states. */
const MOVEMENT_MS = 90_000;
const POLL_MS = 100;
let movements = 0;
/** Returns a new external id of a money movement. */
const newExternalId = (): string =>
  `00000000-0000-4000-8000-${`${Date.now()}${movements++}`.slice(-12).padStart(12, '0')}`;

const timeout = (): AbortSignal => AbortSignal.timeout(TIMEOUT_MS);

/**
 * The contract of every adapter behind the ports RampProvider and RampKycProvider: it moves money once under any
 * fault of the ramp, and fails with codes of the catalog, at the latest when its caller aborts.
 */
export function describeRampProvider(name: string, setUp: () => Promise<RampUnderTest>): void {
  describe(`${name}, as a ramp`, () => {
    let under: RampUnderTest;
    beforeAll(async () => {
      under = await setUp();
    });
    afterAll(() => under.tearDown());
    afterEach(() => under.upstream.injectFault(undefined));

    const quoteOf = async (
      { route, amountIn, amountOut, payout }: ServedRamp,
      side: 'in' | 'out' = 'in',
    ): Promise<RampQuote> => {
      const amount = side === 'in' ? amountIn : amountOut;
      const thirdParty = payout?.rail === 'PIX' && payout.thirdParty;
      return under.ramp.quote({ route, side, amount, account: under.account, thirdParty }, timeout());
    };

    const requestOf = async (served: ServedRamp): Promise<TicketRequest> => {
      const { route, walletAddress, payout } = served;
      const quote = await quoteOf(served);
      return { route, quote, account: under.account, externalId: newExternalId(), walletAddress, payout };
    };

    /** Polls like the tracker of a ticket: a poll that fails is followed by another. */
    const until = async (
      status: TicketState['status'],
      { ticketId }: Ticket,
      request: TicketRequest,
    ): Promise<{ last: TicketState; seen: TicketState['status'][] }> => {
      const seen: TicketState['status'][] = [];
      for (const end = Date.now() + MOVEMENT_MS; Date.now() < end;) {
        const last = await under.ramp.ticketState(ticketId, { ...under.account, request }, timeout()).catch(asIs);
        if (isState(last) && seen.at(-1) !== last.status) seen.push(last.status);
        if (isState(last) && last.status === status) return { last, seen };
        await wait(POLL_MS);
      }
      throw new Error(`not ${status}, but ${seen.join(', ')}`);
    };

    const ofDirection = (direction: RampRoute['direction']): ServedRamp[] =>
      under.served.filter(({ route }) => route.direction === direction);

    it('decides about supported routes without a request', () => {
      const before = under.upstream.requests();
      for (const { route, payout } of under.served) {
        const thirdParty = payout?.rail === 'PIX' && payout.thirdParty;
        expect(under.ramp.supports(route, { thirdParty })).toBe(true);
      }
      for (const { route, thirdParty } of under.unsupported) {
        expect(under.ramp.supports(route, { thirdParty })).toBe(false);
      }
      expect(under.upstream.requests()).toBe(before);
    });

    it('keeps the exact amount on the requested side', async () => {
      for (const served of under.served) {
        const [exactIn, exactOut] = [await quoteOf(served, 'in'), await quoteOf(served, 'out')];
        expect(exactIn.amountIn).toBe(served.amountIn);
        expect(exactIn.amountOut).toBeGreaterThan(0n);
        expect(exactOut.amountOut).toBe(served.amountOut);
        expect(exactOut.amountIn).toBeGreaterThan(0n);
        for (const { amount } of [...exactIn.fees, ...exactOut.fees]) expect(amount).toBeGreaterThan(0n);
      }
    });

    it('quotes the nearest amount in its precision, never more in and never less out', async () => {
      for (const served of under.served) {
        const precision = under.precisionOf(served.route);
        const onRamp = served.route.direction === 'onRamp';
        const amounts = onRamp
          ? { ...served, amountOut: toBaseUnits(served.amountOut + 1n) }
          : { ...served, amountIn: toBaseUnits(served.amountIn + 1n) };
        const quote = await quoteOf(amounts, onRamp ? 'out' : 'in');
        const over = onRamp ? quote.amountOut - amounts.amountOut : amounts.amountIn - quote.amountIn;
        expect(over).toBeGreaterThanOrEqual(0n);
        expect(over).toBeLessThan(precision);
      }
    });

    it('quotes a price without an account', async () => {
      for (const { route, amountIn: amount } of under.served) {
        const quoteRequest = { route, side: 'in', amount, account: undefined, thirdParty: false } as const;
        expect((await under.ramp.quote(quoteRequest, timeout())).amountOut).toBeGreaterThan(0n);
      }
    });

    it('turns a payment into the token that was quoted', async () => {
      for (const served of ofDirection('onRamp')) {
        const request = await requestOf(served);
        const before = await under.balanceOf(served.route, served.walletAddress);
        const ticket = await under.ramp.openTicket(request, timeout());
        if (ticket.kind !== 'payIn') throw new Error('the ticket requires no payment');
        expectInstructions(served, request, ticket);
        await until('waitingForPayment', ticket, request);
        await under.pay(served, ticket);
        const { last } = await until('completed', ticket, request);
        expect(last).toMatchObject({ txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) as unknown });
        const received = (await under.balanceOf(served.route, served.walletAddress)) - before;
        expect(received).toBe(request.quote.amountOut);
        expect(await under.movements(request.externalId)).toBe(1);
      }
    });

    it('pays out a deposit once', async () => {
      for (const served of ofDirection('offRamp')) {
        const request = await requestOf(served);
        const ticket = await under.ramp.openTicket(request, timeout());
        if (ticket.kind !== 'payOut') throw new Error('the ticket requires no token');
        expect(ticket.amount).toBe(request.quote.amountIn);
        await until('waitingForPayment', ticket, request);
        await under.pay(served, ticket);
        const { last } = await until('completed', ticket, request);
        if (served.payout?.rail === 'PIX') expect(last).toMatchObject({ endToEndId: expect.any(String) as unknown });
        for (let poll = 0; poll < 3; poll += 1) await until('completed', ticket, request);
        expect(await under.movements(request.externalId)).toBe(1);
      }
    });

    it('refunds the token when a payout fails', async () => {
      const [served] = ofDirection('offRamp');
      const request = await requestOf(served!);
      const before = await under.balanceOf(served!.route, served!.walletAddress);
      const ticket = await under.ramp.openTicket(request, timeout());
      await under.failPayouts(true);
      try {
        await under.pay(served!, ticket);
        const { seen } = await until('refunded', ticket, request);
        expect(seen).not.toContain('completed');
      } finally {
        await under.failPayouts(false);
      }
      await until('refunded', ticket, request);
      expect(await under.balanceOf(served!.route, served!.walletAddress)).toBe(before);
    });

    it('finds the ticket, and moves money once, when the response was lost', async () => {
      for (const served of [ofDirection('onRamp')[0]!, ofDirection('offRamp')[0]!]) {
        const request = await requestOf(served);
        if (served.route.direction === 'onRamp') {
          expect(await under.ramp.findTicket(request, timeout())).toBeUndefined();
        }
        await under.loseNextResponse();
        const opened = await under.ramp.openTicket(request, timeout()).catch(asIs);
        const found = await under.ramp.findTicket(request, timeout());
        if (found === undefined) throw new Error('the ticket is lost');
        if (!(opened instanceof Error)) expect(found).toEqual(opened);
        await under.pay(served, found);
        await until('completed', found, request);
        expect(await under.movements(request.externalId)).toBe(1);
      }
    });

    it('returns the remaining limits', async () => {
      const limits = await under.ramp.accountLimits(under.account, timeout());
      expect(limits.length).toBeGreaterThan(0);
      for (const { maximum, used, remaining } of limits) {
        if (maximum === undefined || remaining === undefined) continue;
        expect(remaining).toBeLessThanOrEqual(maximum);
        if (used !== undefined) expect(remaining).toBe(used > maximum ? 0n : maximum - used);
      }
    });

    it('opens one account for a person, and approves them by their evidence', async () => {
      const { person, kycUserId } = under.newPerson();
      const requestedSince = new Date();
      const account = await under.ramp.openAccount(person, { kycUserId }, timeout());
      expect(await under.ramp.openAccount(person, { kycUserId, requestedSince }, timeout())).toEqual(account);
      const before = await under.ramp.verificationState({ ...account, attemptId: undefined }, timeout());
      expect(before.status).not.toBe('approved');
      expect(before.capabilities).toEqual({ BRL: false, USD: false });
      const submission = { account, person, evidence: under.evidence };
      const { attemptId } = await under.ramp.submitEvidence(submission, timeout());
      for (const end = Date.now() + MOVEMENT_MS; ;) {
        const state = await under.ramp.verificationState({ ...account, attemptId }, timeout());
        if (state.status === 'approved') break;
        if (Date.now() > end) throw new Error(`not approved, but ${state.status}`);
        await wait(POLL_MS);
      }
    });

    describeFaults(() => under, requestOf);
  });
}

const asIs = (reason: unknown): unknown => reason;

const isState = (value: unknown): value is TicketState =>
  typeof value === 'object' && value !== null && !(value instanceof Error);

function expectInstructions({ route }: ServedRamp, { quote }: TicketRequest, ticket: Ticket & { kind: 'payIn' }): void {
  const { pix, wire, ach, amount } = ticket.instructions;
  expect(amount).toEqual({ amountRaw: quote.amountIn.toString(), currency: route.currency });
  expect([pix, wire, ach].filter((each) => each !== undefined)).toHaveLength(1);
  if (route.rail !== 'PIX') expect(route.rail === 'WIRE' ? wire : ach).toBeDefined();
  else expect([undefined, quote.amountIn]).toContain(parseBrCode(pix?.copyPaste ?? '').amount);
}
