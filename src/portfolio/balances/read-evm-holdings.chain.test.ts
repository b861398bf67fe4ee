import { type Address, getAddress, pad } from 'viem';
import { type ContractName, placeContract } from '../../../test/contract/broken-tokens';
import { asChain, rpcOf } from '../../../test/contract/local-swaps';
import {
  chainNamed,
  haltBlocks,
  snapshotOf,
  type TestUniverse,
  tokenNamed,
  universeOfTests,
} from '../../../test/setup/universe-of-tests';
import { NATIVE_TOKEN } from '../../chains/addresses';
import { MAX_BASE_UNITS } from '../../money/base-units';
import type { Rpc } from '../../rpc/rpc';
import type { ChainCalls } from './chain-calls';
import type { Holding, WalletTokenRequest } from './holding';
import { readEvmHoldings } from './read-evm-holdings';

let universe: TestUniverse;
let chain: ReturnType<typeof chainNamed>;
let rpc: Rpc;
let requests: jest.SpyInstance;
beforeAll(async () => {
  universe = await universeOfTests();
  chain = chainNamed(universe, 'devnet');
  // Balances of a block that is not the latest one any more would be read again.
  await haltBlocks(chain);
  rpc = rpcOf(universe.chains);
  requests = jest.spyOn(rpc.client(chain.chainId), 'request');
});

const { signal } = new AbortController();
/** Calls without guards and time limit. */
const calls: ChainCalls = { required: (run) => run(signal), optional: (run) => run(signal) };
const read = async (wallets: readonly WalletTokenRequest[], quarantined?: ReadonlySet<string>) => {
  requests.mockClear();
  return readEvmHoldings({ rpc, chain: asChain(chain), calls }, { wallets, quarantined });
};
const usdc = (): Address => tokenNamed(chain, 'USDC').address;
const place = (name: ContractName, number?: number) => placeContract(chain, name, number);
const found = (holdings: readonly Holding[] | undefined, token: string) =>
  holdings?.find((holding) => holding.token === token);

describe('balances on an EVM chain', () => {
  it('of several wallets are of one block, read in one call', async () => {
    const goBack = await snapshotOf(chain);
    const wallets = universe.accounts.slice(2, 5).map(({ address }) => ({
      address,
      tokens: [usdc(), tokenNamed(chain, 'WETH').address],
    }));
    const { byWallet, broken } = await read(wallets);
    expect(broken).toEqual([]);
    expect(requests).toHaveBeenCalledTimes(1);
    const client = rpc.client(chain.chainId);
    for (const { address } of wallets) {
      const { block, holdings, isTruncated } = byWallet.get(address)!;
      expect(isTruncated).toBe(false);
      const { timestamp } = await client.getBlock({ blockNumber: block.number });
      expect(timestamp).toBe(block.timestamp);
      const ether = await client.getBalance({ address, blockNumber: block.number });
      expect(found(holdings, NATIVE_TOKEN)).toMatchObject({ amount: ether, isNative: true });
      expect(found(holdings, usdc())).toMatchObject({ amount: 1_000_000_000_000n, problem: undefined });
    }
    await goBack();
  });

  it.each([
    ['reverts', undefined, 'REVERTED', false],
    ['revertsWithReason', undefined, 'REVERTED', false],
    ['usesAllGas', undefined, 'REVERTED', true],
    ['returnsOneByte', undefined, 'INVALID_DATA', false],
    ['returns33Bytes', undefined, 'INVALID_DATA', false],
    ['returnsMaximum', MAX_BASE_UNITS, undefined, false],
    ['returns8Kilobytes', undefined, 'INVALID_DATA', true],
    // It has no gas for so much memory.
    ['returnsOneMegabyte', undefined, 'REVERTED', true],
  ] as const)('of a token that %s do not change the others', async (...expected) => {
    const [name, amount, problem, isBroken] = expected;
    const token = await place(name);
    const listed = chain.tokens.map(({ address }) => address);
    const { address } = universe.accounts[2]!;
    const alone = await read([{ address, tokens: listed }]);
    const { byWallet, broken } = await read([{ address, tokens: [listed[0]!, token, ...listed.slice(1)] }]);
    const { holdings } = byWallet.get(address)!;
    expect(found(holdings, token)).toMatchObject({ amount, problem });
    expect(broken).toEqual(isBroken ? [token] : []);
    const others = holdings.filter((holding) => holding.token !== token && !holding.isNative);
    expect(others).toEqual(alone.byWallet.get(address)!.holdings.filter(({ isNative }) => !isNative));
  });

  it('find all of several tokens that use up the gas among hundreds of reads', async () => {
    const hogs = await Promise.all([1, 2, 3].map((number) => place('usesAllGas', number)));
    const megabytes = await Promise.all([1, 2].map((number) => place('returnsOneMegabyte', number)));
    const empty = Array.from({ length: 300 }, (_, index) =>
      getAddress(pad(`0x${(0xe000 + index).toString(16)}`, { size: 20 })),
    );
    const tokens = [usdc(), ...empty.slice(0, 100), ...hogs, ...empty.slice(100), ...megabytes];
    const { address } = universe.accounts[2]!;
    const { byWallet, broken } = await read([{ address, tokens }]);
    const { holdings } = byWallet.get(address)!;
    expect(found(holdings, usdc())).toMatchObject({ amount: 1_000_000_000_000n });
    expect(new Set(broken)).toEqual(new Set([...hogs, ...megabytes]));
    for (const token of empty) expect(found(holdings, token)).toMatchObject({ problem: 'INVALID_DATA' });
    expect(requests.mock.calls.length).toBeLessThanOrEqual(70);
  });

  it('of a token in quarantine are not read', async () => {
    const hog = await place('usesAllGas');
    const { address } = universe.accounts[2]!;
    const { byWallet, broken } = await read([{ address, tokens: [usdc(), hog] }], new Set([hog]));
    expect(broken).toEqual([]);
    expect(requests).toHaveBeenCalledTimes(1);
    expect(found(byWallet.get(address)?.holdings, hog)).toMatchObject({ amount: undefined, problem: 'QUARANTINED' });
    expect(found(byWallet.get(address)?.holdings, usdc())).toMatchObject({ amount: 1_000_000_000_000n });
  });

  it('of more tokens than one request reads are truncated, the least important ones', async () => {
    const { address } = universe.accounts[2]!;
    const empty = Array.from({ length: 2100 }, (_, index) =>
      getAddress(pad(`0x${(0xf000 + index).toString(16)}`, { size: 20 })),
    );
    const { byWallet } = await read([{ address, tokens: [usdc(), ...empty] }]);
    const { holdings, isTruncated } = byWallet.get(address)!;
    expect([holdings.length, isTruncated]).toEqual([2001, true]);
    expect(found(holdings, usdc())).toMatchObject({ amount: 1_000_000_000_000n });
  });
});
