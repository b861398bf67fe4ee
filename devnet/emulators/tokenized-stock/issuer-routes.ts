import { formatUnits, hexToBytes, parseUnits } from 'viem';
import { z } from 'zod';
import { SOLVER_USER_ID, STOCK, STOCK_CONTRACTS } from '../../stocks/stock-contracts';
import type { EmulatorHandler, EmulatorResponse, EmulatorRoutes } from '../http-emulator';
import { attestedPriceOf, type Market, priceOf, refusalOf, sessionOf } from './market';
import type { Side, StockChain } from './stock-chain';

export interface IssuerDeps {
  readonly chain: StockChain;
  readonly market: Market;
  /** Ids of attestations, which are used once. */
  readonly nextId: () => bigint;
}

const requestBody = z.object({
  chainId: z.string(),
  symbol: z.string(),
  side: z.enum(['buy', 'sell']),
  tokenAmount: z.string().optional(),
  notionalValue: z.string().optional(),
  duration: z.enum(['short', 'long']),
});
/** Name and number of a chain. */
const CHAIN = /^[a-z][a-z0-9]*-([1-9][0-9]*)$/;

/** How long a hard attestation is valid, in seconds. */
export const ATTESTATION_SECONDS = 60n;
const MINIMUM_USD = 10n ** 18n;
const ONE = 10n ** 18n;

/** The API of the issuer: quotes, attestations, limits and the hours of the exchange. */
export const issuerRoutes = (deps: IssuerDeps): EmulatorRoutes => ({
  'POST /v1/attestations/soft': withKey(({ body }) => softQuote(deps, body)),
  'POST /v1/attestations': withKey(({ body }) => attestation(deps, body)),
  'GET /v1/limits/trading': withKey(({ query }) => limits(deps, query)),
  'GET /v1/status/market': () => ({ body: status(deps.market) }),
});

const withKey =
  (handler: EmulatorHandler): EmulatorHandler =>
  (request) =>
    request.headers['x-api-key'] === undefined ? refusal(401, 'MISSING_API_KEY') : handler(request);

const refusal = (status: number, code: string): EmulatorResponse => ({
  status,
  body: { code, message: `The request was refused: ${code}`, documentation: 'https://docs.ondo.finance' },
});

interface Trade {
  readonly side: Side;
  /** Tokens with 18 decimals. */
  readonly quantity: bigint;
}

function readTrade({ chain, market }: IssuerDeps, body: unknown, price: bigint): Trade | EmulatorResponse {
  const parsed = requestBody.safeParse(body);
  if (!parsed.success) return refusal(400, 'INVALID_REQUEST');
  const { chainId, symbol, side: text } = parsed.data;
  if (CHAIN.exec(chainId)?.[1] !== String(chain.chainId)) return refusal(400, 'INVALID_GM_CHAIN');
  if (symbol !== STOCK.symbol) return refusal(404, 'ASSET_NOT_FOUND');
  const quantity = quantityOf(parsed.data, price);
  const side = text === 'buy' ? 'BUY' : 'SELL';
  const refused = refusalOf(market, side);
  if (refused !== undefined) return refusal(403, refused);
  const problem = amountProblem(market, quantity, price);
  return problem === undefined ? { side, quantity } : refusal(400, problem);
}

/** Tokens with 18 decimals. */
function quantityOf({ tokenAmount, notionalValue }: z.infer<typeof requestBody>, price: bigint): bigint {
  if (tokenAmount !== undefined) return parseUnits(tokenAmount, 18);
  return notionalValue === undefined ? 0n : (parseUnits(notionalValue, 18) * ONE) / price;
}

function amountProblem({ maxTokens }: Market, quantity: bigint, price: bigint): string | undefined {
  if ((quantity * price) / ONE < MINIMUM_USD) return 'INVALID_NOTIONAL_VALUE';
  return maxTokens !== null && quantity > parseUnits(maxTokens, 18) ? 'MAX_LIMIT_REACHED' : undefined;
}

const isTrade = (read: Trade | EmulatorResponse): read is Trade => 'quantity' in read;

function softQuote(deps: IssuerDeps, body: unknown): EmulatorResponse {
  const price = priceOf(deps.market);
  const trade = readTrade(deps, body, price);
  return isTrade(trade) ? { body: quoteBody(deps, trade, price) } : trade;
}

const quoteBody = ({ chain }: IssuerDeps, { side, quantity }: Trade, price: bigint) => ({
  chainId: String(chain.chainId),
  symbol: STOCK.symbol,
  assetAddress: STOCK_CONTRACTS.token,
  side: side === 'BUY' ? '0' : '1',
  tokenAmount: quantity.toString(),
  price: price.toString(),
});

async function attestation(deps: IssuerDeps, body: unknown): Promise<EmulatorResponse> {
  const price = attestedPriceOf(deps.market);
  const trade = readTrade(deps, body, price);
  if (!isTrade(trade)) return trade;
  if (!deps.market.attests) return refusal(403, 'MAX_ATTESTATIONS');
  const expiration = (await deps.chain.now()) + ATTESTATION_SECONDS;
  const signed = await deps.chain.attest({ ...trade, price, expiration, attestationId: deps.nextId() });
  return {
    body: {
      ...quoteBody(deps, trade, price),
      attestationId: signed.attestationId.toString(),
      userId: SOLVER_USER_ID.replace(/(?:00)+$/, ''),
      expiration: Number.parseInt(expiration.toString(), 10),
      signature: Buffer.from(hexToBytes(signed.signature)).toString('base64'),
      additionalData: '',
    },
  };
}

function limits({ market }: IssuerDeps, query: URLSearchParams): EmulatorResponse {
  if (query.get('symbol') !== STOCK.symbol) return refusal(404, 'ASSET_NOT_FOUND');
  const reason = refusalOf(market, query.get('side') === 'sell' ? 'SELL' : 'BUY') ?? null;
  const maxTokens = market.maxTokens ?? '1000000';
  const value = (parseUnits(maxTokens, 18) * priceOf(market)) / ONE;
  return {
    body: {
      maxTokens,
      maxNotionalValue: formatUnits(value, 18),
      remainingAttestations: market.attests ? 100 : 0,
      isAssetTradingOpen: reason === null,
      reason,
    },
  };
}

function status(market: Market) {
  const session = sessionOf(market);
  return {
    timestamp: market.clock ?? new Date().toISOString(),
    isOpen: session !== undefined,
    marketStatus: session ?? 'closed',
    reason: market.halt === 'MARKET_PAUSED' ? 'MARKET_PAUSED' : null,
  };
}
