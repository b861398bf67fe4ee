import { isNativeToken, isSameAddress } from '../../chains/addresses';
import { shortfallOf } from '../amounts/shortfall';
import { MAX_DRIFT_PPM } from '../state/max-share-price-drift';
import type { SubmittedStep } from './submitted-steps';

type Step = Pick<SubmittedStep, 'kind' | 'chainId' | 'isLast' | 'action'>;

/**
 * Shortfall of the last step of an action on one chain, or of the deposit after a transfer, whose transaction succeeded: the calldata of
 * a venue may not enforce the minimum, and that of a strategy without the router does not. `undefined` also for the native coin and its wrapper, whose amounts events
 * may not show, for a deposit or withdrawal whose amount is unknown, and for a swap before another step, which fails itself
 * when the swap brings too little. A claim of a reward that brings nothing came too late: another account has claimed for the wallet.
 * A request is what its vault has recorded.
 */
export function swapShortfall(step: Step, amounts: ReceivedAmount): string | undefined {
  if (!bringsOutput(step) || isUnknown(step, amounts)) return undefined;
  const { kind, action } = step;
  if (kind === 'DEPOSIT' && isWithinDrift(action, amounts.received)) return undefined;
  return shortfallOf(action, { arrived: amounts.received, flaw: undefined });
}

interface ReceivedAmount {
  readonly received: bigint | undefined;
  readonly wrappedNative: string | undefined;
}

const KINDS: ReadonlySet<string> = new Set(['SWAP', 'DEPOSIT', 'WITHDRAW', 'REQUEST', 'CLAIM']);
/** Kinds that bring nothing when their contract states nothing. */
const STATED: ReadonlySet<string> = new Set(['REQUEST', 'CLAIM']);

function bringsOutput({ kind, chainId, isLast, action }: Step): boolean {
  const isOwn = chainId === action.chainIdOut && (kind === 'DEPOSIT' || chainId === action.chainIdIn);
  return isLast && isOwn && KINDS.has(kind) && !isNativeToken(action.tokenOut);
}

const isUnknown = ({ kind, action }: Step, { received, wrappedNative }: ReceivedAmount): boolean =>
  received === undefined && !STATED.has(kind) && (kind !== 'SWAP' || isSameAddress(action.tokenOut, wrappedNative));

const MILLION = 1_000_000n;

const isWithinDrift = ({ minAmountOut }: SubmittedStep['action'], received = 0n): boolean =>
  received * MILLION >= minAmountOut * (MILLION - MAX_DRIFT_PPM);
