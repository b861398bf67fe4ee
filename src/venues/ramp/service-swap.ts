import { type Address, encodeFunctionData, erc20Abi, maxUint256 } from 'viem';
import { isNativeToken, isSameAddress } from '../../chains/addresses';
import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import type { BaseUnits } from '../../money/base-units';
import { readHoldings } from '../../rpc/erc20';
import type { SentForPurpose, ServiceCall, ServiceSending, ServiceWallet } from '../../rpc/service-wallet';
import type { ProviderQuote, SwapCall } from '../quote-provider';
import type { RampToken } from './ramp-tokens';
import { type RampSwapDeps, quoteBestLeg, type RampSwapRequest } from './swap-leg';
import { maxBigInt } from '../../money/min-max';

/** The swap of a ramp settlement that the service executes for the customer. */
export interface ServiceSwap {
  readonly actionId: string;
  readonly customerId: string;
  readonly rampToken: RampToken;
  readonly leg: RampSwapRequest;
  /** The quoted leg. Its provider follows a transfer to another chain. */
  readonly quotedLeg: ProviderQuote;
  /** Minimum output of the quote. */
  readonly minAmountOut: BaseUnits;
  /** Amount of the ramp token. */
  readonly amount: BaseUnits;
  readonly recipient: string;
}

export interface ServiceSwapDeps extends Pick<RampSwapDeps, 'venues' | 'requestProviderQuote' | 'ramp' | 'rpc'> {
  readonly serviceWallet: ServiceWallet;
}

/**
 * Purposes of service transactions. The swap and the fallback transfer share one purpose, because the wallet lets only
 * one transaction of a purpose take effect.
 */
const PURPOSE = { approval: 'ramp-approval', payment: 'ramp-payment' } as const;
/** Limits for swap attempts and for all attempts: failed swaps must not block the fallback transfer. */
const [MAX_SWAP_ATTEMPTS, MAX_ATTEMPTS] = [3, 6];

/** Reads the transaction that was sent for the settlement. @throws PROVIDER_UNAVAILABLE */
export const readSentCall = (
  { serviceWallet }: ServiceSwapDeps,
  { actionId, customerId, rampToken: { chain } }: ServiceSwap,
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
 * Sends the swap. `later`: an approval was sent first. `impossible`: no venue offers the minimum now.
 *
 * @throws PROVIDER_UNAVAILABLE; the failure of a venue when all of them fail
 */
export async function sendSwap(
  deps: ServiceSwapDeps,
  swap: ServiceSwap,
  signal: AbortSignal,
): Promise<'sent' | 'later' | 'impossible'> {
  const offer = await quoteBestLeg({ ...deps, venues: venuesFor(deps, swap) }, swap.leg, signal);
  if (offer === undefined || !meetsMinimum(swap, offer)) return 'impossible';
  // The chain reverts the swap when the price moves below the minimum.
  const minAmountOut = maxBigInt(offer.minAmountOut, swap.minAmountOut);
  const call = await buildCall(deps, { swap, offer: { ...offer, minAmountOut } }, signal);
  const allowance = await ensureAllowance(deps, { swap, call }, signal);
  if (allowance !== 'enough') return allowance === 'requested' ? 'later' : 'impossible';
  const outcome = await send(deps, swap, { purpose: PURPOSE.payment, call, maxAttempts: MAX_SWAP_ATTEMPTS, signal });
  return outcome === 'refused' ? 'impossible' : 'sent';
}

/** Sends the ramp token to the customer. @throws PROVIDER_UNAVAILABLE, also when the transfer reverts */
export async function sendRampToken(deps: ServiceSwapDeps, swap: ServiceSwap, signal: AbortSignal): Promise<void> {
  const call = rampTokenTransfer(swap);
  const outcome = await send(deps, swap, { purpose: PURPOSE.payment, call, maxAttempts: MAX_ATTEMPTS, signal });
  if (outcome !== 'refused') return;
  const reason = 'the chain rejects the transfer of its payment';
  throw serviceError('PROVIDER_UNAVAILABLE', { provider: deps.ramp.id, reason });
}

/** True for the fallback transfer of the ramp token. */
export const isRampTokenTransfer = (swap: ServiceSwap, { to, data }: Pick<ServiceCall, 'to' | 'data'>): boolean => {
  const rampToken = rampTokenTransfer(swap);
  return isSameAddress(to, rampToken.to) && data.toLowerCase() === rampToken.data.toLowerCase();
};

function rampTokenTransfer({ rampToken, amount, recipient }: ServiceSwap): ServiceCall {
  const args = [recipient as Address, amount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  return { chainId: rampToken.chain.chainId, to: rampToken.token.address, data, value: 0n };
}

const isSameChain = ({ leg: { origin, destination } }: ServiceSwap): boolean => origin.chainId === destination.chainId;

/** A transfer to another chain stays with the quoted provider, which follows it. */
const venuesFor = ({ venues }: ServiceSwapDeps, swap: ServiceSwap) =>
  isSameChain(swap) ? venues : venues.filter(({ id }) => id === swap.quotedLeg.provider);

/** Swaps revert below their minimum, bridge transfers do not: for those the guaranteed minimum counts. */
const meetsMinimum = (swap: ServiceSwap, { expectedAmountOut, minAmountOut }: ProviderQuote): boolean =>
  (isSameChain(swap) ? expectedAmountOut : minAmountOut) >= swap.minAmountOut;

interface Leg {
  readonly swap: ServiceSwap;
  readonly offer: ProviderQuote;
}

const VALID_SECONDS = 1200;

async function buildCall(deps: ServiceSwapDeps, { swap, offer }: Leg, signal: AbortSignal): Promise<SwapCall> {
  const venue = deps.venues.find(({ id }) => id === offer.provider);
  invariant(venue, 'a venue with an offer is registered');
  const sender = deps.serviceWallet.address;
  const deadline = Math.floor(Date.now() / 1000) + VALID_SECONDS;
  const { leg, recipient } = swap;
  const request = { ...leg, originAddress: sender, destinationAddress: recipient };
  const call = await venue.build({ request, quote: offer, sender, recipient, deadline }, signal);
  invariant(call.kind === 'call' && call.value === 0n, 'a token of a ramp is moved by a call');
  return call;
}

interface AllowanceParameters {
  readonly swap: ServiceSwap;
  readonly call: SwapCall;
}

/** Checks the allowance of the venue, and sends an approval when it is too low. */
async function ensureAllowance(
  deps: ServiceSwapDeps,
  { swap, call }: AllowanceParameters,
  signal: AbortSignal,
): Promise<'enough' | 'requested' | 'refused'> {
  const { rampToken, amount } = swap;
  const { spender, from: owner } = call;
  const { chainId } = rampToken.chain;
  const token = rampToken.token.address;
  if (spender === undefined || isNativeToken(token)) return 'enough';
  const [holding] = await readHoldings({ rpc: deps.rpc, chainId }, [{ token, owner, spender }], { signal });
  if ((holding?.allowance ?? 0n) >= amount) return 'enough';
  // Unlimited: several actions share the allowance, and the venues transfer only from their caller.
  const args = [spender as Address, maxUint256] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
  const approval = { chainId, to: token, data, value: 0n };
  const purpose = `${PURPOSE.approval}-${spender.slice(2, 10).toLowerCase()}`;
  return (await send(deps, swap, { purpose, call: approval, signal })) === 'refused' ? 'refused' : 'requested';
}

interface ServiceTransaction {
  readonly purpose: string;
  readonly call: ServiceCall;
  readonly maxAttempts?: number;
  readonly signal: AbortSignal;
}

/** Sends whatever the gas costs. @throws PROVIDER_UNAVAILABLE when the service wallet cannot pay it */
async function send(
  { serviceWallet, ramp }: ServiceSwapDeps,
  { actionId, customerId, rampToken }: ServiceSwap,
  { call: { chainId, to, data, value }, ...options }: ServiceTransaction,
): Promise<Extract<ServiceSending, object | 'refused'>> {
  const { confirmations } = rampToken.chain;
  const call = { chainId, to, data, value };
  const outcome = await serviceWallet.send({ actionId, customerId, confirmations, ...options, call });
  if (typeof outcome === 'object' || outcome === 'refused') return outcome;
  const reason = 'the wallet of the service has too little of the native coin';
  throw serviceError('PROVIDER_UNAVAILABLE', { provider: ramp.id, reason });
}
