import { isAddressEqual } from 'viem';
import { z } from 'zod';
import { serviceError, type ServiceError } from '../../errors/service-error';
import type { HttpClient } from '../../http/http-client';
import { UpstreamError } from '../../http/upstream-error';
import { parseEvmAddress } from '../../chains/addresses';
import { baseUnitsSchema, formatBaseUnits } from '../../money/base-units';
import { lendingProblemError } from '../operations/lending-failure';
import type { Strategy } from '../strategy';
import type { OrderSide } from './stock-order';

/** A trade to be priced. */
export interface StockTrade {
  readonly strategy: Strategy;
  readonly side: OrderSide;
  /** Tokens with 18 decimals, or dollars with 18 decimals. */
  readonly amount: { readonly tokens: bigint } | { readonly dollars: bigint };
}

/** The issuer of tokenized stocks. Prices are dollars for one token, with 18 decimals. */
export interface StockIssuer {
  /**
   * Price without obligation.
   *
   * @throws TOKENIZED_STOCK_SOFT_QUOTE_UNAVAILABLE with the issuer's code in `details.providerCode`; LENDING_BAD_REQUEST for an
   * amount below its minimum
   */
  softPrice(trade: StockTrade, signal: AbortSignal): Promise<bigint>;
  /** Price that the issuer signs. @throws TOKENIZED_STOCK_ATTESTATION_FAILED, as `softPrice` */
  attestedPrice(trade: StockTrade, signal: AbortSignal): Promise<bigint>;
}

const quoteBody = z.object({
  chainId: z.string(),
  assetAddress: z.string(),
  side: z.enum(['0', '1']),
  tokenAmount: baseUnitsSchema,
  price: baseUnitsSchema,
});
const refusalBody = z.object({ code: z.string().regex(/^[A-Z][A-Z0-9_]{1,63}$/) });

const SIDES: Readonly<Record<OrderSide, { readonly request: string; readonly response: string }>> = {
  BUY: { request: 'buy', response: '0' },
  SELL: { request: 'sell', response: '1' },
};

/** Refusals that last: another request would get the same. */
const LASTING: ReadonlySet<string> = new Set([
  'ASSET_REDEEM_ONLY',
  'READ_ONLY_API_KEY',
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'ASSET_NOT_FOUND',
  'INVALID_SYMBOL',
  'INVALID_GM_CHAIN',
  'UNSUPPORTED_GM_CHAIN',
]);

/** Refusals of an amount below the minimum of the issuer: the caller can request more. */
const TOO_SMALL: ReadonlySet<string> = new Set([
  'INVALID_NOTIONAL_VALUE',
  'INVALID_TOKEN_AMOUNT',
  'GAS_FEE_EXCEEDS_ORDER_VALUE',
]);

/** Names of chains in requests. Responses have the number alone. */
const REQUESTED_CHAINS: ReadonlyMap<number, string> = new Map([
  [1, 'ethereum-1'],
  [56, 'bsc-56'],
]);
/** Validity of a price: `long` prices are valid longer, and worse. */
const DURATION = 'short';

/** A response that is about another trade, or has no price. */
class ForeignQuoteError extends Error {
  override readonly name = 'ForeignQuoteError';
}

/** @see https://docs.ondo.finance/api-reference/overview */
export function createStockIssuer(http: Pick<HttpClient, 'post'>): StockIssuer {
  const request = async (path: string, trade: StockTrade, signal: AbortSignal): Promise<bigint> => {
    const quote = quoteBody.parse(await http.post(path, bodyOf(trade), signal));
    const asset = parseEvmAddress(quote.assetAddress);
    const isOwn = asset !== undefined && isAddressEqual(asset, trade.strategy.row.market);
    const isSame =
      isOwn && quote.side === SIDES[trade.side].response && quote.chainId === String(trade.strategy.chain.chainId);
    if (!isSame || quote.price === 0n) throw new ForeignQuoteError('the issuer quoted another trade');
    return quote.price;
  };
  return {
    async softPrice(trade, signal) {
      try {
        return await request('/v1/attestations/soft', trade, signal);
      } catch (cause) {
        throw refusalOf('TOKENIZED_STOCK_SOFT_QUOTE_UNAVAILABLE', cause);
      }
    },
    async attestedPrice(trade, signal) {
      try {
        return await request('/v1/attestations', trade, signal);
      } catch (cause) {
        throw refusalOf('TOKENIZED_STOCK_ATTESTATION_FAILED', cause);
      }
    },
  };
}

/** The name of a chain in a request: that of the issuer, or one of the same form for a local chain. */
const requestedChain = ({ chainId, slug }: Strategy['chain']): string =>
  REQUESTED_CHAINS.get(chainId) ?? `${slug}-${String(chainId)}`;

function bodyOf({ strategy, side, amount }: StockTrade): object {
  const { chain, receipt } = strategy;
  const own = {
    chainId: requestedChain(chain),
    symbol: receipt.symbol,
    side: SIDES[side].request,
    duration: DURATION,
  };
  return 'tokens' in amount
    ? { ...own, tokenAmount: formatBaseUnits(amount.tokens, 18) }
    : { ...own, notionalValue: formatBaseUnits(amount.dollars, 18) };
}

type RefusalCode = 'TOKENIZED_STOCK_SOFT_QUOTE_UNAVAILABLE' | 'TOKENIZED_STOCK_ATTESTATION_FAILED';

function refusalOf(code: RefusalCode, cause: unknown): ServiceError {
  const body = cause instanceof UpstreamError ? cause.body : undefined;
  const { data } = refusalBody.safeParse(body);
  if (data === undefined) return serviceError(code, {}, { details: { retryable: true }, cause });
  const { code: providerCode } = data;
  if (TOO_SMALL.has(providerCode)) {
    const message = `the amount is below the minimum of the issuer (${providerCode})`;
    return lendingProblemError({ kind: 'TOO_SMALL', message });
  }
  return serviceError(code, {}, { details: { providerCode, retryable: !LASTING.has(providerCode) }, cause });
}
