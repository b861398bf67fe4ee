import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { createHttpClient, type HttpClient } from '../../http/http-client';
import { providerUnavailable, UpstreamError } from '../../http/upstream-error';
import type { ChainHealth } from '../chain-health';
import type { ConfiguredEndpoints } from '../configured-endpoints';
import { readBitcoinHealth } from './bitcoin-health';

/** Payment of a Bitcoin transaction to an address. */
export interface BitcoinPayment {
  readonly txid: string;
  /** Satoshi; the sum of all outputs to the address. */
  readonly amount: bigint;
  /** Number of confirmations; 0 while it is not mined. */
  readonly confirmations: number;
}

/**
 * The Bitcoin chains that this deployment serves, each through an Esplora server.
 *
 * Every function but `health` throws PROVIDER_UNAVAILABLE when the server does not respond in time.
 *
 * @see https://github.com/Blockstream/esplora/blob/master/API.md
 */
export interface BitcoinRpc {
  serves(chainId: number): boolean;
  /** Payments to an address, the oldest first. */
  paymentsTo(chainId: number, address: string, signal: AbortSignal): Promise<readonly BitcoinPayment[]>;
  /** Payment of one transaction to an address; `undefined` when the transaction does not exist. */
  paymentOf(
    chainId: number,
    payment: { readonly txid: string; readonly address: string },
    signal: AbortSignal,
  ): Promise<BitcoinPayment | undefined>;
  /** Fee rate for one of the next blocks, in satoshi per virtual byte, rounded up. */
  feeRate(chainId: number, signal: AbortSignal): Promise<bigint>;
  /** State of a chain's server, at most some seconds old. */
  health(chainId: number): Promise<ChainHealth>;
  close(): Promise<void>;
}

const transactionSchema = z.object({
  txid: z.string(),
  vout: z.array(z.object({ scriptpubkey_address: z.string().optional(), value: z.int().nonnegative() })),
  status: z.object({ confirmed: z.boolean(), block_height: z.int().nonnegative().optional() }),
});
type EsploraTransaction = z.infer<typeof transactionSchema>;

const TIMEOUT_MS = 8000;
/** Public servers limit requests. */
const HEALTH_TTL_MS = 10_000;
/** Blocks within which a refund should be mined. */
const TARGET_BLOCKS = '6';

/** Satoshi per virtual byte, by the number of blocks. */
const estimatesSchema = z.record(z.string(), z.number().positive());

export function createBitcoinRpc({ table, rpcUrls }: ConfiguredEndpoints): BitcoinRpc {
  const clients = new Map(
    [...rpcUrls].flatMap(([chainId, baseUrl]) =>
      table.get(chainId).kind === 'bitcoin'
        ? [[chainId, createHttpClient({ baseUrl, timeoutMs: TIMEOUT_MS, connections: 4 })] as const]
        : [],
    ),
  );
  const request = async <Result>(chainId: number, run: (http: HttpClient) => Promise<Result>): Promise<Result> => {
    const { slug } = table.get(chainId);
    const http = clients.get(chainId);
    if (http === undefined) throw providerUnavailable(slug, undefined);
    try {
      return await run(http);
    } catch (error) {
      throw providerUnavailable(slug, error);
    }
  };
  const healths = new LRUCache<number, ChainHealth>({
    max: Math.max(1, clients.size),
    ttl: HEALTH_TTL_MS,
    fetchMethod: (chainId) => readBitcoinHealth({ get: (...call) => request(chainId, (http) => http.get(...call)) }),
  });
  return {
    serves: (chainId) => clients.has(chainId),
    health: async (chainId) => healths.forceFetch(chainId),
    paymentsTo: (chainId, address, signal) =>
      request(chainId, async (http) => {
        const [response, height] = await Promise.all([
          http.get(`/address/${address}/txs`, {}, signal),
          tip(http, signal),
        ]);
        const transactions = parsed(z.array(transactionSchema), response);
        return transactions
          .map((transaction) => paymentTo(address, transaction, height))
          .filter(isPayment)
          .reverse();
      }),
    paymentOf: (chainId, { txid, address }, signal) =>
      request(chainId, async (http) => {
        const [response, height] = await Promise.all([
          http.get(`/tx/${txid}`, {}, signal).catch(undefinedIfMissing),
          tip(http, signal),
        ]);
        if (response === undefined) return undefined;
        const payment = paymentTo(address, parsed(transactionSchema, response), height);
        return isPayment(payment) ? payment : undefined;
      }),
    feeRate: (chainId, signal) =>
      request(chainId, async (http) => {
        const estimates = parsed(estimatesSchema, await http.get('/fee-estimates', {}, signal));
        return BigInt(Math.ceil(estimates[TARGET_BLOCKS] ?? estimates['1'] ?? 1));
      }),
    async close() {
      await Promise.all([...clients.values()].map((http) => http.close()));
    },
  };
}

const tip = async (http: HttpClient, signal: AbortSignal): Promise<number> =>
  parsed(z.int().nonnegative(), await http.get('/blocks/tip/height', {}, signal));

function paymentTo(address: string, { txid, vout, status }: EsploraTransaction, height: number): BitcoinPayment {
  const outputs = vout.filter(({ scriptpubkey_address: to }) => to === address);
  const amount = outputs.reduce((sum, { value }) => sum + BigInt(value), 0n);
  const { confirmed, block_height: block } = status;
  return { txid, amount, confirmations: confirmed && block !== undefined ? Math.max(1, height - block + 1) : 0 };
}

const isPayment = ({ amount }: BitcoinPayment): boolean => amount > 0n;

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof UpstreamError && (error.status === 404 || error.status === 400)) return undefined;
  throw error;
}

function parsed<Schema extends z.ZodType>(schema: Schema, response: unknown): z.output<Schema> {
  const result = schema.safeParse(response);
  if (result.success) return result.data;
  throw new UpstreamError('its response has an unexpected form', { kind: 'unreadable', cause: result.error });
}
