import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import { lessShare } from '../../money/slippage';
import type { RampFee, RampProvider } from '../../ramps/ramp-provider';
import type { TicketStore } from '../../ramps/ticket-store';
import { amountInTooLow } from '../amount-bounds';
import type { BridgeProvider } from '../delivery-source';
import type { BuildParameters, Execution, ProviderFee, ProviderQuote, QuoteRequest } from '../quote-provider';
import { assertFiatOffer } from './fiat-amount';
import { chargeOf } from './charge';
import { type ArrivalDeps, afterArrival } from './after-arrival';
import { rampDeliveries } from './ramp-deliveries';
import { pricedRoute } from './ramp-route';
import { ticketOf } from './ramp-ticket';
import { assertRefundsTo } from './refund-address';
import { type RampTransferDeps, transferTo } from './ramp-transfer';

export interface RampVenueDeps extends Omit<ArrivalDeps, 'tickets'>, RampTransferDeps {
  readonly ramp: RampProvider;
  readonly tickets: TicketStore;
}

/**
 * A ramp among those who can price a route: it carries money between a bank and a chain as a bridge does between chains.
 * Its quotes live for seconds, and are asked for anew when a ticket is opened.
 */
export function createRampVenue(deps: RampVenueDeps): BridgeProvider {
  const { ramp, tickets } = deps;
  const deliveries = rampDeliveries({ ramp, tickets });
  return {
    id: ramp.id,
    pinnable: false,
    capabilities: {
      supports: (request) => {
        const route = pricedRoute(request);
        const { fiat } = request;
        return route !== undefined && fiat?.ramp === ramp.id && ramp.supports(route, { thirdParty: fiat.thirdParty });
      },
    },
    quote: (request, signal) => quoteOf(ramp, request, signal),
    build: (parameters, signal) => executionOf(deps, parameters, signal),
    deliveries: ramp.paysOutWhatArrives === true ? afterArrival(deps, deliveries) : deliveries,
  };
}

const TRANSFER_GAS = 65_000n;
/** Seconds until the money is there: Pix is instant, banks in the United States take a day or days. */
export const DURATION_SECONDS = { PIX: 120, WIRE: 86_400, ACH: 259_200 } as const;

async function quoteOf(
  ramp: RampProvider,
  request: QuoteRequest,
  signal: AbortSignal,
): Promise<ProviderQuote | undefined> {
  const [route, { fiat, side, amount }] = [pricedRoute(request), request];
  if (route === undefined || fiat === undefined) return undefined;
  const { account, thirdParty, name } = fiat;
  const charge = chargeOf(fiat);
  const asked = charge === undefined ? { side, amount } : { side: 'out' as const, amount: charge };
  const quote = await ramp.quote({ route, ...asked, account, thirdParty }, signal);
  if (charge !== undefined && quote.amountIn > amount) throw amountInTooLow(quote.amountIn, request.tokenIn);
  // What a ramp cannot tell apart of a fine amount goes along all the same. Of a charge only what it takes is sent.
  const amountIn = asked.side === 'in' ? amount : quote.amountIn;
  assertFiatOffer(request, { amountIn, expectedAmountOut: quote.amountOut });
  const { direction, rail, chain } = route;
  return {
    provider: ramp.id,
    amountIn,
    maxAmountIn: amountIn,
    expectedAmountOut: quote.amountOut,
    minAmountOut: asked.side === 'in' ? lessShare(quote.amountOut, request.slippage) : asked.amount,
    route: [
      {
        protocol: name,
        chainId: chain.chainId,
        shareBps: 10_000,
        pool: rail,
        tokenIn: request.tokenIn.address,
        tokenOut: request.tokenOut.address,
      },
    ],
    priceImpactBps: 0,
    gasLimit: direction === 'onRamp' ? 0n : TRANSFER_GAS,
    estimatedDurationSeconds: DURATION_SECONDS[rail],
    execution: {},
    fees: quote.fees.map(providerFee),
  };
}

export const providerFee = ({ label, asset, amount }: RampFee): ProviderFee => ({
  kind: 'paymentRail',
  label,
  amount,
  asset: asset === 'in' ? 'tokenIn' : 'tokenOut',
});

async function executionOf(deps: RampVenueDeps, parameters: BuildParameters, signal: AbortSignal): Promise<Execution> {
  const { request, quote: offer, sender, recipient, action } = parameters;
  const [route, { fiat }] = [pricedRoute(request), request];
  invariant(
    route !== undefined && fiat?.account !== undefined && action !== undefined,
    'a ticket is opened for a known person',
  );
  const { account, thirdParty, payout, name } = fiat;
  const { direction } = route;
  assertRefundsTo(deps.ramp, { name, direction, sender, refundAddress: request.refundAddress });
  const charge = chargeOf(fiat);
  if (charge !== undefined && offer.expectedAmountOut !== charge) throw serviceError('PIX_BRCODE_REQUOTE_REQUIRED');
  const asked =
    charge === undefined ? { side: 'in' as const, amount: offer.amountIn } : { side: 'out' as const, amount: charge };
  const memo = memoOf(request, action);
  const ticket = await ticketOf(
    deps,
    {
      customerId: action.customerId,
      question: { route, ...asked, account, thirdParty },
      least: offer.minAmountOut,
      most: offer.maxAmountIn,
      ticket: {
        account,
        externalId: action.id,
        payout,
        memo,
        refundAddress: request.refundAddress,
        walletAddress: direction === 'onRamp' ? recipient : sender,
      },
    },
    signal,
  );
  if (ticket.kind === 'payIn') {
    const { ticketId: reference, instructions } = ticket;
    return { kind: 'payment', chainId: request.origin.chainId, rail: route.rail, reference, instructions };
  }
  if (ticket.amount > offer.amountIn) {
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason: 'the ramp wants more than it quoted' });
  }
  const { depositAddress } = ticket;
  return transferTo(deps, { route, amount: offer.amountIn, sender, depositAddress, memo }, signal);
}

/** What a payment on Solana is known by there. */
const memoOf = ({ origin }: QuoteRequest, { quoteId }: NonNullable<BuildParameters['action']>): string | undefined =>
  origin.kind === 'solana' ? quoteId : undefined;
