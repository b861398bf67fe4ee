import { type Address, encodeFunctionData, erc20Abi, maxUint256 } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import type { BaseUnits } from '../../money/base-units';
import { readHoldings } from '../../rpc/erc20';
import type { ServiceCall, ServiceSending } from '../../rpc/service-wallet';
import type { ProviderQuote, SwapCall } from '../quote-provider';
import type { Anchor } from './anchors';
import type { ComposedVenueDeps } from './composed-deps';
import { bestLeg, type LegRequest } from './leg';

/** What the service carries on with a ramp's payment. */
export interface ServiceOrder {
  readonly actionId: string;
  readonly anchor: Anchor;
  readonly leg: LegRequest;
  /** What the customer was promised at least. */
  readonly least: BaseUnits;
  /** Of the anchor. */
  readonly amount: BaseUnits;
  readonly recipient: string;
}

/** A transaction of the service, and who carries it where it leads to another chain. */
export interface Sent {
  readonly txHash: string;
  readonly provider: string;
}

/** What the service's transactions are for. */
const PURPOSE = { approval: 'ramp-approval', leg: 'ramp-leg', anchor: 'ramp-anchor' } as const;

/** True when somebody offers what was promised now. */
export async function isPromiseKept(
  deps: ComposedVenueDeps,
  order: ServiceOrder,
  signal: AbortSignal,
): Promise<boolean> {
  const offer = await bestLeg(deps, order.leg, signal);
  return offer !== undefined && offer.expectedAmountOut >= order.least;
}

const VALID_SECONDS = 1200;

/**
 * Buys what was promised, or carries on with the transaction that does. `undefined` while it has to wait; `refused` when it
 * would revert, and no transaction of it is on its way.
 */
export async function sendLeg(
  deps: ComposedVenueDeps,
  order: ServiceOrder,
  signal: AbortSignal,
): Promise<Sent | 'refused' | undefined> {
  const offer = await bestLeg(deps, order.leg, signal);
  if (offer === undefined) {
    throw serviceError('PROVIDER_UNAVAILABLE', { provider: deps.ramp.id, reason: 'nobody carries on what it paid' });
  }
  // A price that has moved too far is for the wallet to refuse, which knows what it has sent before.
  const least = offer.minAmountOut > order.least ? offer.minAmountOut : order.least;
  const call = await callOf(deps, { order, offer: { ...offer, minAmountOut: least } }, signal);
  if (!(await isAllowed(deps, { order, call }, signal))) return undefined;
  const sending = await send(deps, order, { purpose: PURPOSE.leg, call, signal });
  if (sending === 'refused') return 'refused';
  return { txHash: hashOf(sending), provider: offer.provider };
}

/** Gives the customer what the ramp paid. */
export async function sendAnchor(
  deps: ComposedVenueDeps,
  order: ServiceOrder,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  const { anchor, amount, recipient } = order;
  const args = [recipient as Address, amount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  const call = { chainId: anchor.chain.chainId, to: anchor.token.address, data, value: 0n };
  const sending = await send(deps, order, { purpose: PURPOSE.anchor, call, signal });
  return sending === 'refused' ? undefined : { txHash: hashOf(sending), provider: 'transfer' };
}

interface Leg {
  readonly order: ServiceOrder;
  readonly offer: ProviderQuote;
}

async function callOf(deps: ComposedVenueDeps, { order, offer }: Leg, signal: AbortSignal): Promise<SwapCall> {
  const venue = deps.venues.find(({ id }) => id === offer.provider);
  invariant(venue && deps.serviceWallet, 'a venue that offers is registered');
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

/** Approves the venue where it may not take enough. False until the approval is mined. */
async function isAllowed(deps: ComposedVenueDeps, { order, call }: Allowed, signal: AbortSignal): Promise<boolean> {
  const { anchor, amount } = order;
  const { spender } = call;
  const { chainId } = anchor.chain;
  const token = anchor.token.address;
  if (spender === undefined || isNativeToken(token)) return true;
  const owner = call.from;
  const [holding] = await readHoldings({ rpc: deps.rpc, chainId }, [{ token, owner, spender }], { signal });
  if ((holding?.allowance ?? 0n) >= amount) return true;
  // Without bound: several actions share the allowance, and the venues take from whoever calls them alone.
  const args = [spender as Address, maxUint256] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
  const approval = { chainId, to: token, data, value: 0n };
  await send(deps, order, {
    purpose: `${PURPOSE.approval}-${spender.slice(2, 10).toLowerCase()}`,
    call: approval,
    signal,
  });
  return false;
}

interface Order {
  readonly purpose: string;
  readonly call: ServiceCall;
  readonly signal: AbortSignal;
}

/** @throws PROVIDER_UNAVAILABLE when the wallet of the service cannot pay for the gas */
async function send(
  deps: ComposedVenueDeps,
  { actionId }: ServiceOrder,
  { purpose, call, signal }: Order,
): Promise<Exclude<ServiceSending, 'unfunded'>> {
  const { serviceWallet, tickets } = deps;
  const customerId = (await tickets.find(actionId))?.customerId;
  invariant(serviceWallet && customerId, 'only with a wallet of the service are routes composed');
  const { chainId, to, data, value } = call;
  const sending = await serviceWallet.send({
    ...{ customerId, actionId, purpose, signal },
    call: { chainId, to, data, value },
  });
  if (sending !== 'unfunded') return sending;
  const reason = 'the wallet of the service lacks the coin of the chain';
  throw serviceError('PROVIDER_UNAVAILABLE', { provider: deps.ramp.id, reason });
}

const hashOf = (sending: Exclude<ServiceSending, 'unfunded' | 'refused'>): string => sending.txHash;
