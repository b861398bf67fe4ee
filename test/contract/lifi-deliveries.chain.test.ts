import { setTimeout as wait } from 'node:timers/promises';
import { type Address, type Hex, parseUnits, toHex } from 'viem';
import { type LifiEmulatorOptions, startLifiEmulator } from '../../devnet/emulators/lifi/start-lifi-emulator';
import type { HttpEmulator } from '../../devnet/emulators/http-emulator';
import type { DevnetChain } from '../../devnet/universe';
import { NATIVE_TOKEN } from '../../src/chains/addresses';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import type { BridgeProvider, DeliveryState, Shipment } from '../../src/quotes/delivery-source';
import { createLifiProvider } from '../../src/quotes/providers/lifi/lifi';
import { readHoldings } from '../../src/rpc/erc20';
import type { Rpc } from '../../src/rpc/rpc';
import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { localRequest, localToken, rpcOf, sendLocally } from './local-swaps';

describe('deliveries of LI.FI', () => {
  let universe: TestUniverse;
  let emulator: HttpEmulator;
  let http: HttpClient;
  let rpc: Rpc;
  let provider: BridgeProvider;
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

  const steer = (outcome: string) => http.post('/_control/transfers', { outcome }, AbortSignal.timeout(5000));
  let strangers = 0;
  /** An account that nothing has ever happened to. */
  const stranger = (): Address => {
    strangers += 1;
    return toHex(0x11f1_0000_0000n + BigInt(Date.now() % 1e6) * 1000n + BigInt(strangers), { size: 20 });
  };
  const ship = async (pair: readonly [string, string], amount: bigint, destination = there()): Promise<Shipment> => {
    const [sender, recipient] = [account().address, stranger()];
    const request = localRequest({ chain: here(), destination, pair, amount, sender, recipient });
    const quote = (await provider.quote(request, AbortSignal.timeout(5000)))!;
    const deadline = Math.floor(Date.now() / 1000) + 3600;
    const parameters = { request, quote, sender, recipient, deadline };
    const originTxHash = await sendLocally({ chain: here(), account: account(), provider }, parameters);
    const stored = { ...quote, execution: JSON.parse(JSON.stringify(quote.execution)) as unknown };
    return { actionId: 'any', request, quote: stored, sender, recipient, originTxHash, memory: undefined };
  };
  const look = (shipment: Shipment): Promise<DeliveryState> =>
    provider.deliveries.follow(shipment, AbortSignal.timeout(5000));
  const followUntil = async (shipment: Shipment, status: DeliveryState['status']): Promise<DeliveryState> => {
    const seen = new Set<string>();
    const givenUp = Date.now() + 20_000;
    let memory: unknown;
    while (Date.now() < givenUp) {
      const state = await look({ ...shipment, memory });
      if (state.status === status) return state;
      seen.add(state.status);
      memory = state.memory;
      await wait(50);
    }
    throw new Error(`it was never ${status}, but ${[...seen].join()}`);
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
  ])('tell when %s arrived as %s, and how much', async (sold, bought, amount) => {
    await steer('COMPLETED');
    const shipment = await ship([sold, bought], amount);
    const state = await followUntil(shipment, 'delivered');
    const { expectedAmountOut } = shipment.quote;
    expect(state).toMatchObject({ amount: expectedAmountOut, partial: false });
    expect(await balance(there(), bought, shipment.recipient)).toBe(expectedAmountOut);
    expect(await receiptOf(there(), (state as { txHash: string }).txHash)).toMatchObject({ status: 'success' });
  });

  it.each([
    ['USDC', 'USDT', parseUnits('60', 6)],
    ['ETH', 'WETH', parseUnits('0.03', 18)],
  ])('tell when something else arrived for %s: %s', async (symbol, arrived, amount) => {
    await steer('PARTIAL');
    const shipment = await ship([symbol, symbol], amount);
    const state = await followUntil(shipment, 'delivered');
    expect(state).toMatchObject({ amount: undefined, partial: true });
    expect(await balance(there(), symbol, shipment.recipient)).toBe(0n);
    expect(await balance(there(), arrived, shipment.recipient)).toBeGreaterThan(0n);
  });

  it('tell of a refund while it is made, and where it is', async () => {
    await steer('REFUNDED');
    const shipment = await ship(['USDC', 'USDC'], parseUnits('70', 6));
    const before = await balance(here(), 'USDC', account().address);
    const state = await followUntil(shipment, 'refunded');
    const { chainId, amount, txHash } = state as Extract<DeliveryState, { status: 'refunded' }>;
    expect(chainId).toBe(here().chainId);
    expect((await balance(here(), 'USDC', account().address)) - before).toBe(amount);
    expect(amount).toBeGreaterThan(parseUnits('69', 6));
    expect(await balance(there(), 'USDC', shipment.recipient)).toBe(0n);
    expect(await receiptOf(here(), txHash!)).toMatchObject({ status: 'success' });
  });

  it('tell of a failure', async () => {
    await steer('FAILED');
    const shipment = await ship(['USDC', 'USDC'], parseUnits('71', 6));
    expect(await followUntil(shipment, 'failed')).toMatchObject({ reason: expect.stringContaining('failed') });
    expect(await balance(there(), 'USDC', shipment.recipient)).toBe(0n);
  });

  it('wait for as long as nothing happens, over a restart of the bridge too, and are paid once', async () => {
    await steer('HANG');
    const shipment = await ship(['USDC', 'USDC'], parseUnits('72', 6));
    expect(await look(shipment)).toEqual({ status: 'inFlight', waitingFor: 'DESTINATION' });
    await wait(500);
    expect(await look(shipment)).toMatchObject({ status: 'inFlight' });
    const { port } = new URL(emulator.url);
    await emulator.stop();
    await expect(look(shipment)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    emulator = await start({ port: Number.parseInt(port, 10) });
    const second = await start();
    await followUntil(shipment, 'delivered');
    await wait(500);
    await second.stop();
    expect(await balance(there(), 'USDC', shipment.recipient)).toBe(shipment.quote.expectedAmountOut);
  });

  it('know nothing of a transaction that is none of theirs', async () => {
    await steer('COMPLETED');
    const shipment = await ship(['USDC', 'USDC'], parseUnits('73', 6));
    const strange = { ...shipment, originTxHash: toHex(7, { size: 32 }) };
    expect(await look(strange)).toMatchObject({ status: 'inFlight', waitingFor: 'CONFIRMATIONS' });
    const elsewhere = { ...shipment, quote: { ...shipment.quote, execution: { tool: 'stargateV2' } } };
    expect(await look(elsewhere)).toMatchObject({ status: 'inFlight', waitingFor: 'CONFIRMATIONS' });
  });

  it('tell of a swap within one chain too', async () => {
    const shipment = await ship(['USDC', 'WETH'], parseUnits('90', 6), here());
    const state = await followUntil(shipment, 'delivered');
    const { expectedAmountOut: amount } = shipment.quote;
    expect(state).toEqual({ status: 'delivered', txHash: shipment.originTxHash, amount, partial: false });
  });
});
