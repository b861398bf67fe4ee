import { encodeFunctionData, erc20Abi, getAddress, type Hex, parseAbi, parseUnits } from 'viem';
import { NATIVE_TOKEN } from '../../src/chains/addresses';
import { poolKey } from '../../src/pools/pool';
import { createPoolDirectory } from '../../src/pools/pool-directory';
import { localToken, rpcOf } from '../contract/local-swaps';
import { snapshotOf } from '../setup/universe-of-tests';
import { rejection } from './swap-world';
import { openTransferDesk, TRANSFER_RECIPIENT, type TransferDesk, transferProblem } from './transfer-desk';

/** Code of a token that reports a balance of 10^18 for every account and success for every call, and does nothing. */
const LYING_TOKEN: Hex = '0x5f3560e01c6370a082311460165760015f5260205ff35b670de0b6b3a76400005f5260205ff3';
const issuer = parseAbi(['function pause()', 'function blacklist(address account)']);

let desk: TransferDesk;
let revert: () => Promise<void>;
beforeAll(async () => {
  desk = await openTransferDesk();
});
afterAll(() => desk.world.drop());
beforeEach(async () => {
  revert = await snapshotOf(desk.devnet);
});
afterEach(() => revert());

const usdc = () => localToken(desk.devnet, 'USDC').address as Hex;

describe('a transfer that would fail is refused with a reason', () => {
  it('because the sender lacks a single base unit', async () => {
    const client = desk.rpc.client(desk.devnet.chainId);
    const { sender } = desk;
    const held = await client.readContract({
      address: usdc(),
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [sender],
    });
    await expect(desk.transferToken('USDC', held)).resolves.toBeDefined();
    expect(await transferProblem(desk.transferToken('USDC', held + 1n))).toEqual({
      kind: 'INSUFFICIENT_BALANCE',
      reason: expect.stringMatching(/holds .* USDC of .* needed$/),
    });
    const coin = await client.getBalance({ address: sender });
    expect(await transferProblem(desk.transferToken('ETH', coin + 1n))).toMatchObject({
      kind: 'INSUFFICIENT_BALANCE',
    });
    expect(await transferProblem(desk.transferToken('ETH', coin))).toEqual({
      kind: 'INSUFFICIENT_BALANCE',
      reason: expect.stringContaining('gas included'),
    });
  });

  it('because the token takes a fee', async () => {
    expect(await transferProblem(desk.transferToken('TOLL', parseUnits('100', 18)))).toEqual({
      kind: 'FEE_ON_TRANSFER',
      reason: expect.stringMatching(/the recipient would receive 99 TOLL of 100/),
    });
  });

  it('because the token is paused', async () => {
    await desk.callAsIssuer(encodeFunctionData({ abi: issuer, functionName: 'pause' }));
    expect(await transferProblem(desk.transferToken('RUSD', 5n))).toMatchObject({ kind: 'TOKEN_PAUSED' });
  });

  it.each([
    ['sender', () => desk.sender],
    ['recipient', () => TRANSFER_RECIPIENT],
  ] as const)('because the issuer of the token has blocked the %s', async (party, address) => {
    await desk.callAsIssuer(encodeFunctionData({ abi: issuer, functionName: 'blacklist', args: [address()] }));
    expect(await transferProblem(desk.transferToken('RUSD', 5n))).toEqual({
      kind: 'ADDRESS_BLOCKED',
      reason: expect.stringContaining(party),
    });
  });

  it('because the token transfers nothing but reports success', async () => {
    const token = getAddress(`0x${'11'.repeat(20)}`);
    await desk.setCode(token, LYING_TOKEN);
    expect(await transferProblem(desk.transfer({ token, amount: '5' }))).toMatchObject({ kind: 'NOT_TRANSFERRED' });
  });

  it('because the recipient is the token or the sender', async () => {
    const toToken = desk.transferToken('USDC', 5n, { destinationAddress: usdc() });
    expect(await transferProblem(toToken)).toMatchObject({ kind: 'RECIPIENT_IS_TOKEN' });
    const toSender = desk.transferToken('USDC', 5n, { destinationAddress: desk.sender });
    expect(await transferProblem(toSender)).toMatchObject({ kind: 'RECIPIENT_IS_SENDER' });
  });

  it('because the recipient is another contract, where the tokens are lost', async () => {
    const { uniswapV2, uniswapV3, tokens, chainId } = desk.devnet;
    const [weth, usdt] = ['WETH', 'USDT'].map((symbol) => tokens.find((token) => token.symbol === symbol)!.address);
    const [v2, v3] = await createPoolDirectory({ rpc: desk.rpc }).locate(chainId, [
      poolKey({ factory: uniswapV2.factory, fee: undefined }, weth as Hex, usdc()),
      poolKey({ factory: uniswapV3.factory, fee: 500 }, weth as Hex, usdc()),
    ]);
    for (const [destinationAddress, reason] of [
      [uniswapV3.router, 'the recipient is the router of Uniswap V3, where tokens are lost'],
      [usdt, 'the recipient is the contract of the token USDT, where tokens are lost'],
      [v2!.address, 'the recipient is a liquidity pool, where tokens are lost'],
      [v3!.address, 'the recipient is a liquidity pool, where tokens are lost'],
    ]) {
      const refused = await transferProblem(desk.transferToken('USDC', 5n, { destinationAddress }));
      expect(refused).toEqual({ kind: 'RECIPIENT_IS_NOT_A_WALLET', reason });
    }
    const marker = await rejection(desk.transferToken('USDC', 5n, { destinationAddress: NATIVE_TOKEN }));
    expect(marker).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ message: 'is the marker of the native coin, not a wallet' }] },
    });
  });

  it('and leaves no action behind', async () => {
    const count = () => desk.world.database.action.count();
    const before = await count();
    await transferProblem(desk.transferToken('TOLL', parseUnits('100', 18)));
    expect(await count()).toBe(before);
  });
});

describe('a transfer is refused', () => {
  it('to and from a blocked wallet', async () => {
    for (const blocked of [TRANSFER_RECIPIENT, desk.sender]) {
      const blockedAddresses = new Set([blocked.toLowerCase()]);
      const error = await rejection(desk.transfer({ token: usdc(), amount: '5' }, { blockedAddresses }));
      expect(error).toMatchObject({ code: 'FORBIDDEN' });
    }
  });

  it('on an unsupported chain, and for a token that does not exist', async () => {
    const elsewhere = await rejection(desk.transfer({ chainId: '8453', token: usdc(), amount: '5' }));
    expect(elsewhere).toMatchObject({ code: 'VALIDATION_ERROR', details: { errors: [{ path: 'chainId' }] } });
    const tokens = { find: () => Promise.resolve(undefined) };
    const unknown = await rejection(desk.transfer({ token: usdc(), amount: '5' }, { tokens }));
    expect(unknown).toMatchObject({ code: 'VALIDATION_ERROR', details: { errors: [{ path: 'token' }] } });
  });

  it('while its chain is unavailable, but not when the node cannot simulate', async () => {
    const unreachable = rpcOf(desk.universe.chains, { devnet: 'http://127.0.0.1:9' });
    const refused = await rejection(desk.transfer({ token: usdc(), amount: '5' }, { rpc: unreachable }));
    expect(refused).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    const withoutSimulation = { ...desk.rpc, simulate: unreachable.simulate };
    const { simulation, transactionData } = await desk.transfer(
      { token: usdc(), amount: '5' },
      { rpc: withoutSimulation },
    );
    expect([simulation.status, transactionData.length]).toEqual(['UNAVAILABLE', 1]);
  });
});
