import { encodeFunctionData, getAddress, zeroHash } from 'viem';
import { z } from 'zod';
import { serviceError, type ServiceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { toBaseUnits } from '../../../money/base-units';
import type { Rpc } from '../../../rpc/rpc';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { BridgeProvider } from '../../delivery-source';
import type { BuildParameters, ProviderQuote, QuoteRequest, SwapCall, TransferSpeed } from '../../quote-provider';
import { askFees, bridgeFailed, FINALITY, unavailable } from './attestation-api';
import { createBurnLimitReader } from './burn-limit';
import { toWord } from './burn-message';
import { tokenMessengerAbi } from './contracts';
import { feeOn, type FeeRate, grossOf } from './fee-rate';
import { completionOf, followBurn } from './follow-burn';
import { type Lane, laneOf } from './lane';
import { leastAmountIn, type Terms, termsOf } from './terms';

export interface CctpDeps {
  /** Circle's attestation service, which knows the fees too. */
  readonly http: Pick<HttpClient, 'get' | 'post'>;
  readonly rpc: Pick<Rpc, 'serves' | 'ask' | 'multicall'>;
}

const ID = 'cctp';

/**
 * Circle's cross-chain transfer protocol, version 2: USDC is burned on one chain, the burn is attested, and whoever
 * presents the attestation on the other chain mints it there for the recipient.
 */
export function createCctpProvider(deps: CctpDeps): BridgeProvider {
  const readBurnLimit = createBurnLimitReader(ID, deps.rpc);
  return {
    id: ID,
    // The attesters sign; nobody but us is there to present what they signed.
    completedBy: 'SERVICE',
    capabilities: {
      supports: (request) =>
        laneOf(request) !== undefined &&
        [request.origin, request.destination].every(({ chainId }) => deps.rpc.serves(chainId)),
    },
    async quote(request, signal) {
      const lane = laneOf(request);
      if (lane === undefined) return undefined;
      const asked = askFees(deps.http, lane, signal).catch((error: unknown) => {
        throw unavailable(ID, error);
      });
      const [rates, limit] = await Promise.all([asked, readBurnLimit(lane.origin)]);
      if (rates === undefined) return undefined;
      const terms = termsOf(request, rates, wantedSpeed(request, lane));
      if (terms === undefined) throw amountInTooLow(leastAmountIn(rates), request.tokenIn);
      if (terms.maxAmountIn > limit) throw amountInTooHigh(limit, request.tokenIn);
      return quoteOf(lane, terms);
    },
    build: (parameters, signal) => build(deps, parameters, signal),
    deliveries: {
      follow: (shipment, signal) => followBurn(deps, shipment, signal),
      completion: (shipment, signal) => completionOf(deps, shipment, signal),
    },
  };
}

/** Fast where the caller does not say otherwise. A chain that is soon final knows nothing faster: standard it is, then. */
const wantedSpeed = ({ transferSpeed = 'fast' }: QuoteRequest, { origin }: Lane): TransferSpeed =>
  origin.cctp.fastSource ? transferSpeed : 'standard';

/** Measured: 74,000 on the local chains; with room for the proxies that stand before the real contracts and the token. */
const GAS_LIMIT = 180_000n;

/**
 * With the completing transaction. Burns on Ethereum and its rollups are final after 13 to 19 minutes; those on chains
 * that are no fast source within seconds.
 *
 * @see https://developers.circle.com/cctp/concepts/finality-and-block-confirmations
 */
const SECONDS = { fast: 35, soonFinal: 35, finalWithEthereum: 1140 };

const secondsOf = (speed: TransferSpeed, { origin }: Lane): number =>
  speed === 'fast' ? SECONDS.fast : origin.cctp.fastSource ? SECONDS.finalWithEthereum : SECONDS.soonFinal;

/** What `build` needs of a quote. */
const execution = z.object({
  speed: z.enum(['fast', 'standard']),
  /** In base units, in decimal. */
  maxFee: z
    .string()
    .regex(/^[0-9]{1,78}$/)
    .transform(BigInt),
});

function quoteOf(lane: Lane, { speed, fee, maxFee, ...amounts }: Terms): ProviderQuote {
  const { origin, destination } = lane;
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
    estimatedDurationSeconds: secondsOf(speed, lane),
    fees: fee === 0n ? [] : [{ label: `CCTP ${speed} transfer fee`, asset: 'tokenOut', amount: toBaseUnits(fee) }],
    transferSpeed: speed,
    execution: { speed, maxFee: maxFee.toString() },
  };
}

/** The burn at the fee of this moment. The protocol knows no deadline: a burn that is late is as good as any. */
async function build(deps: CctpDeps, parameters: BuildParameters, signal: AbortSignal): Promise<SwapCall> {
  const { request, quote, sender, recipient } = parameters;
  const lane = laneOf(request);
  if (lane === undefined) throw unusable('CCTP does not serve the route');
  const plan = execution.safeParse(quote.execution);
  if (!plan.success) throw unusable('the quote is not one of CCTP');
  const rate = await askRate(deps, { lane, speed: plan.data.speed }, signal);
  const { amount, maxFee } = burnOf(quote, { side: request.side, rate, maxFee: plan.data.maxFee });
  const { cctp, chain } = lane.origin;
  const args = [
    ...([amount, lane.destination.cctp.domain, toWord(recipient), cctp.usdc, zeroHash, maxFee] as const),
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

const unusable = (reason: string): ServiceError => serviceError('BYTECODE_GENERATION_FAILED', { reason });
const expired = (): ServiceError => serviceError('QUOTE_EXPIRED');

async function askRate(
  { http }: CctpDeps,
  { lane, speed }: { readonly lane: Lane; readonly speed: TransferSpeed },
  signal: AbortSignal,
): Promise<FeeRate> {
  const rates = await askFees(http, lane, signal).catch((error: unknown) => {
    throw bridgeFailed(error);
  });
  const rate = rates?.[speed];
  if (rate === undefined) throw expired();
  return rate;
}

interface BurnPlan {
  readonly side: QuoteRequest['side'];
  readonly rate: FeeRate;
  readonly maxFee: bigint;
}

/**
 * What is burned and what the attesters may take of it. Exact in: the quote holds as long as its highest fee covers the
 * fee of this moment. Exact out: as much as it takes now, up to the most that the quote allows.
 *
 * @throws QUOTE_EXPIRED
 */
function burnOf(quote: ProviderQuote, { side, rate, maxFee }: BurnPlan) {
  if (side === 'in') {
    if (feeOn(quote.amountIn, rate) > maxFee) throw expired();
    return { amount: quote.amountIn, maxFee };
  }
  const amount = grossOf(quote.minAmountOut, rate);
  if (amount > quote.maxAmountIn) throw expired();
  return { amount, maxFee: amount - quote.minAmountOut };
}
