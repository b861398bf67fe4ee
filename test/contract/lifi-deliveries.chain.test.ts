import { setTimeout as wait } from 'node:timers/promises';
import { type Address, type Hex, parseUnits, toHex } from 'viem';
import { type LifiEmulatorOptions, startLifiEmulator } from '../../devnet/emulators/lifi/start-lifi-emulator';
import type { HttpEmulator } from '../../devnet/emulators/http-emulator';
import type { DevnetChain } from '../../devnet/universe';
import { NATIVE_TOKEN } from '../../src/chains/addresses';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import type { DeliveryState, BridgeTransfer } from '../../src/venues/delivery-source';
import type { DeliveryProvider } from '../../src/venues/delivery-provider';
import { createLifiProvider } from '../../src/venues/providers/lifi/lifi';
import { readHoldings } from '../../src/rpc/erc20';
import type { Rpc } from '../../src/rpc/rpc';
import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { localRequest, localToken, rpcOf, sendLocally } from './local-swaps';

describe('deliveries of LI.FI', () => {
  let universe: TestUniverse;
  let emulator: HttpEmulator;
  let http: HttpClient;
  let rpc: Rpc;
  let provider: DeliveryProvider;
  const here = () => chainNamed(universe, 'devnet');
  const there = () => chainNamed(universe, 'devnet-l2');
  const account = () => universe.accounts[6]!;
  const start = (options: Partial<LifiEmulatorOptions> = {}) =>
    startLifiEmulator({ chains: universe.chains, delayMs: 0, ...options });

  beforeAll(async () => {
    universe = await universeOfTests();
    rpc = rpcOf(universe.chains);
    emulator = await start();
    http = createHttpClient({ baseUrl: emulator.url });
    provider = createLifiProvider({ http, rpc });
  });
  afterAll(async () => {
    await http.close();
    await emulator.stop();
  });

  const steer = (outcome: string) => http.post('/_control/transfers', { outcome }, AbortSignal.timeout(60_000));
  let unusedCount = 0;
  /** An unused account. */
  const unusedAccount = (): Address => {
    unusedCount += 1;
    return toHex(0x11f1_0000_0000n + BigInt(Date.now() % 1e6) * 1000n + BigInt(unusedCount), { size: 20 });
  };
  const sendTransfer = async (
    pair: readonly [string, string],
    amount: bigint,
    destination = there(),
  ): Promise<BridgeTransfer> => {
    const [sender, recipient] = [account().address, unusedAccount()];
    const request = localRequest({ chain: here(), destination, pair, amount, sender, recipient });
    const quote = (await provider.quote(request, AbortSignal.timeout(60_000)))!;
    const deadline = Math.floor(Date.now() / 1000) + 3600;
    const parameters = { request, quote, sender, recipient, deadline };
    const originTxHash = await sendLocally({ chain: here(), account: account(), provider }, parameters);
    const stored = { ...quote, execution: JSON.parse(JSON.stringify(quote.execution)) as unknown };
    return { actionId: 'any', request, quote: stored, sender, recipient, originTxHash, checkpoint: undefined };
  };
  const poll = (transfer: BridgeTransfer): Promise<DeliveryState> =>
    provider.deliveries.follow(transfer, AbortSignal.timeout(60_000));
  const followUntil = async (
    transfer: BridgeTransfer,
    expected: Pick<DeliveryState, 'status'> & { readonly waitingFor?: string },
  ): Promise<DeliveryState> => {
    const seen = new Set<string>();
    const end = Date.now() + 20_000;
    let checkpoint: unknown;
    while (Date.now() < end) {
      const state = await poll({ ...transfer, checkpoint });
      if (Object.entries(expected).every(([name, value]) => state[name as keyof DeliveryState] === value)) return state;
      seen.add(state.status);
      checkpoint = state.checkpoint;
      await wait(50);
    }
    throw new Error(`it was never ${JSON.stringify(expected)}, but ${[...seen].join()}`);
  };
  const balance = async (chain: DevnetChain, symbol: string, owner: string): Promise<bigint> => {
    const token = symbol === 'ETH' ? NATIVE_TOKEN : localToken(chain, symbol).address;
    const [holding] = await readHoldings({ rpc, chainId: chain.chainId }, [{ token, owner }]);
    return holding!.balance!;
  };
  const receiptOf = (chain: DevnetChain, txHash: string) =>
    rpc.client(chain.chainId).getTransactionReceipt({ hash: txHash as Hex });

  it.each([
    ['USDC', 'USDC', parseUnits('55', 6)],
    ['WETH', 'ETH', parseUnits('0.02', 18)],
    ['DAI', 'USDT', parseUnits('80', 18)],
  ])('report the amount when %s arrived as %s', async (sold, bought, amount) => {
    await steer('COMPLETED');
    const transfer = await sendTransfer([sold, bought], amount);
    const state = await followUntil(transfer, { status: 'delivered' });
    const { expectedAmountOut } = transfer.quote;
    expect(state).toMatchObject({ amount: expectedAmountOut, partial: false });
    expect(await balance(there(), bought, transfer.recipient)).toBe(expectedAmountOut);
    expect(await receiptOf(there(), (state as { txHash: string }).txHash)).toMatchObject({ status: 'success' });
  });

  it.each([
    ['USDC', 'USDT', parseUnits('60', 6)],
    ['ETH', 'WETH', parseUnits('0.03', 18)],
  ])('report another token that arrived for %s: %s', async (symbol, arrived, amount) => {
    await steer('PARTIAL');
    const transfer = await sendTransfer([symbol, symbol], amount);
    const state = await followUntil(transfer, { status: 'delivered' });
    expect(state).toMatchObject({ amount: undefined, partial: true });
    expect(await balance(there(), symbol, transfer.recipient)).toBe(0n);
    expect(await balance(there(), arrived, transfer.recipient)).toBeGreaterThan(0n);
  });

  it('report a refund with its chain, amount and transaction', async () => {
    await steer('HANG');
    const transfer = await sendTransfer(['USDC', 'USDC'], parseUnits('70', 6));
    const before = await balance(here(), 'USDC', account().address);
    await steer('REFUNDED');
    const state = await followUntil(transfer, { status: 'refunded' });
    const { chainId, amount, txHash } = state as Extract<DeliveryState, { status: 'refunded' }>;
    expect(chainId).toBe(here().chainId);
    expect((await balance(here(), 'USDC', account().address)) - before).toBe(amount);
    expect(amount).toBeGreaterThan(parseUnits('69', 6));
    expect(await balance(there(), 'USDC', transfer.recipient)).toBe(0n);
    expect(await receiptOf(here(), txHash!)).toMatchObject({ status: 'success' });
  });

  it('report a failure', async () => {
    await steer('FAILED');
    const transfer = await sendTransfer(['USDC', 'USDC'], parseUnits('71', 6));
    expect(await followUntil(transfer, { status: 'failed' })).toMatchObject({
      reason: expect.stringContaining('failed'),
    });
    expect(await balance(there(), 'USDC', transfer.recipient)).toBe(0n);
  });

  it('wait for a fill, also over a restart of the bridge, and are filled once', async () => {
    await steer('HANG');
    const transfer = await sendTransfer(['USDC', 'USDC'], parseUnits('72', 6));
    await followUntil(transfer, { status: 'inFlight', waitingFor: 'DESTINATION' }); // at first it may be unknown
    await wait(500);
    expect(await poll(transfer)).toMatchObject({ status: 'inFlight' });
    const { port } = new URL(emulator.url);
    await emulator.stop();
    await expect(poll(transfer)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    emulator = await start({ port: Number.parseInt(port, 10) });
    const second = await start();
    await followUntil(transfer, { status: 'delivered' });
    await wait(500);
    await second.stop();
    expect(await balance(there(), 'USDC', transfer.recipient)).toBe(transfer.quote.expectedAmountOut);
  });

  it('stay pending for an unknown transaction and for another tool', async () => {
    await steer('COMPLETED');
    const transfer = await sendTransfer(['USDC', 'USDC'], parseUnits('73', 6));
    const unknown = { ...transfer, originTxHash: toHex(7, { size: 32 }) };
    expect(await poll(unknown)).toMatchObject({ status: 'inFlight', waitingFor: 'CONFIRMATIONS' });
    const otherTool = { ...transfer, quote: { ...transfer.quote, execution: { tool: 'stargateV2' } } };
    expect(await poll(otherTool)).toMatchObject({ status: 'inFlight', waitingFor: 'CONFIRMATIONS' });
  });

  it('report a swap within one chain', async () => {
    const transfer = await sendTransfer(['USDC', 'WETH'], parseUnits('90', 6), here());
    const state = await followUntil(transfer, { status: 'delivered' });
    const { expectedAmountOut: amount } = transfer.quote;
    expect(state).toEqual({ status: 'delivered', txHash: transfer.originTxHash, amount, partial: false });
  });
});
