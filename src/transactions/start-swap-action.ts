import type { CustomerId } from '../auth/principal';
import { plausibleUsd } from '../money/usd';
import type { Transaction } from '../persistence/database';
import type { QuotedValues } from '../quotes/find-quote';
import { hasDeliveries } from '../venues/delivery-provider';
import type { ProviderQuote, QuoteProvider, QuoteRequest } from '../venues/quote-provider';
import { actionFees } from './action-fees';
import type { ActionPlan, ActionStarter, OpenResource, PlannedStep } from './action-plan';
import type { Executable } from './execution/executable';
import { expectedCalls } from './expected-calls';
import { findOpenDeposit } from './open-deposit';

export interface SwapActionDeps extends ActionStarter {
  readonly providers: readonly QuoteProvider[];
  /** Seconds after the quote's deadline until an action without any seen transaction fails. */
  readonly actionExpirySeconds: number;
}

export interface SwapActionParameters extends QuotedValues {
  readonly actionId: string;
  readonly customerId: CustomerId;
  readonly quoteId: string;
  /** True when the caller requested a quote only. */
  readonly isQuoteOnly: boolean;
  readonly request: QuoteRequest;
  readonly offer: ProviderQuote;
  readonly deadline: Date;
  readonly sender: string;
  readonly recipient: string;
  readonly webhookUrl: string | undefined;
}

/** Type of the action that executes a quote. */
export function swapActionType({ origin, destination }: Pick<QuoteRequest, 'origin' | 'destination'>) {
  if (origin.kind === 'fiat') return 'ON_RAMP_FIAT';
  if (destination.kind === 'fiat') return 'OFF_RAMP_FIAT';
  return origin.chainId === destination.chainId ? 'SAMECHAIN_SWAP' : 'CROSSCHAIN_SWAP';
}

/** Ramps open a ticket for a quote, so that it is no draft there. */
const isDraftOf = (
  { fiat }: Pick<QuoteRequest, 'fiat'>,
  { isQuoteOnly }: Pick<SwapActionParameters, 'isQuoteOnly'>,
): boolean => isQuoteOnly && fiat === undefined;

/** What the action of a quote counts against: a transfer between chains or at a ramp is a delivery as well. */
export function openedResources(
  request: Pick<QuoteRequest, 'origin' | 'destination' | 'fiat'>,
  swap: Pick<SwapActionParameters, 'isQuoteOnly'>,
): readonly OpenResource[] {
  if (isDraftOf(request, swap)) return ['openDrafts'];
  return swapActionType(request) === 'SAMECHAIN_SWAP' ? ['openActions'] : ['openActions', 'openDeliveries'];
}

/**
 * Creates the action of a quote unless it exists, and registers its expected calls with the trackers. Returns the executable
 * for the response: when concurrent requests opened several deposits, the one that the action expects.
 *
 * Within one chain the action has one step, the swap; otherwise a second step is executed by the provider or the service.
 * Approvals are not steps: an approval may be mined long before, may serve several actions, and moves no money.
 */
export async function startSwapAction(
  { deps, tx }: { readonly deps: SwapActionDeps; readonly tx: Transaction },
  swap: SwapActionParameters,
  executable: Executable,
): Promise<Executable> {
  await deps.startAction(tx, actionPlan(deps, swap, executable));
  return executable.kind === 'deposit' ? ((await findOpenDeposit(tx, swap)) ?? executable) : executable;
}

function actionPlan(deps: SwapActionDeps, swap: SwapActionParameters, executable: Executable): ActionPlan {
  const { actionId: id, customerId, quoteId, request, offer, deadline, webhookUrl } = swap;
  const { origin, destination, tokenIn, tokenOut, refundAddress, fiat } = request;
  return {
    id,
    customerId,
    quoteId,
    type: swapActionType(request),
    isDraft: isDraftOf(request, swap),
    provider: fiat?.name ?? offer.provider,
    webhookUrl,
    originAddress: swap.sender,
    receiverAddress: swap.recipient,
    refundAddress,
    chainIdIn: origin.chainId,
    chainIdOut: destination.chainId,
    tokenIn,
    tokenOut,
    amountIn: offer.amountIn,
    amountOut: offer.expectedAmountOut,
    minAmountOut: offer.minAmountOut,
    amountInUsd: plausibleUsd(swap.amountInUsd),
    amountOutUsd: plausibleUsd(swap.amountOutUsd),
    fees: actionFees(swap.feeLines),
    expiresAt: new Date(deadline.getTime() + (deps.actionExpirySeconds + transitSeconds(executable)) * 1000),
    steps: stepsOf(deps, swap),
    calls: expectedCalls(executable),
    delivery: deliveryOf(swap, executable),
  };
}

/** Transfers between US banks take days, and pause at weekends. */
const BANK_TRANSIT_SECONDS = 7 * 86_400;

/** Seconds that a payment made before the deadline may take until it is seen. */
const transitSeconds = (executable: Executable): number =>
  executable.kind === 'payment' && executable.rail !== 'PIX' ? BANK_TRANSIT_SECONDS : 0;

function stepsOf({ providers }: SwapActionDeps, { request, offer }: SwapActionParameters): readonly PlannedStep[] {
  const { origin, destination, fiat } = request;
  const type = swapActionType(request);
  const protocol = fiat?.name ?? offer.provider;
  const own = { operator: 'USER' as const, protocol, chainId: origin.chainId };
  if (type === 'SAMECHAIN_SWAP') return [{ kind: 'SWAP', ...own }];
  if (type === 'ON_RAMP_FIAT') return [{ kind: 'FIAT_IN', ...own }, destinationStep({ request, offer })];
  if (type === 'OFF_RAMP_FIAT') {
    const payout = { kind: 'FIAT_OUT', operator: 'PROVIDER', protocol, chainId: destination.chainId } as const;
    return [{ ...own, ...originStep({ request, offer, protocol }) }, payout];
  }
  return [
    { kind: 'BRIDGE', ...own },
    { kind: 'BRIDGE', operator: deliveryOperator(providers, offer), protocol, chainId: destination.chainId },
  ];
}

/** The party that carries out the second step of a transfer between chains. */
export const deliveryOperator = (
  providers: readonly QuoteProvider[],
  { provider }: Pick<ProviderQuote, 'provider'>,
): 'PROVIDER' | 'SERVICE' =>
  providers.filter(hasDeliveries).find(({ id }) => id === provider)?.completedBy ?? 'PROVIDER';

/** The step at the destination: the ramp's payout, or the swap that the service executes with it. */
function destinationStep({ request, offer }: Pick<SwapActionParameters, 'request' | 'offer'>): PlannedStep {
  const { destination, fiat } = request;
  const [kind, { chainId }] = [venueKind({ request, offer }), destination];
  if (kind === undefined)
    return { kind: 'TRANSFER', operator: 'PROVIDER', protocol: fiat?.name ?? offer.provider, chainId };
  return { kind, operator: 'SERVICE', protocol: offer.route.at(-1)?.protocol ?? offer.provider, chainId };
}

/** The step at the origin: a transfer to the ramp, or a call of a venue that delivers another token to the ramp. */
function originStep({
  request,
  offer,
  protocol,
}: Pick<SwapActionParameters, 'request' | 'offer'> & { readonly protocol: string }) {
  const kind = venueKind({ request, offer });
  if (kind === undefined) return { kind: 'TRANSFER', protocol } as const;
  return { kind, protocol: offer.route[0]?.protocol ?? offer.provider };
}

/** Kind of the venue between wallet and ramp; `undefined` when the route is direct. */
function venueKind({
  request,
  offer: { route },
}: Pick<SwapActionParameters, 'request' | 'offer'>): 'SWAP' | 'BRIDGE' | undefined {
  if (route.length < 2) return undefined;
  const { origin, destination } = request;
  const wallets = origin.kind === 'fiat' ? destination : origin;
  // The chain of a leg is the chain that it starts on, so the ramp's leg has the ramp's chain.
  return route.every(({ chainId }) => chainId === wallets.chainId) ? 'SWAP' : 'BRIDGE';
}

/** Routes between chains, and from and to fiat, are delivered by their provider. */
function deliveryOf({ request, offer }: SwapActionParameters, executable: Executable): ActionPlan['delivery'] {
  const { provider } = offer;
  if (executable.kind === 'deposit') {
    const { address, reference } = executable;
    return { provider, deposit: { address, reference } };
  }
  if (executable.kind === 'payment')
    return { provider, deposit: { address: executable.rail, reference: executable.reference } };
  return swapActionType(request) === 'SAMECHAIN_SWAP' ? undefined : { provider };
}
