import { type Address, createWalletClient, encodeFunctionData, erc20Abi, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { asChain, rpcOf } from '../../test/contract/local-swaps';
import { minedReceipt } from '../../test/setup/mined-receipt';
import {
  chainNamed,
  snapshotOf,
  type TestUniverse,
  tokenNamed,
  universeOfTests,
} from '../../test/setup/universe-of-tests';
import { NATIVE_TOKEN } from '../chains/addresses';
import { contractRead } from './contract-read';
import { readHoldings } from './erc20';
import type { Rpc } from './rpc';
import { createTokenMetadataReader } from './token-metadata-reader';

let universe: TestUniverse;
let chain: ReturnType<typeof chainNamed>;
let rpc: Rpc;
beforeAll(async () => {
  universe = await universeOfTests();
  chain = chainNamed(universe, 'devnet');
  rpc = rpcOf(universe.chains);
});

const addressOf = (symbol: string): Address => tokenNamed(chain, symbol).address;
/** Has no tokens, unlike the recipients of other tests. */
const UNUSED = '0x000000000000000000000000000000000000b0b5';

describe('reads', () => {
  it('are of one block; a failed read does not affect the others', async () => {
    const balanceOf = (address: Address) =>
      contractRead({ address, abi: erc20Abi, functionName: 'balanceOf', args: [universe.accounts[2]!.address] });
    const results = await rpc.multicall(chain.chainId, [balanceOf(addressOf('USDC')), balanceOf(UNUSED)]);
    expect(results).toEqual([1_000_000_000_000n, undefined]);
  });

  it('can be of an earlier block', async () => {
    const goBack = await snapshotOf(chain);
    const blockNumber = await rpc.blockNumber(chain.chainId);
    const questions = [{ token: NATIVE_TOKEN, owner: UNUSED }];
    const [before] = await readHoldings({ rpc, chainId: chain.chainId }, questions);
    const account = privateKeyToAccount(universe.accounts[2]!.privateKey);
    const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) });
    const hash = await wallet.sendTransaction({ to: UNUSED, value: 5n, chain: null });
    await minedReceipt(rpc.client(chain.chainId), hash);
    const [after] = await readHoldings({ rpc, chainId: chain.chainId }, questions);
    const [then] = await readHoldings({ rpc, chainId: chain.chainId }, questions, { blockNumber });
    await goBack();
    expect(after!.balance! - before!.balance!).toBe(5n);
    expect(then).toEqual(before);
  });

  it('return balances and allowances of tokens and of the native coin', async () => {
    const [owner, spender] = [universe.accounts[2]!.address, UNUSED];
    const questions = [
      { token: addressOf('WETH'), owner, spender },
      { token: NATIVE_TOKEN, owner, spender },
      { token: UNUSED, owner },
    ];
    const [weth, coin, nothing] = await readHoldings({ rpc, chainId: chain.chainId }, questions);
    expect(weth).toEqual({ balance: 10n ** 21n, allowance: 0n });
    expect(coin!.balance).toBeGreaterThan(10n ** 20n);
    expect(coin!.allowance).toBeUndefined();
    expect(nothing).toEqual({ balance: undefined, allowance: undefined });
  });
});

describe('simulation', () => {
  const transfer = (value: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [UNUSED, value] });
  const transferFrom = (owner: Address, value: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [owner, UNUSED, value] });
  const approve = (value: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [UNUSED, value] });

  it('lets each call see the effects of those before it, and changes no state', async () => {
    const [token, owner] = [addressOf('USDC'), universe.accounts[3]!.address];
    const [approval, pull] = await rpc.simulate(chain.chainId, [
      { from: owner, to: token, data: approve(7n), value: 0n },
      { from: UNUSED, to: token, data: transferFrom(owner, 7n), value: 0n },
    ]);
    expect(approval).toMatchObject({ ok: true, revertReason: undefined });
    expect(pull).toMatchObject({ ok: true, returnData: `0x${'1'.padStart(64, '0')}` });
    expect(pull!.gasUsed).toBeGreaterThan(21_000n);
    const [holding] = await readHoldings({ rpc, chainId: chain.chainId }, [{ token, owner, spender: UNUSED }]);
    expect(holding!.allowance).toBe(0n);
  });

  it('explains why a call fails, and continues with the next', async () => {
    const [token, owner] = [addressOf('WETH'), universe.accounts[3]!.address];
    const calls = [10n ** 30n, 1n].map((value) => ({
      from: owner,
      to: token,
      data: transfer(value),
      value: 0n,
    }));
    const [tooMuch, fine] = await rpc.simulate(chain.chainId, calls);
    expect(tooMuch!.ok).toBe(false);
    expect(tooMuch!.revertReason).toMatch(/\w/);
    expect(fine!.ok).toBe(true);
  });

  it('applies state overrides', async () => {
    const calls = [{ from: UNUSED, to: universe.accounts[0]!.address, data: '0x', value: 10n ** 24n } as const];
    const stateOverrides = { [UNUSED]: { balance: 10n ** 25n } } as const;
    const [rich] = await rpc.simulate(chain.chainId, calls, { stateOverrides });
    expect(rich!.ok).toBe(true);
  });
});

describe('a served chain', () => {
  it('is healthy while its node has recent blocks', async () => {
    expect(await rpc.health(chain.chainId)).toMatchObject({ status: 'ok', blockNumber: expect.any(Number) as number });
  });

  it('reports the gas prices', async () => {
    const fees = await rpc.feeData(chain.chainId);
    expect(fees.expectedFeePerGas).toBeGreaterThan(0n);
    expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(fees.expectedFeePerGas);
  });

  it('has readable token metadata', async () => {
    const reader = createTokenMetadataReader({ rpc });
    const { symbol, name, decimals } = tokenNamed(chain, 'USDC');
    expect(await reader.read(chain.chainId, addressOf('USDC'))).toEqual({ symbol, name, decimals, flaws: [] });
    expect(await reader.read(chain.chainId, UNUSED)).toBeUndefined();
    expect(await reader.read(chain.chainId, asChain(chain).uniswapV2!.router)).toBeUndefined();
  });
});
