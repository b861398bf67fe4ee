import { type Address, encodeFunctionData, erc20Abi, isAddressEqual, maxUint256 } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import type { BaseUnits } from '../../money/base-units';
import { readHoldings } from '../../rpc/erc20';
import type { SentForPurpose, ServiceCall, ServiceSending, ServiceWallet } from '../../rpc/service-wallet';
import type { ProviderQuote, SwapCall } from '../quote-provider';
import type { Anchor } from './anchors';
import type { ComposedVenueDeps } from './composed-deps';
import { bestLeg, type LegRequest } from './leg';

/** What the service carries on with a ramp's payment. */
export interface ServiceOrder {
  readonly actionId: string;
  readonly customerId: string;
  readonly anchor: Anchor;
  readonly leg: LegRequest;
  /** As it was quoted: whose provider carries it when it leads to another chain, and follows it there. */
  readonly planned: ProviderQuote;
  /** What the customer was promised at least. */
  readonly least: BaseUnits;
  /** Of the anchor. */
  readonly amount: BaseUnits;
  readonly recipient: string;
}

export interface ServiceLegDeps extends Pick<ComposedVenueDeps, 'venues' | 'askProvider' | 'ramp' | 'rpc'> {
  readonly serviceWallet: ServiceWallet;
}

/**
 * What the service's transactions are for. One purpose for what is bought and for the ramp's token alike: the wallet lets
 * one transaction of a purpose take effect, whoever asks for which of them, whatever they remember.
 */
const PURPOSE = { approval: 'ramp-approval', payment: 'ramp-payment' } as const;
/** Of transactions that buy, and of all: what the customer gets in the end does not fail because of those. */
const [MOST_LEGS, MOST_ATTEMPTS] = [3, 6];

/** What was sent of the ramp's payment. @throws PROVIDER_UNAVAILABLE */
export const sentFor = (
  { serviceWallet }: ServiceLegDeps,
  { actionId, customerId, anchor: { chain } }: ServiceOrder,
  signal: AbortSignal,
): Promise<SentForPurpose> =>
  serviceWallet.sentFor({
    actionId,
    customerId,
    purpose: PURPOSE.payment,
    signal,
    chainId: chain.chainId,
    confirmations: chain.confirmations,
  });

/**
 * Buys what was promised. Where it is not sent: `later` when something that it needs was sent before it, `impossible` when
 * nobody keeps the promise now.
 *
 * @throws PROVIDER_UNAVAILABLE; the failure of a venue when all of them fail
 */
export async function sendLeg(
  deps: ServiceLegDeps,
  order: ServiceOrder,
  signal: AbortSignal,
): Promise<'sent' | 'later' | 'impossible'> {
  const offer = await bestLeg({ ...deps, venues: carriersOf(deps, order) }, order.leg, signal);
  if (offer === undefined || !isKept(order, offer)) return 'impossible';
  // A price that moves too far from now on is for the chain to refuse.
  const least = offer.minAmountOut > order.least ? offer.minAmountOut : order.least;
  const call = await callOf(deps, { order, offer: { ...offer, minAmountOut: least } }, signal);
  const allowance = await allowed(deps, { order, call }, signal);
  if (allowance !== 'enough') return allowance === 'asked' ? 'later' : 'impossible';
  const sending = await send(deps, order, { purpose: PURPOSE.payment, call, mostAttempts: MOST_LEGS, signal });
  return sending === 'refused' ? 'impossible' : 'sent';
}

/** Gives the customer what the ramp paid. @throws PROVIDER_UNAVAILABLE, also when the chain refuses it */
export async function sendAnchor(deps: ServiceLegDeps, order: ServiceOrder, signal: AbortSignal): Promise<void> {
  const call = anchorCall(order);
  const sending = await send(deps, order, { purpose: PURPOSE.payment, call, mostAttempts: MOST_ATTEMPTS, signal });
  if (sending !== 'refused') return;
  const reason = 'the chain refuses to pass on what it paid';
  throw serviceError('PROVIDER_UNAVAILABLE', { provider: deps.ramp.id, reason });
}

/** True when what was sent is the ramp's token itself. */
export const isAnchor = (order: ServiceOrder, { to, data }: Pick<ServiceCall, 'to' | 'data'>): boolean => {
  const anchor = anchorCall(order);
  return isAddressEqual(to as Address, anchor.to as Address) && data.toLowerCase() === anchor.data.toLowerCase();
};

function anchorCall({ anchor, amount, recipient }: ServiceOrder): ServiceCall {
  const args = [recipient as Address, amount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  return { chainId: anchor.chain.chainId, to: anchor.token.address, data, value: 0n };
}

const staysOnChain = ({ leg: { origin, destination } }: ServiceOrder): boolean =>
  origin.chainId === destination.chainId;

/** Another chain is reached by who was chosen at first: whoever follows the transfer has to know whose it is. */
const carriersOf = ({ venues }: ServiceLegDeps, order: ServiceOrder) =>
  staysOnChain(order) ? venues : venues.filter(({ id }) => id === order.planned.provider);

/** Swaps revert below their minimum. What leads to another chain does not: there the worst counts. */
const isKept = (order: ServiceOrder, { expectedAmountOut, minAmountOut }: ProviderQuote): boolean =>
  (staysOnChain(order) ? expectedAmountOut : minAmountOut) >= order.least;

interface Leg {
  readonly order: ServiceOrder;
  readonly offer: ProviderQuote;
}

const VALID_SECONDS = 1200;

async function callOf(deps: ServiceLegDeps, { order, offer }: Leg, signal: AbortSignal): Promise<SwapCall> {
  const venue = deps.venues.find(({ id }) => id === offer.provider);
  invariant(venue, 'a venue that offers is registered');
  const sender = deps.serviceWallet.address;
  const deadline = Math.floor(Date.now() / 1000) + VALID_SECONDS;
  const { leg, recipient } = order;
  const request = { ...leg, originAddress: sender, destinationAddress: recipient };
  const call = await venue.build({ request, quote: offer, sender, recipient, deadline }, signal);
  invariant(call.kind === 'call' && call.value === 0n, 'a token of a ramp is moved by a call');
  return call;
}

interface Allowed {
  readonly order: ServiceOrder;
  readonly call: SwapCall;
}

/** Whether the venue may take enough; where it may not, it is approved. */
async function allowed(
  deps: ServiceLegDeps,
  { order, call }: Allowed,
  signal: AbortSignal,
): Promise<'enough' | 'asked' | 'refused'> {
  const { anchor, amount } = order;
  const { spender, from: owner } = call;
  const { chainId } = anchor.chain;
  const token = anchor.token.address;
  if (spender === undefined || isNativeToken(token)) return 'enough';
  const [holding] = await readHoldings({ rpc: deps.rpc, chainId }, [{ token, owner, spender }], { signal });
  if ((holding?.allowance ?? 0n) >= amount) return 'enough';
  // Without bound: several actions share the allowance, and the venues take from whoever calls them alone.
  const args = [spender as Address, maxUint256] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
  const approval = { chainId, to: token, data, value: 0n };
  const purpose = `${PURPOSE.approval}-${spender.slice(2, 10).toLowerCase()}`;
  return (await send(deps, order, { purpose, call: approval, signal })) === 'refused' ? 'refused' : 'asked';
}

interface Sending {
  readonly purpose: string;
  readonly call: ServiceCall;
  readonly mostAttempts?: number;
  readonly signal: AbortSignal;
}

/** @throws PROVIDER_UNAVAILABLE when the wallet of the service cannot pay for the gas */
async function send(
  { serviceWallet, ramp }: ServiceLegDeps,
  { actionId, customerId, anchor }: ServiceOrder,
  { call: { chainId, to, data, value }, ...sending }: Sending,
): Promise<Exclude<ServiceSending, 'unfunded'>> {
  const { confirmations } = anchor.chain;
  const call = { chainId, to, data, value };
  const answer = await serviceWallet.send({ actionId, customerId, confirmations, ...sending, call });
  if (answer !== 'unfunded') return answer;
  const reason = 'the wallet of the service lacks the coin of the chain';
  throw serviceError('PROVIDER_UNAVAILABLE', { provider: ramp.id, reason });
}
