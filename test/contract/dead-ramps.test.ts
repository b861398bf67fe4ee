import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serviceError } from '../../src/errors/service-error';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import { type RequestProviderQuote, createQuoteRequester } from '../../src/venues/request-provider-quote';
import { chooseOffer } from '../../src/quotes/choose-offer';
import { createRampVenue } from '../../src/venues/ramp/ramp-venue';
import { withGuardedPixKeyLookups } from '../../src/venues/guarded-pix-key-lookups';
import { createProviderGuards, type ProviderGuards } from '../../src/venues/provider-guards';
import { createPrimaryRamp } from '../../src/ramps/providers/primary/primary-ramp';
import { createSecondaryRamp } from '../../src/ramps/providers/secondary/secondary-ramp';
import type { RampId, RampProvider } from '../../src/ramps/ramp-provider';
import { fakeRamp } from '../swaps/fake-fiat';
import { BRL, chains, devnet, quoteRequest, units, USDC } from '../swaps/swap-world';

/** What the third party does: an HTTP status, or one of the ways of not answering. */
type Mood = number | 'hangs' | 'resets';

/** A third party that is in a mood. */
async function startThirdParty() {
  const state = { mood: 200 as Mood, requests: 0 };
  const server = createServer((request, response) => {
    state.requests += 1;
    request.resume();
    if (state.mood === 'hangs') return;
    if (state.mood === 'resets') request.socket.destroy();
    else response.writeHead(state.mood, { 'content-type': 'application/json' }).end('{"message":"says so"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { state, url, stop: () => (server.closeAllConnections(), server.close()) };
}

const BUDGET_MS = 150;
const fiat = chains.get(0);
const destination = { ...devnet, tokens: [USDC] };

let party: Awaited<ReturnType<typeof startThirdParty>>;
let http: HttpClient;
beforeAll(async () => {
  party = await startThirdParty();
  http = createHttpClient({ baseUrl: party.url });
});
afterAll(async () => {
  party.stop();
  await http.close();
});

const RAMPS: Readonly<Record<RampId, () => RampProvider>> = {
  primary: () => createPrimaryRamp({ http, apiUrl: party.url, networks: { [USDC.chainId]: 'POLYGON' } }),
  secondary: () => createSecondaryRamp({ http, networks: { [USDC.chainId]: 'polygon' } }),
};
const NO_QUOTE = { primary: 'QUOTE_GENERATION_FAILED', secondary: 'SECONDARY_RAMP_API_ERROR' } as const;

interface Asked {
  readonly guards: ProviderGuards;
  readonly ramp: RampProvider;
  /** The code that callers are answered with. */
  quote(): Promise<string>;
}

function askedOf(id: RampId): Asked {
  const guards = createProviderGuards({ cooldownMs: 60_000 });
  const ramp = RAMPS[id]();
  const ask: RequestProviderQuote = createQuoteRequester({
    budgetMs: BUDGET_MS,
    guards,
    log: { warn: () => undefined },
  });
  const venue = createRampVenue({ ramp } as Parameters<typeof createRampVenue>[0]);
  const terms = { ramp: id, name: id, rail: 'PIX', thirdParty: false, account: undefined, payout: undefined } as const;
  const sides = { origin: fiat, destination, tokenIn: BRL, tokenOut: USDC, amount: units(10_000n) };
  const request = { ...quoteRequest(sides), fiat: terms };
  return {
    guards,
    ramp,
    async quote() {
      const answer = await ask(venue, request);
      try {
        const [tokenIn, tokenOut] = [BRL, USDC].map((token) => ({ ...token, shownAddress: token.address }));
        const wish = { ...request, tokenIn: tokenIn!, tokenOut: tokenOut!, preferredProvider: undefined, ramp: id };
        chooseOffer(wish, [answer]);
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
  it.each(['hangs', 'resets', 500, 503] as const)(
    'is left alone once it is dead (%s), by the same code',
    async (mood) => {
      party.state.mood = mood;
      const { guards, ramp, quote } = askedOf(id);
      for (let i = 0; i < 5; i++) expect(await quote()).toBe(NO_QUOTE[id]);
      expect([guards.state(id), guards.isCoolingDown(id)]).toEqual(['open', true]);
      const { requests } = party.state;
      expect(await Promise.all(Array.from({ length: 20 }, quote))).toEqual(Array(20).fill(NO_QUOTE[id]));
      expect(party.state.requests).toBe(requests);
      // What follows money is not kept from it.
      const holder = { accountId: 'account', kycUserId: 'user' };
      await ramp.ticketState('ticket', holder, AbortSignal.timeout(BUDGET_MS)).catch(() => undefined);
      expect(party.state.requests).toBeGreaterThan(requests);
    },
  );

  it.each([400, 401, 403, 404, 409, 422, 429, 200])('is not left alone for what it refuses (%d)', async (mood) => {
    party.state.mood = mood;
    const { guards, quote } = askedOf(id);
    for (let i = 0; i < 12; i++) expect(await quote()).not.toBe('an offer');
    expect([guards.state(id), guards.isCoolingDown(id)]).toEqual(['closed', false]);
  });
});

describe('a Pix key', () => {
  const lookUps = () => {
    const guards = createProviderGuards({ cooldownMs: 60_000 });
    const { primary } = withGuardedPixKeyLookups(
      { primary: RAMPS.primary(), secondary: fakeRamp('secondary') },
      guards,
    );
    const lookUp = (signal: AbortSignal = AbortSignal.timeout(BUDGET_MS)) =>
      codeOf(primary.lookUpPixKey!('ana@example.com', signal));
    return { guards, lookUp };
  };

  it.each(['hangs', 'resets'] as const)('is not looked up at a ramp that is dead (%s)', async (mood) => {
    party.state.mood = mood;
    const { guards, lookUp } = lookUps();
    for (let i = 0; i < 5; i++) expect(await lookUp()).toBe('PIX_KEY_LOOKUP_FAILED');
    const { requests } = party.state;
    expect(await lookUp()).toBe('PIX_KEY_LOOKUP_FAILED');
    expect([party.state.requests, guards.state('primary')]).toEqual([requests, 'open']);
  });

  it('of a directory that is broken, or does not know it, says nothing of the ramp', async () => {
    const { guards, lookUp } = lookUps();
    for (const [mood, code] of [[503, 'PIX_KEY_LOOKUP_FAILED'] as const, [404, 'INVALID_PIX_KEY'] as const]) {
      party.state.mood = mood;
      for (let i = 0; i < 8; i++) expect(await lookUp()).toBe(code);
    }
    expect(guards.state('primary')).toBe('closed');
  });

  it('that nobody wants to know of any more says nothing of the ramp', async () => {
    party.state.mood = 'hangs';
    const { guards, lookUp } = lookUps();
    for (let i = 0; i < 8; i++) {
      const caller = new AbortController();
      const answer = lookUp(caller.signal);
      caller.abort();
      expect(await answer).toBe('PIX_KEY_LOOKUP_FAILED');
    }
    expect(guards.state('primary')).toBe('closed');
  });

  it('is looked up by the ramps that can, as before', async () => {
    const ramps = { primary: fakeRamp('primary'), secondary: fakeRamp('secondary') };
    const refused = () => Promise.reject(serviceError('INVALID_PIX_KEY'));
    const guarded = withGuardedPixKeyLookups(
      { ...ramps, primary: { ...ramps.primary, lookUpPixKey: refused } },
      createProviderGuards(),
    );
    expect(await codeOf(guarded.primary.lookUpPixKey!('key', AbortSignal.timeout(1000)))).toBe('INVALID_PIX_KEY');
    expect(guarded.secondary.lookUpPixKey).toBeUndefined();
  });
});
