import { randomBytes } from 'node:crypto';
import { type EventStream, openEventStream, type StreamEvent } from '../setup/event-stream';
import { customerNamed, rest, runningService } from '../setup/running-service';

const service = runningService();
const { apiKey } = customerNamed(service, 'load');
const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
const wallet = service.accounts[3]!.address;
const trade = {
  originChain: 'devnet',
  destinationChain: 'devnet',
  amountIn: '100000000000000000',
  tokenIn: devnet.tokens['WETH']!,
  tokenOut: devnet.tokens['USDC']!,
};
const QUERY = `subscription ($originChain: ChainName, $destinationChain: ChainName, $tokenIn: String!, $tokenOut: String!, $amountIn: Amount, $originAddress: String, $destinationAddress: String) {
  swapQuoteStream(originChain: $originChain, destinationChain: $destinationChain, tokenIn: $tokenIn, tokenOut: $tokenOut, amountIn: $amountIn, originAddress: $originAddress, destinationAddress: $destinationAddress) {
    round outstanding provider reason { code }
    quote { quoteId provider expectedAmountOut minAmountOut deadline simulation { status } }
  }
}`;

const open = (
  changes: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = { 'x-api-key': apiKey },
): Promise<EventStream> =>
  openEventStream({ url: service.graphqlUrl, query: QUERY, variables: { ...trade, ...changes }, headers });

async function firstRound(stream: EventStream): Promise<readonly any[]> {
  const outcomes: any[] = [];
  for (let outstanding = 1; outstanding > 0; outstanding = outcomes.at(-1).outstanding) {
    outcomes.push((await stream.next())?.data.data.swapQuoteStream);
  }
  return outcomes;
}
const codesOf = (events: readonly StreamEvent[]) =>
  events.map(({ event, data }) => [event, data?.errors?.[0].extensions.code]);

describe('swapQuoteStream of the running service', () => {
  it('returns the outcome of every provider of the route, and each quote can be executed', async () => {
    const stream = await open();
    const outcomes = await firstRound(stream);
    stream.close();
    expect(outcomes.map(({ round }) => round)).toEqual(outcomes.map(() => 1));
    expect(outcomes.map(({ outstanding }) => outstanding)).toEqual(
      outcomes.map((_, index) => outcomes.length - 1 - index),
    );
    expect(new Set(outcomes.map(({ provider }) => provider)).size).toBe(outcomes.length);
    for (const { quote, reason } of outcomes) expect((quote === null) !== (reason === null)).toBe(true);
    const quotes = outcomes.flatMap(({ quote }) => quote ?? []);
    expect(quotes.length).toBeGreaterThanOrEqual(2); // pools of two kinds
    for (const { quoteId, minAmountOut } of quotes) {
      const body = { quoteId, originAddress: wallet, destinationAddress: wallet };
      const { status, body: transaction } = await rest('/v2/swap/bytecode', { body });
      expect([status, transaction.quoteId, transaction.chainId]).toEqual([200, quoteId, devnet.chainId]);
      expect(BigInt(minAmountOut)).toBeGreaterThan(0n);
    }
  });

  it('has the same best price as a single quote', async () => {
    const bestOfStream = async (): Promise<string> => {
      const stream = await open();
      const amounts = (await firstRound(stream)).flatMap(({ quote }) => quote?.expectedAmountOut ?? []).map(BigInt);
      stream.close();
      return amounts.reduce((one, other) => (one > other ? one : other)).toString();
    };
    const single = async (): Promise<string> =>
      (await rest(`/v2/swap/quote?${new URLSearchParams(trade).toString()}`)).body.quote.expectedAmountOut;
    // Other tests may trade on these pools at the same time. Then both requests are repeated.
    let [streamed, alone] = [await bestOfStream(), await single()];
    for (let attempt = 0; streamed !== alone && attempt < 5; attempt++) {
      [streamed, alone] = [await bestOfStream(), await single()];
    }
    expect(streamed).toBe(alone);
  });

  it('simulates nothing and creates no action when both addresses are given', async () => {
    const address = `0x${randomBytes(20).toString('hex')}`;
    const stream = await open({ originAddress: address, destinationAddress: address });
    const quotes = (await firstRound(stream)).flatMap(({ quote }) => quote ?? []);
    stream.close();
    expect(quotes.length).toBeGreaterThan(0);
    expect(quotes.map(({ simulation }) => simulation)).toEqual(quotes.map(() => null));
    const { status, body } = await rest(`/actions?walletAddress=${address}`);
    expect([status, body.pagination.total]).toEqual([200, 0]);
  });

  it('returns one error with every problem of the input, then ends', async () => {
    const events = await (await open({ tokenIn: 'nonsense', amountIn: '0' })).rest();
    expect(codesOf(events)).toEqual([
      ['next', 'VALIDATION_ERROR'],
      ['complete', undefined],
    ]);
    const paths = events[0]!.data.errors[0].extensions.details.errors.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['tokenIn', 'amountIn']));
  });

  it.each([
    ['no credential', {}, 'AUTHENTICATION_REQUIRED'],
    ['an access token', { authorization: `Bearer ${customerNamed(service, 'demo').bearer.admin}` }, 'INVALID_API_KEY'],
  ])('is refused for a caller with %s', async (_, headers, code) => {
    expect(codesOf(await (await open({}, headers)).rest())).toEqual([
      ['next', code],
      ['complete', undefined],
    ]);
  });

  it('counts against the rate limit when it is opened', async () => {
    const opened = async () => {
      const stream = await open();
      await stream.next();
      stream.close();
      const [remaining, reset] = ['x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) =>
        Number(stream.headers.get(name)),
      );
      return { remaining: remaining!, reset: reset! };
    };
    let [before, after] = [await opened(), await opened()];
    if (after.reset > before.reset) [before, after] = [await opened(), await opened()]; // a new minute has begun
    expect(after.remaining).toBeLessThan(before.remaining);
  });
});
