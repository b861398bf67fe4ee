import { encodeFunctionResult, type Hex, multicall3Abi, numberToHex, pad, type PublicClient } from 'viem';
import { newCustomer } from '../../../test/actions/sample-action';
import { KNOWN_CHAINS } from '../../chains/known-chains';
import type { Rpc } from '../../rpc/rpc';
import { createProviderGuards } from '../../venues/provider-guards';
import type { TokenBalanceDeps } from './balance-deps';
import { createOptionalCallCapacity } from './chain-calls';
import { createLastHoldings } from './last-holdings';
import { readChainHoldings } from './read-chain-holdings';

const chain = { ...KNOWN_CHAINS[0]!, tokens: [] };
const [WALLET, HOG] = ['0x00000000000000000000000000000000000A11cE', '0x000000000000000000000000000000000000000A'];
const word = (value: number): Hex => pad(numberToHex(value), { size: 32 });
const never = () => new Promise<never>(() => undefined);

/** A chain whose node executes the first call of a request, and leaves all others without a response. */
function chainOf(change: Partial<Pick<TokenBalanceDeps, 'brokenTokens'>> = {}) {
  const requests: string[] = [];
  const client = {
    request: ({ params: [, block] }: { params: [unknown, string] }) => {
      requests.push(block);
      if (block !== 'latest') return never();
      const result = [word(100), word(1_700_000_000), word(7)].map((returnData) => ({ success: true, returnData }));
      return Promise.resolve(encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result }));
    },
  } as unknown as PublicClient;
  const rpc: Pick<Rpc, 'serves' | 'request'> = { serves: () => true, request: (_, run) => run(client) };
  const brokenTokens = { quarantined: () => Promise.resolve(new Set<string>()), strike: () => Promise.resolve() };
  const deps = {
    rpc,
    brokenTokens,
    lastHoldings: createLastHoldings(),
    guards: createProviderGuards(),
    optionalCalls: createOptionalCallCapacity(),
    lateChains: new Set(),
    chainTimeoutMs: 60,
    log: { error: () => undefined },
    ...change,
  };
  return { requests, deps: deps as unknown as TokenBalanceDeps };
}

const read = async (deps: TokenBalanceDeps, tokens: readonly string[]) => {
  const wallets = [{ address: WALLET, tokens }];
  const { signal } = new AbortController();
  return (await readChainHoldings(deps, { customerId: newCustomer(), chain, wallets, signal })).get(WALLET)!;
};

describe('reading the balances of a chain', () => {
  it('keeps what the chain itself returned when a pinned contract takes all of the time, and does not refuse the chain', async () => {
    const { deps, requests } = chainOf();
    for (let attempt = 0; attempt < 7; attempt++) {
      const { holdings, error } = await read(deps, [HOG]);
      expect(error).toBeUndefined();
      expect(holdings!.block.number).toBe(100n);
      expect(holdings!.holdings).toMatchObject([
        { isNative: true, amount: 7n },
        { token: HOG, amount: undefined, problem: 'NOT_READ' },
      ]);
    }
    expect(requests.filter((block) => block === 'latest')).toHaveLength(7);
  });

  it('does not depend on the database', async () => {
    const { deps } = chainOf({ brokenTokens: { quarantined: never, strike: never } });
    for (let attempt = 0; attempt < 6; attempt++) {
      expect(await read(deps, [])).toMatchObject({ error: undefined, holdings: { holdings: [{ amount: 7n }] } });
    }
  });
});
