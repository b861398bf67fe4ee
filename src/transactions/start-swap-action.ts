import type { CustomerId } from '../auth/principal';
import type { Transaction } from '../persistence/database';
import type { BridgeProvider } from '../venues/delivery-source';
import type { StoredFeeLine } from '../quotes/find-quote';
import type { ProviderQuote, QuoteProvider, QuoteRequest } from '../venues/quote-provider';
import { actionFees, plausibleUsd } from './action-fees';
import type { ActionPlan, ActionStarter, PlannedStep } from './action-plan';
import type { ExecutableSwap } from './execution/executable';
import { handedOutCalls } from './expected-calls';
import { findOpenDeposit } from './open-deposit';

export interface ActionDeps extends ActionStarter {
  readonly providers: readonly QuoteProvider[];
  /** How long after the quote's deadline an action of which nothing was seen is given up. */
  readonly actionExpirySeconds: number;
}

export interface SwapOrder {
  readonly actionId: string;
  readonly customerId: CustomerId;
  readonly quoteId: string;
  readonly request: QuoteRequest;
  readonly offer: ProviderQuote;
  readonly deadline: Date;
  readonly sender: string;
  readonly recipient: string;
  readonly webhookUrl: string | undefined;
  readonly amountInUsd: number | undefined;
  readonly amountOutUsd: number | undefined;
  readonly feeLines: readonly StoredFeeLine[];
}

/** Type of the action that a quote makes. */
export function swapType({ origin, destination }: Pick<QuoteRequest, 'origin' | 'destination'>) {
  if (origin.kind === 'fiat') return 'ON_RAMP_FIAT';
  if (destination.kind === 'fiat') return 'OFF_RAMP_FIAT';
  return origin.chainId === destination.chainId ? 'SAMECHAIN_SWAP' : 'CROSSCHAIN_SWAP';
}

/**
 * Creates the action of a quote, or finds it, and makes its calls known to the trackers. Returns what to hand out: of
 * several deposits that concurrent requests opened, the one that the action waits for.
 *
 * Within one chain the action has one step, the swap; else the second is somebody else's. Approvals are legs
 * of the first step, not steps of their own: one may be mined long before, or serve several actions, and moves no money.
 */
export async function startSwapAction(
  { deps, tx }: { readonly deps: ActionDeps; readonly tx: Transaction },
  order: SwapOrder,
  executable: ExecutableSwap,
): Promise<ExecutableSwap> {
  await deps.startAction(tx, actionPlan(deps, order, executable));
  return executable.kind === 'deposit' ? ((await findOpenDeposit(tx, order)) ?? executable) : executable;
}

function actionPlan(deps: ActionDeps, order: SwapOrder, executable: ExecutableSwap): ActionPlan {
  const { actionId: id, customerId, quoteId, request, offer, deadline, webhookUrl } = order;
  const { origin, destination, tokenIn, tokenOut, refundAddress, fiat } = request;
  return {
    id,
    customerId,
    quoteId,
    type: swapType(request),
    provider: fiat?.name ?? offer.provider,
    webhookUrl,
    originAddress: order.sender,
    receiverAddress: order.recipient,
    refundAddress,
    chainIdIn: origin.chainId,
    chainIdOut: destination.chainId,
    tokenIn,
    tokenOut,
    amountIn: offer.amountIn,
    amountOut: offer.expectedAmountOut,
    minAmountOut: offer.minAmountOut,
    amountInUsd: plausibleUsd(order.amountInUsd),
    amountOutUsd: plausibleUsd(order.amountOutUsd),
    fees: actionFees(order.feeLines),
    expiresAt: new Date(deadline.getTime() + (deps.actionExpirySeconds + transitSeconds(executable)) * 1000),
    steps: stepsOf(deps, order),
    calls: handedOutCalls(executable),
    delivery: deliveryOf(order, executable),
  };
}

/** Banks in the United States take days, and rest at weekends. */
const BANK_TRANSIT_SECONDS = 7 * 86_400;

/** How long a payment that was made in time may be on its way unseen. */
const transitSeconds = (executable: ExecutableSwap): number =>
  executable.kind === 'payment' && executable.rail !== 'PIX' ? BANK_TRANSIT_SECONDS : 0;

function stepsOf({ providers }: ActionDeps, { request, offer }: SwapOrder): readonly PlannedStep[] {
  const { origin, destination, fiat } = request;
  const type = swapType(request);
  const protocol = fiat?.name ?? offer.provider;
  const own = { operator: 'USER' as const, protocol, chainId: origin.chainId };
  if (type === 'SAMECHAIN_SWAP') return [{ kind: 'SWAP', ...own }];
  if (type === 'ON_RAMP_FIAT') return [{ kind: 'FIAT_IN', ...own }, arrival({ request, offer })];
  if (type === 'OFF_RAMP_FIAT') {
    const payout = { kind: 'FIAT_OUT', operator: 'PROVIDER', protocol, chainId: destination.chainId } as const;
    return [{ ...own, ...departure({ request, offer, protocol }) }, payout];
  }
  const provider: Partial<BridgeProvider> | undefined = providers.find(({ id }) => id === offer.provider);
  const operator = provider?.completedBy ?? 'PROVIDER';
  return [
    { kind: 'BRIDGE', ...own },
    { kind: 'BRIDGE', operator, protocol, chainId: destination.chainId },
  ];
}

/** What the ramp pays out itself, or what the service buys with that. */
function arrival({ request, offer }: Pick<SwapOrder, 'request' | 'offer'>): PlannedStep {
  const { destination, fiat } = request;
  const [kind, { chainId }] = [carriedBy({ request, offer }), destination];
  if (kind === undefined)
    return { kind: 'TRANSFER', operator: 'PROVIDER', protocol: fiat?.name ?? offer.provider, chainId };
  return { kind, operator: 'SERVICE', protocol: offer.route.at(-1)?.protocol ?? offer.provider, chainId };
}

/** What brings the money to the ramp: a transfer, or a venue by whose call it gets there as another token. */
function departure({ request, offer, protocol }: Pick<SwapOrder, 'request' | 'offer'> & { readonly protocol: string }) {
  const kind = carriedBy({ request, offer });
  if (kind === undefined) return { kind: 'TRANSFER', protocol } as const;
  return { kind, protocol: offer.route[0]?.protocol ?? offer.provider };
}

/** How a route between a wallet and a ramp leads through other venues; `undefined` when it does not. */
function carriedBy({ request, offer: { route } }: Pick<SwapOrder, 'request' | 'offer'>): 'SWAP' | 'BRIDGE' | undefined {
  if (route.length < 2) return undefined;
  const { origin, destination } = request;
  const wallets = origin.kind === 'fiat' ? destination : origin;
  // A leg is on the chain that it begins on: the ramp's tells where the ramp is.
  return route.every(({ chainId }) => chainId === wallets.chainId) ? 'SWAP' : 'BRIDGE';
}

/** Between chains somebody else carries the money on, and a ramp to a bank and from it. */
function deliveryOf({ request, offer }: SwapOrder, executable: ExecutableSwap): ActionPlan['delivery'] {
  const { provider } = offer;
  if (executable.kind === 'deposit') {
    const { address, reference } = executable;
    return { provider, deposit: { address, reference } };
  }
  if (executable.kind === 'payment')
    return { provider, deposit: { address: executable.rail, reference: executable.reference } };
  return swapType(request) === 'SAMECHAIN_SWAP' ? undefined : { provider };
}
