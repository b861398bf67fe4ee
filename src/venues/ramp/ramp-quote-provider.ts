import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import { minimumOutput } from '../minimum-output';
import type { RampFee, RampProvider } from '../../ramps/ramp-provider';
import type { TicketStore } from '../../ramps/ticket-store';
import { amountInTooLow } from '../amount-bounds';
import type { DeliveryProvider } from '../delivery-provider';
import type { BuildParameters, ProviderExecution, ProviderFee, ProviderQuote, QuoteRequest } from '../quote-provider';
import { assertFiatOffer, brCodeAmount } from './fiat-amount';
import { type DepositCheckDeps, payoutAfterDeposit } from './payout-after-deposit';
import { rampDeliveries } from './ramp-deliveries';
import { rampRouteOnRail } from './ramp-route';
import { openTicketOnce } from './ramp-ticket';
import { assertRefundsTo } from './refund-address';
import { type RampTransferDeps, buildDepositTransfer } from './ramp-transfer';

export interface RampQuoteProviderDeps extends Omit<DepositCheckDeps, 'tickets'>, RampTransferDeps {
  readonly ramp: RampProvider;
  readonly tickets: TicketStore;
}

/**
 * A ramp as a quote provider with deliveries: it moves money between a bank and a chain. Its quotes are valid for seconds and are
 * requested again when a ticket is opened.
 */
export function createRampQuoteProvider(deps: RampQuoteProviderDeps): DeliveryProvider {
  const { ramp, tickets } = deps;
  const deliveries = rampDeliveries({ ramp, tickets });
  return {
    id: ramp.id,
    selectable: false,
    capabilities: {
      supports: (request) => {
        const route = rampRouteOnRail(request);
        const { fiat } = request;
        return route !== undefined && fiat?.ramp === ramp.id && ramp.supports(route, { thirdParty: fiat.thirdParty });
      },
    },
    quote: (request, signal) => quoteOf(ramp, request, signal),
    build: (parameters, signal) => executionOf(deps, parameters, signal),
    deliveries: ramp.paysOutReceivedAmount === true ? payoutAfterDeposit(deps, deliveries) : deliveries,
  };
}

const TRANSFER_GAS = 65_000n;
/** Seconds until the settlement: Pix is instant, US banks take one or more days. */
export const DURATION_SECONDS = { PIX: 120, WIRE: 86_400, ACH: 259_200 } as const;

async function quoteOf(
  ramp: RampProvider,
  request: QuoteRequest,
  signal: AbortSignal,
): Promise<ProviderQuote | undefined> {
  const [route, { fiat, side, amount }] = [rampRouteOnRail(request), request];
  if (route === undefined || fiat === undefined) return undefined;
  const { account, thirdParty, name } = fiat;
  const brCode = brCodeAmount(fiat);
  const exactAmount = brCode === undefined ? { side, amount } : { side: 'out' as const, amount: brCode };
  const quote = await ramp.quote({ route, ...exactAmount, account, thirdParty }, signal);
  if (brCode !== undefined && quote.amountIn > amount) throw amountInTooLow(quote.amountIn, request.tokenIn);
  // The ramp may ignore digits of a small fraction, which are sent anyway. For a BR Code only the required amount is sent.
  const amountIn = exactAmount.side === 'in' ? amount : quote.amountIn;
  assertFiatOffer(request, { amountIn, expectedAmountOut: quote.amountOut });
  const { direction, rail, chain } = route;
  return {
    provider: ramp.id,
    amountIn,
    maxAmountIn: amountIn,
    expectedAmountOut: quote.amountOut,
    minAmountOut: exactAmount.side === 'in' ? minimumOutput(quote.amountOut, request.slippage) : exactAmount.amount,
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
    priceImpactBps: undefined,
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

async function executionOf(
  deps: RampQuoteProviderDeps,
  parameters: BuildParameters,
  signal: AbortSignal,
): Promise<ProviderExecution> {
  const { request, quote: offer, sender, recipient, action } = parameters;
  const [route, { fiat }] = [rampRouteOnRail(request), request];
  invariant(
    route !== undefined && fiat?.account !== undefined && action !== undefined,
    'a ticket requires a verified person',
  );
  const { account, thirdParty, payout, name } = fiat;
  const { direction } = route;
  assertRefundsTo(deps.ramp, { name, direction, sender, refundAddress: request.refundAddress });
  const brCode = brCodeAmount(fiat);
  if (brCode !== undefined && offer.expectedAmountOut !== brCode) throw serviceError('PIX_BRCODE_REQUOTE_REQUIRED');
  const exactAmount =
    brCode === undefined ? { side: 'in' as const, amount: offer.amountIn } : { side: 'out' as const, amount: brCode };
  const memo = memoOf(request, action);
  const ticket = await openTicketOnce(
    deps,
    {
      customerId: action.customerId,
      quoteRequest: { route, ...exactAmount, account, thirdParty },
      minAmountOut: offer.minAmountOut,
      maxAmountIn: offer.maxAmountIn,
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
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason: 'the ramp requires more than its quote' });
  }
  const { depositAddress } = ticket;
  return buildDepositTransfer(deps, { route, amount: offer.amountIn, sender, depositAddress, memo }, signal);
}

/** Memo of a deposit on Solana. */
const memoOf = ({ origin }: QuoteRequest, { quoteId }: NonNullable<BuildParameters['action']>): string | undefined =>
  origin.kind === 'solana' ? quoteId : undefined;
