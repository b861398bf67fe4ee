import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serviceError } from '../../src/errors/service-error';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import { type RequestProviderQuote, createQuoteRequester } from '../../src/venues/request-provider-quote';
import { chooseOffer } from '../../src/quotes/choose-offer';
import { checkPixKey } from '../../src/quotes/request/pix-key-check';
import { createRampQuoteProvider } from '../../src/venues/ramp/ramp-quote-provider';
import { withGuardedPixKeyLookups } from '../../src/venues/guarded-pix-key-lookups';
import { createProviderGuards, type ProviderGuardOptions, type ProviderGuards } from '../../src/venues/provider-guards';
import { createPrimaryRamp } from '../../src/ramps/providers/primary/primary-ramp';
import { createSecondaryRamp } from '../../src/ramps/providers/secondary/secondary-ramp';
import type { RampId, RampProvider } from '../../src/ramps/ramp-provider';
import { type HeldTimeouts, holdTimeouts, timeoutError } from '../setup/held-timeouts';
import { fakeRamp } from '../swaps/fake-fiat';
import { BRL, chains, devnet, quoteRequest, units, USDC } from '../swaps/swap-world';

/** Behaviour of the third party: an HTTP status, or no response. It `times out` when the time of the caller is over then. */
type Behaviour = number | 'times out' | 'hangs' | 'resets';

/** A third party with a configurable behaviour. */
async function startThirdParty() {
  const state = { behaviour: 200 as Behaviour, requests: 0 };
  const server = createServer((request, response) => {
    state.requests += 1;
    request.resume();
    if (state.behaviour === 'hangs') return;
    if (state.behaviour === 'times out') timeouts.end();
    else if (state.behaviour === 'resets') request.socket.destroy();
    else response.writeHead(state.behaviour, { 'content-type': 'application/json' }).end('{"message":"an error"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { state, url, nextRequest: () => once(server, 'request'), stop };
}

/** Timeouts end only when a test ends them. */
const BUDGET_MS = 60_000;
const COOLDOWN_MS = 3_600_000;
const fiat = chains.get(0);
const destination = { ...devnet, tokens: [USDC] };

let party: Awaited<ReturnType<typeof startThirdParty>>;
let http: HttpClient;
let timeouts: HeldTimeouts;
// Each test has a third party of its own: no request of an earlier test arrives late.
beforeEach(async () => {
  timeouts = holdTimeouts();
  party = await startThirdParty();
  http = createHttpClient({ baseUrl: party.url, timeoutMs: BUDGET_MS });
});
afterEach(async () => {
  party.stop();
  await http.close();
  jest.restoreAllMocks();
});

const RAMPS: Readonly<Record<RampId, () => RampProvider>> = {
  primary: () => createPrimaryRamp({ http, apiUrl: party.url, networks: { [USDC.chainId]: 'POLYGON' } }),
  secondary: () => createSecondaryRamp({ http, networks: { [USDC.chainId]: 'polygon' } }),
};
const NO_QUOTE = { primary: 'QUOTE_GENERATION_FAILED', secondary: 'SECONDARY_RAMP_API_ERROR' } as const;

interface QuotedRamp {
  readonly guards: ProviderGuards;
  readonly ramp: RampProvider;
  /** Returns the error code of a quote. */
  quote(): Promise<string>;
}

function openRamp(id: RampId): QuotedRamp {
  const guards = createProviderGuards({ cooldownMs: COOLDOWN_MS });
  const ramp = RAMPS[id]();
  const requestQuote: RequestProviderQuote = createQuoteRequester({
    budgetMs: BUDGET_MS,
    guards,
    log: { warn: () => undefined },
  });
  const venue = createRampQuoteProvider({ ramp } as Parameters<typeof createRampQuoteProvider>[0]);
  const terms = { ramp: id, name: id, rail: 'PIX', thirdParty: false, account: undefined, payout: undefined } as const;
  const sides = { origin: fiat, destination, tokenIn: BRL, tokenOut: USDC, amount: units(10_000n) };
  const request = { ...quoteRequest(sides), fiat: terms };
  return {
    guards,
    ramp,
    async quote() {
      const result = await requestQuote(venue, request);
      try {
        const [tokenIn, tokenOut] = [BRL, USDC].map((token) => ({ ...token, requestedAddress: token.address }));
        const criteria = { ...request, tokenIn: tokenIn!, tokenOut: tokenOut!, preferredProvider: undefined, ramp: id };
        chooseOffer(criteria, [result]);
        return 'an offer';
      } catch (error) {
        return (error as { code: string }).code;
      }
    },
  };
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error as { code: string }).code,
  );

describe.each(['primary', 'secondary'] as const)('the %s ramp', (id) => {
  it.each(['times out', 'resets', 500, 503] as const)(
    'receives no quote requests after repeated failures (%s), and the code stays the same',
    async (behaviour) => {
      party.state.behaviour = behaviour;
      const { guards, ramp, quote } = openRamp(id);
      for (let i = 0; i < 5; i++) expect(await quote()).toBe(NO_QUOTE[id]);
      expect([guards.state(id), guards.isCoolingDown(id)]).toEqual(['open', true]);
      const { requests } = party.state;
      expect(await Promise.all(Array.from({ length: 20 }, quote))).toEqual(Array(20).fill(NO_QUOTE[id]));
      expect(party.state.requests).toBe(requests);
      // Polls of pending tickets bypass the breaker.
      const holder = { accountId: 'account', kycUserId: 'user' };
      await ramp.ticketState('ticket', holder, AbortSignal.timeout(BUDGET_MS)).catch(() => undefined);
      expect(party.state.requests).toBeGreaterThan(requests);
    },
  );

  it.each([400, 401, 403, 404, 409, 422, 429, 200])(
    'still receives quote requests after refusals (%d)',
    async (behaviour) => {
      party.state.behaviour = behaviour;
      const { guards, quote } = openRamp(id);
      for (let i = 0; i < 12; i++) expect(await quote()).not.toBe('an offer');
      expect([guards.state(id), guards.isCoolingDown(id)]).toEqual(['closed', false]);
    },
  );
});

describe('a Pix key', () => {
  /** The result of work whose time is over while it waits for a slot. */
  const endedWhileItWaits = (work: (signal: AbortSignal) => Promise<string>): Promise<string> => {
    const limit = new AbortController();
    const code = work(limit.signal);
    limit.abort(timeoutError());
    return code;
  };
  const lookUps = (options: ProviderGuardOptions = {}) => {
    const guards = createProviderGuards({ cooldownMs: COOLDOWN_MS, ...options });
    const ramps = { primary: RAMPS.primary(), secondary: fakeRamp('secondary') };
    const { primary } = withGuardedPixKeyLookups(ramps, { guards, budgetMs: BUDGET_MS });
    const lookUp = (signal: AbortSignal = AbortSignal.timeout(BUDGET_MS)) =>
      codeOf(primary.lookUpPixKey!('ana@example.com', signal));
    return { guards, lookUp, primary };
  };

  it.each(['times out', 'resets'] as const)(
    'is not looked up at a ramp with an open breaker (%s)',
    async (behaviour) => {
      party.state.behaviour = behaviour;
      const { guards, lookUp } = lookUps();
      for (let i = 0; i < 5; i++) expect(await lookUp()).toBe('PIX_KEY_LOOKUP_FAILED');
      const { requests } = party.state;
      expect(await lookUp()).toBe('PIX_KEY_LOOKUP_FAILED');
      expect([party.state.requests, guards.state('primary')]).toEqual([requests, 'open']);
    },
  );

  it('does not open the breaker of the ramp when the directory is broken or has no such key', async () => {
    const { guards, lookUp } = lookUps();
    for (const [behaviour, code] of [[503, 'PIX_KEY_LOOKUP_FAILED'] as const, [404, 'INVALID_PIX_KEY'] as const]) {
      party.state.behaviour = behaviour;
      for (let i = 0; i < 8; i++) expect(await lookUp()).toBe(code);
    }
    expect(guards.state('primary')).toBe('closed');
  });

  it('does not open the breaker of the ramp when callers abort', async () => {
    party.state.behaviour = 'hangs';
    const { guards, lookUp } = lookUps();
    for (let i = 0; i < 8; i++) {
      const caller = new AbortController();
      const code = lookUp(caller.signal);
      caller.abort();
      expect(await code).toBe('PIX_KEY_LOOKUP_FAILED');
    }
    expect(guards.state('primary')).toBe('closed');
  });

  it('has the code of a failed look-up when it still waits for a slot at its deadline', async () => {
    party.state.behaviour = 'hangs';
    const { lookUp, primary } = lookUps({ concurrency: 1 });
    const running = lookUp();
    expect(await endedWhileItWaits(lookUp)).toBe('PIX_KEY_LOOKUP_FAILED');
    // A price without an executable part needs no look-up, and an executable one is refused with that code.
    const check = { ramp: primary, pixKey: 'ana@example.com' };
    const codeOfCheck = (executable: boolean) =>
      endedWhileItWaits((signal) => codeOf(checkPixKey({ ...check, executable }, signal)));
    expect(await codeOfCheck(false)).toBe('none');
    expect(await codeOfCheck(true)).toBe('PIX_KEY_LOOKUP_FAILED');
    timeouts.end();
    expect(await running).toBe('PIX_KEY_LOOKUP_FAILED');
  });

  it('is not looked up once it has waited for a slot for half of the budget', async () => {
    party.state.behaviour = 'hangs';
    const { lookUp } = lookUps({ concurrency: 1 });
    const arrival = party.nextRequest();
    const running = lookUp();
    const waiting = lookUp(new AbortController().signal);
    await arrival;
    const now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now + BUDGET_MS / 2 + 1);
    timeouts.end();
    expect([await running, await waiting]).toEqual(['PIX_KEY_LOOKUP_FAILED', 'PIX_KEY_LOOKUP_FAILED']);
    expect(party.state.requests).toBe(1);
  });

  it('fails with the reason of a caller that leaves while it waits for a slot', async () => {
    party.state.behaviour = 'hangs';
    const { lookUp, primary } = lookUps({ concurrency: 1 });
    const running = lookUp();
    const caller = new AbortController();
    const waiting = primary.lookUpPixKey!('ana@example.com', caller.signal).catch((error: unknown) => error);
    caller.abort();
    expect(await waiting).toBe(caller.signal.reason);
    timeouts.end();
    expect(await running).toBe('PIX_KEY_LOOKUP_FAILED');
  });

  it('is looked up only at ramps with look-ups, and keeps their codes', async () => {
    const ramps = { primary: fakeRamp('primary'), secondary: fakeRamp('secondary') };
    const refused = () => Promise.reject(serviceError('INVALID_PIX_KEY'));
    const guarded = withGuardedPixKeyLookups(
      { ...ramps, primary: { ...ramps.primary, lookUpPixKey: refused } },
      { guards: createProviderGuards(), budgetMs: BUDGET_MS },
    );
    expect(await codeOf(guarded.primary.lookUpPixKey!('key', AbortSignal.timeout(1000)))).toBe('INVALID_PIX_KEY');
    expect(guarded.secondary.lookUpPixKey).toBeUndefined();
  });
});
