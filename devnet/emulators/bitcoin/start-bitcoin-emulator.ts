import { randomBytes } from 'node:crypto';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  erc20Abi,
  getAddress,
  type Hex,
  http,
  isAddress,
  zeroAddress,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { type EmulatorResponse, type EmulatorRequest, startHttpEmulator } from '../http-emulator';
import { openLocalBitcoin, type LocalBitcoin, type LocalPayment } from './local-bitcoin';
import { isSameAddress } from '../../../src/chains/addresses';

/** An EVM chain that is paid out on. */
export interface PayoutChain {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly tokens: readonly { readonly address: Address; readonly symbol: string; readonly decimals: number }[];
}

export interface BitcoinEmulatorOptions {
  readonly chains: readonly PayoutChain[];
  /** Pays out: holds native coin and each token. */
  readonly payerKey: Hex;
  /** Dollars for one whole token by symbol; `BTC` and `ETH` among them. */
  readonly prices: Readonly<Record<string, number>>;
  /** 1000 when not given. */
  readonly blockTimeMs?: number;
  readonly log?: (line: string) => void;
}

export interface BitcoinEmulator {
  /** Relay's interface, which opens deposit addresses. */
  readonly relayUrl: string;
  /** Esplora's interface, which reports the deposits. */
  readonly esploraUrl: string;
  stop(): Promise<void>;
}

const MODES = ['normal', 'stall', 'underpay', 'refund', 'refuse'] as const;
type Mode = (typeof MODES)[number];
const BITCOIN_CHAIN = 8_253_038;
const MIN_SATOSHI = 10_000n;
const MAX_SATOSHI = 2_000_000_000n;
const FEE_PPM = 2500n;
const MILLION = 1_000_000n;
const POLL_MS = 250;
/** Satoshi that a refund costs. */
const REFUND_FEE = 440n;

interface Intent {
  readonly requestId: string;
  readonly address: string;
  readonly chain: PayoutChain;
  readonly token: Address;
  readonly recipient: Address;
  readonly refundTo: string | undefined;
  readonly amount: bigint;
  readonly amountOut: bigint;
  status: 'waiting' | 'pending' | 'submitted' | 'success' | 'refund' | 'failure';
  txHashes: readonly string[];
}

interface World extends BitcoinEmulatorOptions {
  readonly bitcoin: LocalBitcoin;
  readonly intents: Map<string, Intent>;
  mode: Mode;
}

/**
 * A local Bitcoin with Esplora's interface, and Relay's on top of it: it opens deposit addresses and pays out on the EVM
 * chains with real transactions. Both keep their state in memory only.
 *
 * - `POST /_control/deposit {address, amount}` on either: pays satoshi to an address; returns `{txid}`.
 * - `POST /_control/bitcoin {mode}`: `normal`, `stall` (nothing is paid out), `underpay` (half is), `refund` (the deposit
 *   goes back), `refuse` (reminders of deposits fail).
 */
export async function startBitcoinEmulator(options: BitcoinEmulatorOptions): Promise<BitcoinEmulator> {
  const bitcoin = openLocalBitcoin(options.blockTimeMs ?? 1000);
  const world: World = { ...options, bitcoin, intents: new Map(), mode: 'normal' };
  const control = {
    'POST /_control/deposit': ({ body }: EmulatorRequest) => {
      const { address, amount } = z.object({ address: z.string(), amount: z.string() }).parse(body);
      return { body: { txid: bitcoin.pay(address, BigInt(amount)).txid } };
    },
    'POST /_control/bitcoin': ({ body }: EmulatorRequest) => {
      world.mode = z.object({ mode: z.enum(MODES) }).parse(body).mode;
      return { status: 204 };
    },
  };
  const [relay, esplora] = await Promise.all([
    startHttpEmulator({ routes: { ...relayRoutes(world), ...control } }),
    startHttpEmulator({ routes: { ...bitcoin.routes, ...control } }),
  ]);
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(() => settlePayments(world)).catch((error: unknown) => options.log?.(String(error)));
  }, POLL_MS);
  return {
    relayUrl: relay.url,
    esploraUrl: esplora.url,
    async stop() {
      clearInterval(timer);
      await looking;
      await Promise.all([relay.stop(), esplora.stop()]);
    },
  };
}

const relayRoutes = (world: World) => ({
  'POST /quote/v2': ({ body }: EmulatorRequest) => quote(world, body),
  'GET /intents/status/v3': ({ query }: EmulatorRequest) => status(world, query.get('requestId') ?? ''),
  'POST /transactions/index': (): EmulatorResponse =>
    world.mode === 'refuse' ? { status: 500, body: { message: 'cannot index' } } : { body: { message: 'Success' } },
});

const quoteBody = z.object({
  originChainId: z.literal(BITCOIN_CHAIN),
  destinationChainId: z.number(),
  destinationCurrency: z.string(),
  recipient: z.string(),
  refundTo: z.string().optional(),
  amount: z.string().regex(/^\d+$/),
  tradeType: z.literal('EXACT_INPUT'),
  useDepositAddress: z.boolean().default(false),
  slippageTolerance: z.string().default('50'),
});

const refusal = (errorCode: string, message: string): EmulatorResponse => ({
  status: 400,
  body: { errorCode, message },
});

function quote(world: World, body: unknown): EmulatorResponse {
  const parsed = quoteBody.safeParse(body);
  if (!parsed.success) return refusal('INVALID_INPUT', parsed.error.message);
  const { destinationChainId, destinationCurrency, recipient, useDepositAddress } = parsed.data;
  const chain = world.chains.find(({ chainId }) => chainId === destinationChainId);
  if (chain === undefined || !isAddress(recipient)) return refusal('UNSUPPORTED_CHAIN', 'Chain is not supported');
  const amount = BigInt(parsed.data.amount);
  const amountOut = amountOutOf(world, chain, { currency: destinationCurrency, amount });
  if (amountOut === undefined) return refusal('UNSUPPORTED_CURRENCY', 'Currency is not supported');
  if (amount < MIN_SATOSHI)
    return refusal('AMOUNT_TOO_LOW', `Amount is too low, at least ${String(MIN_SATOSHI)} is needed`);
  if (amount > MAX_SATOSHI) return refusal('INSUFFICIENT_LIQUIDITY', `Liquidity is limited to ${String(MAX_SATOSHI)}`);
  const intent: Intent = {
    requestId: `0x${randomBytes(32).toString('hex')}`,
    address: world.bitcoin.newAddress(),
    chain,
    token: getAddress(destinationCurrency),
    recipient: getAddress(recipient),
    refundTo: parsed.data.refundTo,
    amount,
    amountOut,
    status: 'waiting',
    txHashes: [],
  };
  if (useDepositAddress) world.intents.set(intent.requestId, intent);
  return {
    body: quoteResponse(intent, { slippageBps: BigInt(parsed.data.slippageTolerance), open: useDepositAddress }),
  };
}

function quoteResponse(
  { requestId, address, amount, amountOut }: Intent,
  { slippageBps, open }: { readonly slippageBps: bigint; readonly open: boolean },
) {
  const fee = (amountOut * FEE_PPM) / (MILLION - FEE_PPM);
  return {
    steps: [
      {
        id: 'deposit',
        action: 'Confirm transaction in your wallet',
        kind: 'transaction',
        requestId,
        items: [],
        ...(open ? { depositAddress: address } : {}),
      },
    ],
    fees: { relayer: { amount: fee.toString(), currency: { symbol: 'OUT' } } },
    details: {
      currencyIn: { amount: amount.toString() },
      currencyOut: {
        amount: amountOut.toString(),
        minimumAmount: ((amountOut * (10_000n - slippageBps) + 9_999n) / 10_000n).toString(),
      },
      timeEstimate: 30,
      totalImpact: { percent: '-0.25' },
    },
  };
}

interface Pay {
  readonly currency: string;
  readonly amount: bigint;
}

function amountOutOf(world: World, chain: PayoutChain, { currency, amount }: Pay): bigint | undefined {
  const isNative = currency === zeroAddress;
  const token = isNative
    ? { symbol: 'ETH', decimals: 18 }
    : chain.tokens.find(({ address }) => isSameAddress(address, currency));
  const [btcUsd, tokenUsd] = [world.prices['BTC'], world.prices[token?.symbol ?? '']];
  if (token === undefined || btcUsd === undefined || tokenUsd === undefined) return undefined;
  const ratePpb = BigInt(Math.round((btcUsd / tokenUsd) * 1e9));
  const whole = (amount * ratePpb * 10n ** BigInt(token.decimals)) / (10n ** 8n * 10n ** 9n);
  return (whole * (MILLION - FEE_PPM)) / MILLION;
}

function status({ intents, bitcoin }: World, requestId: string): EmulatorResponse {
  const intent = intents.get(requestId);
  if (intent === undefined) return { status: 404, body: { message: 'Request not found' } };
  const inTxHashes = bitcoin.paymentsTo(intent.address).map(({ txid }) => txid);
  const { chain, txHashes } = intent;
  return {
    body: {
      status: intent.status,
      inTxHashes,
      txHashes,
      originChainId: BITCOIN_CHAIN,
      destinationChainId: chain.chainId,
    },
  };
}

/** Pays out or refunds confirmed deposits. */
async function settlePayments(world: World): Promise<void> {
  for (const intent of world.intents.values()) {
    if (intent.status !== 'waiting' && intent.status !== 'pending') continue;
    const [payment] = world.bitcoin.paymentsTo(intent.address);
    if (payment === undefined || world.mode === 'stall') continue;
    intent.status = 'pending';
    if (world.bitcoin.confirmations(payment) > 0) await settle(world, intent, payment);
  }
}

async function settle(world: World, intent: Intent, payment: LocalPayment): Promise<void> {
  if (world.mode === 'refund' || payment.amount < MIN_SATOSHI) {
    payBack(world, intent, payment);
    return;
  }
  intent.status = 'submitted';
  // A deposit of another amount than was announced buys in proportion.
  const earned = (intent.amountOut * payment.amount) / intent.amount;
  intent.txHashes = [await payOut(world, intent, world.mode === 'underpay' ? earned / 2n : earned)];
  intent.status = 'success';
}

function payBack({ bitcoin }: World, intent: Intent, { amount }: LocalPayment): void {
  intent.status = 'failure';
  if (intent.refundTo === undefined || amount <= REFUND_FEE) return;
  intent.txHashes = [bitcoin.pay(intent.refundTo, amount - REFUND_FEE).txid];
  intent.status = 'refund';
}

async function payOut({ payerKey }: World, { chain, token, recipient }: Intent, amount: bigint): Promise<Hex> {
  const transport = http(chain.rpcUrl);
  const account = privateKeyToAccount(payerKey);
  const wallet = createWalletClient({ account, transport });
  const reader = createPublicClient({ transport, pollingInterval: 50 });
  const hash =
    token === zeroAddress
      ? await wallet.sendTransaction({ to: recipient, value: amount, chain: null })
      : await wallet.writeContract({
          address: token,
          abi: erc20Abi,
          functionName: 'transfer',
          args: [recipient, amount],
          chain: null,
        });
  await reader.waitForTransactionReceipt({ hash });
  return hash;
}
