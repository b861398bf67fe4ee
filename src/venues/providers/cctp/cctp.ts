import { encodeFunctionData, getAddress, zeroHash } from 'viem';
import { z } from 'zod';
import { serviceError, type ServiceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { toBaseUnits } from '../../../money/base-units';
import type { Rpc } from '../../../rpc/rpc';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { DeliveryProvider } from '../../delivery-provider';
import type { BuildParameters, ProviderQuote, QuoteRequest, SwapCall, TransferSpeed } from '../../quote-provider';
import { asBridgeApiError, asProviderUnavailable } from '../../provider-errors';
import { fetchFeeRates, FINALITY } from './attestation-api';
import { createBurnLimitReader } from './burn-limit';
import { toWord } from './burn-message';
import { tokenMessengerAbi } from './contracts';
import { feeOn, type FeeRate, grossOf } from './fee-rate';
import { buildCompletion, followBurn } from './follow-burn';
import { type CctpRoute, cctpRoute } from './cctp-route';
import { minAmountIn, type TransferAmounts, transferAmounts } from './transfer-amounts';
import { amountField } from '../../../persistence/json-fields';

export interface CctpDeps {
  /** Circle's attestation service. */
  readonly http: Pick<HttpClient, 'get' | 'post'>;
  readonly rpc: Pick<Rpc, 'serves' | 'request' | 'multicall'>;
}

const ID = 'cctp';

/**
 * Circle's cross-chain transfer protocol, version 2: USDC is burned on one chain, the burn is attested, and any account
 * can submit the attestation on the other chain, which mints it for the recipient.
 */
export function createCctpProvider(deps: CctpDeps): DeliveryProvider {
  const readBurnLimit = createBurnLimitReader(ID, deps.rpc);
  return {
    id: ID,
    // The attesters only sign: the service submits the attestation.
    completedBy: 'SERVICE',
    capabilities: {
      supports: (request) =>
        cctpRoute(request) !== undefined &&
        [request.origin, request.destination].every(({ chainId }) => deps.rpc.serves(chainId)),
    },
    async quote(request, signal) {
      const route = cctpRoute(request);
      if (route === undefined) return undefined;
      const pendingRates = fetchFeeRates(deps.http, route, signal).catch((error: unknown) => {
        throw asProviderUnavailable(ID, error);
      });
      const [rates, limit] = await Promise.all([pendingRates, readBurnLimit(route.origin)]);
      if (rates === undefined) return undefined;
      const transfer = transferAmounts(request, rates, effectiveSpeed(request, route));
      if (transfer === undefined) throw amountInTooLow(minAmountIn(rates), request.tokenIn);
      if (transfer.maxAmountIn > limit) throw amountInTooHigh(limit, request.tokenIn);
      return quoteOf(route, transfer);
    },
    build: (parameters, signal) => build(deps, parameters, signal),
    deliveries: {
      follow: (transfer, signal) => followBurn(deps, transfer, signal),
      completion: (transfer, signal) => buildCompletion(deps, transfer, signal),
    },
  };
}

/** Fast by default. Chains with quick finality support only standard transfers. */
const effectiveSpeed = ({ transferSpeed = 'fast' }: QuoteRequest, { origin }: CctpRoute): TransferSpeed =>
  origin.cctp.fastSource ? transferSpeed : 'standard';

/** Measured: 74,000 on the local chains; with a margin for the proxies of the real contracts and the token. */
const GAS_LIMIT = 180_000n;

/**
 * Including the completing transaction. Burns on Ethereum and its rollups are final after 13 to 19 minutes; burns on
 * chains without fast transfers within seconds.
 *
 * @see https://developers.circle.com/cctp/concepts/finality-and-block-confirmations
 */
const SECONDS = { fast: 35, soonFinal: 35, finalWithEthereum: 1140 };

const durationSeconds = (speed: TransferSpeed, { origin }: CctpRoute): number =>
  speed === 'fast' ? SECONDS.fast : origin.cctp.fastSource ? SECONDS.finalWithEthereum : SECONDS.soonFinal;

/** Stored with the quote and read by `build`. */
const execution = z.object({
  speed: z.enum(['fast', 'standard']),
  /** In base units, in decimal. */
  maxFee: amountField,
});

function quoteOf(route: CctpRoute, { speed, fee, maxFee, ...amounts }: TransferAmounts): ProviderQuote {
  const { origin, destination } = route;
  return {
    provider: ID,
    ...amounts,
    route: [
      {
        protocol: ID,
        chainId: origin.chain.chainId,
        pool: origin.cctp.tokenMessenger,
        shareBps: 10_000,
        tokenIn: origin.cctp.usdc,
        tokenOut: destination.cctp.usdc,
      },
    ],
    priceImpactBps: 0,
    gasLimit: GAS_LIMIT,
    estimatedDurationSeconds: durationSeconds(speed, route),
    fees: fee === 0n ? [] : [{ label: `CCTP ${speed} transfer fee`, asset: 'tokenOut', amount: toBaseUnits(fee) }],
    transferSpeed: speed,
    execution: { speed, maxFee: maxFee.toString() },
  };
}

/** Builds the burn at the current fee. Burns have no deadline. */
async function build(deps: CctpDeps, parameters: BuildParameters, signal: AbortSignal): Promise<SwapCall> {
  const { request, quote, sender, recipient } = parameters;
  const route = cctpRoute(request);
  if (route === undefined) throw buildError('CCTP does not support the route');
  const plan = execution.safeParse(quote.execution);
  if (!plan.success) throw buildError('the quote is not a quote of CCTP');
  const rate = await fetchRate(deps, { route, speed: plan.data.speed }, signal);
  const { amount, maxFee } = burnOf(quote, { side: request.side, rate, maxFee: plan.data.maxFee });
  const { cctp, chain } = route.origin;
  const args = [
    ...([amount, route.destination.cctp.domain, toWord(recipient), cctp.usdc, zeroHash, maxFee] as const),
    FINALITY[plan.data.speed],
  ] as const;
  return {
    kind: 'call',
    chainId: chain.chainId,
    from: getAddress(sender),
    to: cctp.tokenMessenger,
    value: 0n,
    data: encodeFunctionData({ abi: tokenMessengerAbi, functionName: 'depositForBurn', args }),
    spender: cctp.tokenMessenger,
  };
}

const buildError = (reason: string): ServiceError => serviceError('BYTECODE_GENERATION_FAILED', { reason });
const quoteExpired = (): ServiceError => serviceError('QUOTE_EXPIRED');

async function fetchRate(
  { http }: CctpDeps,
  { route, speed }: { readonly route: CctpRoute; readonly speed: TransferSpeed },
  signal: AbortSignal,
): Promise<FeeRate> {
  const rates = await fetchFeeRates(http, route, signal).catch((error: unknown) => {
    throw asBridgeApiError(error);
  });
  const rate = rates?.[speed];
  if (rate === undefined) throw quoteExpired();
  return rate;
}

interface BurnPlan {
  readonly side: QuoteRequest['side'];
  readonly rate: FeeRate;
  readonly maxFee: bigint;
}

/**
 * Amount and maximum fee of the burn. Exact in: the quote is valid while its maximum fee covers the current fee. Exact
 * out: the amount that the current fee requires, up to the maximum input of the quote.
 *
 * @throws QUOTE_EXPIRED
 */
function burnOf(quote: ProviderQuote, { side, rate, maxFee }: BurnPlan) {
  if (side === 'in') {
    if (feeOn(quote.amountIn, rate) > maxFee) throw quoteExpired();
    return { amount: quote.amountIn, maxFee };
  }
  const amount = grossOf(quote.minAmountOut, rate);
  if (amount > quote.maxAmountIn) throw quoteExpired();
  return { amount, maxFee: amount - quote.minAmountOut };
}
