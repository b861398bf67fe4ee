import { encodeFunctionData, erc20Abi, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { newCustomer } from '../../../test/actions/sample-action';
import { asChain, rpcOf } from '../../../test/contract/local-swaps';
import { tokenBalanceDeps } from '../../../test/portfolio/token-balance-deps';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { chainNamed, type TestUniverse, tokenNamed, universeOfTests } from '../../../test/setup/universe-of-tests';
import { usdPrice } from '../../../test/setup/usd';
import { sendCall, walletOn } from '../../../test/smart-accounts/local-operations';
import type { CustomerId } from '../../auth/principal';
import { createChainTable } from '../../chains/chain-table';
import { formatUsd } from '../../money/usd';
import type { TokenPriceReader } from '../../prices/token-price';
import { createHoldingsReader, type HoldingsDeps } from './read-holdings';

let test: TestDatabase;
let universe: TestUniverse;
let usdc: { readonly address: string };
beforeAll(async () => {
  [test, universe] = await Promise.all([createTestDatabase(), universeOfTests()]);
  usdc = tokenNamed(chainNamed(universe, 'devnet'), 'USDC');
});
afterAll(() => test.drop());

const { signal } = new AbortController();
const observed = {
  source: 'test',
  asOf: new Date(),
  confidenceBps: 10_000,
  kind: 'spot',
  flags: [],
  isConfirmed: true,
} as const;
/** Every USDC is worth two dollars; other tokens have no price. */
const tokenPrices: TokenPriceReader = {
  read: (tokens) =>
    Promise.resolve(
      tokens.map(({ symbol }) =>
        symbol === 'USDC' ? { price: { usdE24: usdPrice('2'), ...observed } } : { missing: 'NO_SOURCE' as const },
      ),
    ),
};

function depsOf(changes: { readonly down?: string; readonly blocked?: string } = {}): HoldingsDeps {
  const reached = universe.chains.map((chain) =>
    chain.slug === changes.down ? { ...chain, rpcUrl: 'http://127.0.0.1:1' } : chain,
  );
  const chains = createChainTable(universe.chains.map(asChain));
  const balances = tokenBalanceDeps(test, { chains, rpc: rpcOf(reached) });
  return { balances, tokenPrices, blockedAddresses: new Set(changes.blocked === undefined ? [] : [changes.blocked]) };
}

async function newWallet(customerId: CustomerId, amount: bigint): Promise<Address> {
  const address = privateKeyToAddress(generatePrivateKey());
  await test.database.customerWallet.create({ data: { customerId, address } });
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [address, amount] });
  await sendCall(walletOn(chainNamed(universe, 'devnet'), universe.accounts[6]!), {
    to: usdc.address as Address,
    data,
  });
  return address;
}

const heldIn = async (customerId: CustomerId, deps = depsOf()) => createHoldingsReader(deps)(customerId, signal);

describe('the holdings of a customer', () => {
  it('add up its wallets, with their value, before the listed tokens that it may trade', async () => {
    const customerId = newCustomer();
    const [small, large] = [await newWallet(customerId, 1_000_000n), await newWallet(customerId, 2_500_000n)];
    await newWallet(newCustomer(), 9_000_000n);
    const { tokens, isComplete, unavailableChains } = await heldIn(customerId);
    const [first, second] = tokens;
    expect(first).toMatchObject({
      token: { symbol: 'USDC', chainId: 31337, decimals: 6 },
      totalAmount: 3_500_000n,
      wallets: [
        { address: large, amount: 2_500_000n },
        { address: small, amount: 1_000_000n },
      ],
    });
    expect(formatUsd(first!.totalUsd!)).toBe('7');
    expect(second).toMatchObject({ totalAmount: 0n, wallets: [] });
    expect(tokens.filter(({ token }) => token.symbol === 'USDC' && token.chainId === 31337)).toHaveLength(1);
    expect([isComplete, unavailableChains]).toEqual([true, []]);
  });

  it('name a chain that cannot be read, and leave the others intact', async () => {
    const customerId = newCustomer();
    await newWallet(customerId, 1_000_000n);
    const { tokens, isComplete, unavailableChains } = await heldIn(customerId, depsOf({ down: 'devnet-l2' }));
    expect(tokens[0]).toMatchObject({ totalAmount: 1_000_000n });
    expect([isComplete, unavailableChains]).toEqual([false, ['devnet-l2']]);
  });

  it('leave out blocked wallets', async () => {
    const customerId = newCustomer();
    const blocked = await newWallet(customerId, 1_000_000n);
    const { tokens } = await heldIn(customerId, depsOf({ blocked: blocked.toLowerCase() }));
    expect(tokens.every(({ totalAmount }) => totalAmount === 0n)).toBe(true);
  });

  it('are read once for concurrent requests and for the pages of one list', async () => {
    const customerId = newCustomer();
    const deps = depsOf();
    const read = jest.spyOn(deps.tokenPrices, 'read');
    const reader = createHoldingsReader(deps);
    const [one, other] = await Promise.all([reader(customerId, signal), reader(customerId, signal)]);
    expect(await reader(customerId, signal)).toBe(one);
    expect(other).toBe(one);
    expect(read).toHaveBeenCalledTimes(1);
    read.mockRestore();
  });
});
