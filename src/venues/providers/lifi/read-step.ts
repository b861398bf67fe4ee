import { isNativeToken } from '../../../chains/addresses';
import type { QuoteRequest } from '../../quote-provider';
import { diamondOf } from './diamond';
import type { Step } from './wire';

export interface Parties {
  readonly sender: string;
  readonly recipient: string;
}

/** What was asked for, to hold an answer against. */
export interface Asked extends Parties {
  readonly request: QuoteRequest;
}

/** A step that may be signed, or what is wrong with it. */
export type StepReading =
  | {
      readonly outcome: 'fits';
      /** Native coin on top of what is sold, in wei. */
      readonly nativeFee: bigint;
    }
  | { readonly outcome: 'flawed'; readonly flaw: string };

/**
 * Holds a step against what was asked for: the same tokens, amounts and wallets; a call of LI.FI's contract on the
 * origin chain, which alone may be allowed to take tokens; no more native coin than is sold and the fees explain.
 */
export function readStep(step: Step, asked: Asked): StepReading {
  const flaw = tradeFlaw(step, asked) ?? callFlaw(step, asked);
  return flaw === undefined ? readValue(step, asked) : { outcome: 'flawed', flaw };
}

function tradeFlaw({ action, estimate }: Step, { request, ...parties }: Asked): string | undefined {
  const { origin, destination, tokenIn, tokenOut, amount } = request;
  if (action.fromChainId !== origin.chainId || action.toChainId !== destination.chainId)
    return 'it is for other chains';
  const isForTokens =
    isSameToken(action.fromToken.address, tokenIn.address) && isSameToken(action.toToken.address, tokenOut.address);
  if (!isForTokens) return 'it is for other tokens';
  if (action.fromAmount !== amount || estimate.fromAmount !== amount) return 'it sells another amount';
  return isFor(action, parties) ? undefined : 'it is for other wallets';
}

const isFor = ({ fromAddress, toAddress }: Step['action'], { sender, recipient }: Parties): boolean =>
  isSame(fromAddress ?? sender, sender) && isSame(toAddress ?? recipient, recipient);

function callFlaw({ estimate, transactionRequest: call }: Step, { request, sender, recipient }: Asked) {
  const diamond = diamondOf(request.origin);
  if (call.chainId !== request.origin.chainId) return 'its transaction is for another chain';
  if (!isSame(call.from, sender)) return 'its transaction has another sender';
  if (call.to !== diamond) return 'it calls another contract than that of LI.FI';
  if (!isNativeToken(request.tokenIn.address) && estimate.approvalAddress !== diamond) {
    return 'it asks for an allowance of another contract than that of LI.FI';
  }
  // Every function of the contract is told the receiver. What happens on the other chain cannot be simulated.
  const isNamed = call.data.toLowerCase().includes(recipient.slice('0x'.length).toLowerCase());
  return isNamed ? undefined : 'its transaction does not name the recipient';
}

function readValue(step: Step, { request }: Asked): StepReading {
  const sold = isNativeToken(request.tokenIn.address) ? request.amount : 0n;
  const nativeFee = step.transactionRequest.value - sold;
  if (nativeFee < 0n) return { outcome: 'flawed', flaw: 'it sends less native coin than is sold' };
  const explained = (step.estimate.feeCosts ?? [])
    .filter(({ included, token }) => !included && isCoinOf(request, token))
    .reduce((sum, { amount }) => sum + amount, 0n);
  if (nativeFee <= explained) return { outcome: 'fits', nativeFee };
  return { outcome: 'flawed', flaw: 'it sends more native coin than its fees explain' };
}

const isCoinOf = ({ origin }: QuoteRequest, token: Step['action']['fromToken']): boolean =>
  token.chainId === origin.chainId && isNativeToken(token.address);

/** Both spellings of the native coin are one. */
export const isSameToken = (one: string, other: string): boolean =>
  isSame(one, other) || (isNativeToken(one) && isNativeToken(other));

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
