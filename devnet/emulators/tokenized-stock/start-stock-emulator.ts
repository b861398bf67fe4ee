import { DevnetError } from '../../devnet-error';
import { type HttpEmulator, startHttpEmulator } from '../http-emulator';
import { cowRoutes } from './cow-routes';
import { issuerRoutes } from './issuer-routes';
import { controlMarket, newMarket } from './market';
import type { BookedOrder } from './order-book';
import { startSolver } from './solver';
import { openStockChain, type StockChainOptions } from './stock-chain';

export interface StockEmulatorOptions {
  readonly chain: StockChainOptions;
  /** A free one when not given. */
  readonly port?: number;
  readonly log?: (line: string) => void;
}

/**
 * The issuer of tokenized stocks, CoW Protocol's order book, and a solver that settles its orders on a local chain.
 *
 * Serves `POST /v1/attestations/soft`, `POST /v1/attestations`, `GET /v1/limits/trading`, `GET /v1/status/market` of the issuer;
 * `POST /api/v1/quote`, `POST /api/v1/orders`, `GET /api/v1/orders/{uid}`, `GET /api/v1/trades` of the order book. It keeps
 * nothing: orders have to be posted again after a restart.
 *
 * `POST /_control` with some fields of `Market` changes price, clock, halts, limits and the solver; `GET /_control` returns
 * all of them.
 */
export async function startStockEmulator({
  chain: options,
  port,
  log = () => undefined,
}: StockEmulatorOptions): Promise<HttpEmulator> {
  const chain = openStockChain(options);
  const market = newMarket();
  const orders = new Map<string, BookedOrder>();
  let id = BigInt(Date.now()) * 1000n;
  const nextId = (): bigint => (id += 1n);
  const stopSolver = startSolver({ chain, market, orders, nextId, log });
  const server = await startHttpEmulator({
    routes: {
      ...issuerRoutes({ chain, market, nextId }),
      ...cowRoutes({ chain, market, orders }),
      'GET /_control': () => ({ body: market }),
      'POST /_control': ({ body }) => controlMarket(market, body, (price) => chain.publishPrice(price)),
    },
    ...(port === undefined ? {} : { port }),
  });
  return {
    url: server.url,
    async stop() {
      await Promise.all([server.stop(), stopSolver()]);
    },
  };
}

/** The chain of the stocks, as the emulator takes it. @throws DevnetError without dollars on it */
export function stockChainOf(chain: {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly tokens: readonly { readonly symbol: string; readonly address: `0x${string}`; readonly decimals: number }[];
}): StockChainOptions {
  const dollar = chain.tokens.find(({ symbol }) => symbol === 'USDT');
  if (dollar === undefined) throw new DevnetError('the chain of the stocks has no dollars');
  return { chainId: chain.chainId, rpcUrl: chain.rpcUrl, dollar };
}
