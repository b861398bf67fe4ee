import { type Address, createPublicClient, createWalletClient, erc20Abi, http, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type BitcoinEmulator, startBitcoinEmulator } from '../../devnet/emulators/bitcoin/start-bitcoin-emulator';
import type { Chain } from '../../src/chains/chain';
import { createChainTable } from '../../src/chains/chain-table';
import { parseBitcoinAddress } from '../../src/chains/bitcoin-address';
import { createHttpClient } from '../../src/http/http-client';
import { toBaseUnits } from '../../src/money/base-units';
import { parseSlippage } from '../../src/money/slippage';
import type { DeliveryState, BridgeTransfer } from '../../src/venues/delivery-source';
import { findDeposit } from '../../src/venues/providers/relay-bitcoin/relay-deliveries';
import { createRelayProvider } from '../../src/venues/providers/relay-bitcoin/relay';
import type { BuildParameters, DepositRequest, QuoteRequest } from '../../src/venues/quote-provider';
import { type BitcoinRpc, createBitcoinRpc } from '../../src/rpc/bitcoin/bitcoin-rpc';
import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { NO_TIMEOUT_MS, startFaultyUpstream } from './faulty-upstream';
import { asChain, localToken } from './local-swaps';
import { describeQuoteProvider } from './quote-provider';

const SENDER = 'bcrt1q6rhpng9evdsfnn833a4f4vej0asu6dk5srld6x';
const PAYER_KEY = '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba';
const bitcoinLocal: Chain = {
  slug: 'bitcoin-local',
  chainId: 20_000_000_000_002,
  kind: 'bitcoin',
  name: 'Bitcoin Local',
  nativeCurrency: { name: 'Bitcoin', symbol: 'BTC', decimals: 8 },
  explorer: undefined,
  confirmations: 1,
  wrappedNative: undefined,
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
  tokens: [],
};
const BTC = {
  chainId: bitcoinLocal.chainId,
  address: 'BTC',
  symbol: 'BTC',
  name: 'Bitcoin',
  decimals: 8,
  logoURI: undefined,
};

let universe: TestUniverse;
let emulator: BitcoinEmulator;
let bitcoin: BitcoinRpc;
beforeAll(async () => {
  universe = await universeOfTests();
  const devnet = chainNamed(universe, 'devnet');
  const { chainId, rpcUrl, tokens } = devnet;
  const chains = [{ chainId, rpcUrl, tokens }];
  const prices = { BTC: 90_000, ETH: 3000, WETH: 3000, USDC: 1 };
  emulator = await startBitcoinEmulator({ chains, prices, payerKey: PAYER_KEY, blockTimeMs: 300 });
  const table = createChainTable([bitcoinLocal, asChain(devnet)]);
  bitcoin = createBitcoinRpc({ table, rpcUrls: new Map([[bitcoinLocal.chainId, emulator.esploraUrl]]) });
  const account = privateKeyToAccount(universe.accounts[8]!.privateKey);
  const wallet = createWalletClient({ account, transport: http(rpcUrl) });
  const payer = privateKeyToAccount(PAYER_KEY).address;
  const reader = createPublicClient({ transport: http(rpcUrl), pollingInterval: 20 });
  const usdc = localToken(devnet, 'USDC').address as Address;
  const args = [payer, 500_000n * 10n ** 6n] as const;
  for (const hash of [
    await wallet.sendTransaction({ to: payer, value: parseEther('50'), chain: null }),
    await wallet.writeContract({ address: usdc, abi: erc20Abi, functionName: 'transfer', args, chain: null }),
  ]) {
    await reader.waitForTransactionReceipt({ hash });
  }
});
afterAll(async () => {
  await bitcoin.close();
  await emulator.stop();
});
afterEach(() => control('bitcoin', { mode: 'normal' }));

const signal = () => AbortSignal.timeout(10_000);
const control = async (target: string, body: object): Promise<{ txid?: string }> => {
  const response = await fetch(`${emulator.relayUrl}/_control/${target}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  return response.status === 200 ? ((await response.json()) as { txid: string }) : {};
};
const serves = { serves: (chainId: number) => chainId === 31_337 };
const providerAt = (baseUrl: string) => {
  const client = createHttpClient({ baseUrl, timeoutMs: NO_TIMEOUT_MS });
  return { client, provider: createRelayProvider({ http: client, bitcoin, rpc: serves }) };
};

function requestFor(symbol: string, amount: bigint): QuoteRequest {
  const devnet = chainNamed(universe, 'devnet');
  return {
    origin: bitcoinLocal,
    destination: asChain(devnet),
    tokenIn: BTC,
    tokenOut: localToken(devnet, symbol),
    side: 'in',
    amount: toBaseUnits(amount),
    slippage: parseSlippage('0.005')!,
    originAddress: SENDER,
    destinationAddress: universe.accounts[3]!.address,
  };
}

async function balanceOf({ tokenOut, destinationAddress }: QuoteRequest): Promise<bigint> {
  const reader = createPublicClient({ transport: http(chainNamed(universe, 'devnet').rpcUrl) });
  const owner = destinationAddress as Address;
  if (tokenOut.symbol === 'ETH') return reader.getBalance({ address: owner });
  return reader.readContract({
    address: tokenOut.address as Address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner],
  });
}

async function opened(request: QuoteRequest) {
  const { provider, client } = providerAt(emulator.relayUrl);
  const quote = (await provider.quote(request, signal()))!;
  const parties = { sender: SENDER, recipient: request.destinationAddress! };
  const parameters: BuildParameters = { request, quote, ...parties, deadline: Math.floor(Date.now() / 1000) + 300 };
  const deposit = (await provider.build(parameters, signal())) as DepositRequest;
  const transfer: BridgeTransfer = {
    actionId: '',
    request,
    quote,
    ...parties,
    originTxHash: undefined,
    checkpoint: undefined,
    deposit: { address: deposit.address, reference: deposit.reference },
  };
  return { provider, client, quote, deposit, transfer };
}

async function followUntil(
  { provider, transfer }: Pick<Awaited<ReturnType<typeof opened>>, 'provider' | 'transfer'>,
  isEnd: (state: DeliveryState) => boolean,
): Promise<DeliveryState> {
  for (let poll = 0; poll < 200; poll++) {
    const state = await provider.deliveries.follow(transfer, signal());
    if (isEnd(state)) return state;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the transfer did not end');
}

const isOver = ({ status }: DeliveryState): boolean =>
  status === 'delivered' || status === 'refunded' || status === 'failed';

describeQuoteProvider('relay', async () => {
  const upstream = await startFaultyUpstream(emulator.relayUrl);
  const { client, provider } = providerAt(upstream.url);
  const served = requestFor('USDC', 2_000_000n);
  return {
    provider,
    upstream,
    served: [served, requestFor('ETH', 1_000_000n)],
    unroutable: [requestFor('TOLL', 1_000_000n)],
    unsupported: [
      { ...served, side: 'out' },
      { ...served, origin: served.destination },
    ],
    tooLittle: [requestFor('USDC', 5000n)],
    tooMuch: [requestFor('USDC', 3_000_000_000n)],
    async execute({ request }) {
      const { deposit, transfer, client: own, ...rest } = await opened(request);
      const before = await balanceOf(request);
      await control('deposit', { address: deposit.address, amount: deposit.amount.toString() });
      await followUntil({ ...rest, transfer }, isOver);
      await own.close();
      return { spent: deposit.amount, received: (await balanceOf(request)) - before };
    },
    tearDown: () => client.close(),
  };
});

describe('a Bitcoin deposit', () => {
  it('has its own address, is awaited, detected, confirmed and paid out once', async () => {
    const request = requestFor('USDC', 1_500_000n);
    const { deposit, provider, quote, transfer, client } = await opened(request);
    expect(parseBitcoinAddress(deposit.address)).toBe(deposit.address);
    expect(await provider.deliveries.follow(transfer, signal())).toEqual({ status: 'inFlight', waitingFor: 'DEPOSIT' });
    const before = await balanceOf(request);
    await control('bitcoin', { mode: 'stall' });
    const { txid } = await control('deposit', { address: deposit.address, amount: '1500000' });
    expect(await provider.deliveries.follow(transfer, signal())).toMatchObject({
      status: 'inFlight',
      originTxHash: txid,
    });
    await control('bitcoin', { mode: 'normal' });
    const end = await followUntil({ provider, transfer }, isOver);
    expect(end).toMatchObject({ status: 'delivered', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect((await balanceOf(request)) - before).toBe(quote.expectedAmountOut);
    await client.close();
  });

  it('is found only by its transaction and address', async () => {
    const { deposit, client } = await opened(requestFor('USDC', 1_500_000n));
    const { txid } = await control('deposit', { address: deposit.address, amount: '1500000' });
    const { address, chainId } = deposit;
    const found = (id: string, of = address) => findDeposit(bitcoin, { chainId, address: of, txid: id }, signal());
    expect(await found(txid!)).toBe(true);
    expect(await found(txid!, SENDER)).toBe(false);
    expect(await found('ab'.repeat(32))).toBe(false);
    await client.close();
  });

  it('is refunded on chain when it cannot be filled', async () => {
    await control('bitcoin', { mode: 'refund' });
    const { deposit, provider, transfer, client } = await opened(requestFor('USDC', 1_500_000n));
    await control('deposit', { address: deposit.address, amount: '1500000' });
    const end = await followUntil({ provider, transfer }, isOver);
    expect(end).toMatchObject({ status: 'refunded', chainId: bitcoinLocal.chainId, amount: 1_499_560n });
    await client.close();
  });

  it('is refused a refund when it does not cover the refund fee, and when the provider refuses', async () => {
    await control('bitcoin', { mode: 'stall' });
    const { deposit, provider, transfer, client } = await opened(requestFor('USDC', 1_500_000n));
    await control('deposit', { address: deposit.address, amount: '300' });
    const requestRefund = () => provider.deliveries.refund!(transfer, SENDER, signal());
    await expect(requestRefund()).rejects.toMatchObject({ code: 'INSUFFICIENT_AMOUNT_FOR_REFUND' });
    await control('deposit', { address: deposit.address, amount: '100000' });
    await expect(requestRefund()).resolves.toBeUndefined();
    await control('bitcoin', { mode: 'refuse' });
    await expect(requestRefund()).rejects.toMatchObject({ code: 'REFUND_PROCESSING_FAILED' });
    await client.close();
  });
});
