import { isNativeToken, isSameAddress } from '../../../chains/addresses';
import type { QuoteRequest } from '../../quote-provider';
import { diamondOf } from './diamond';
import type { LifiStep } from './api-schemas';

export interface StepParties {
  readonly sender: string;
  readonly recipient: string;
}

/** The request that a step has to match. */
export interface ExpectedStep extends StepParties {
  readonly request: QuoteRequest;
}

/** Result of the check of a step. */
export type StepCheck =
  | {
      readonly outcome: 'valid';
      /** Native coin in addition to the sold amount, in wei. */
      readonly nativeFee: bigint;
    }
  | { readonly outcome: 'invalid'; readonly flaw: string };

/**
 * Compares a step with the request: the same tokens, amounts and wallets; a call of LI.FI's contract on the origin
 * chain, the only contract that may receive an allowance; no more native coin than the sold amount and the reported
 * fees.
 */
export function checkStep(step: LifiStep, expected: ExpectedStep): StepCheck {
  const flaw = tradeFlaw(step, expected) ?? callFlaw(step, expected);
  return flaw === undefined ? readValue(step, expected) : { outcome: 'invalid', flaw };
}

function tradeFlaw({ action, estimate }: LifiStep, { request, ...parties }: ExpectedStep): string | undefined {
  const { origin, destination, tokenIn, tokenOut, amount } = request;
  if (action.fromChainId !== origin.chainId || action.toChainId !== destination.chainId)
    return 'it is for other chains';
  const isForTokens =
    isSameToken(action.fromToken.address, tokenIn.address) && isSameToken(action.toToken.address, tokenOut.address);
  if (!isForTokens) return 'it is for other tokens';
  if (action.fromAmount !== amount || estimate.fromAmount !== amount) return 'it sells another amount';
  return isFor(action, parties) ? undefined : 'it is for other wallets';
}

const isFor = ({ fromAddress, toAddress }: LifiStep['action'], { sender, recipient }: StepParties): boolean =>
  isSameAddress(fromAddress ?? sender, sender) && isSameAddress(toAddress ?? recipient, recipient);

function callFlaw({ estimate, transactionRequest: call }: LifiStep, { request, sender, recipient }: ExpectedStep) {
  const diamond = diamondOf(request.origin);
  if (call.chainId !== request.origin.chainId) return 'its transaction is for another chain';
  if (!isSameAddress(call.from, sender)) return 'its transaction has another sender';
  if (call.to !== diamond) return 'it calls another contract than the contract of LI.FI';
  if (!isNativeToken(request.tokenIn.address) && estimate.approvalAddress !== diamond) {
    return 'it requests an allowance for another contract than the contract of LI.FI';
  }
  // Every function of the contract takes the recipient. Execution on the destination chain cannot be simulated.
  const isNamed = call.data.toLowerCase().includes(recipient.slice('0x'.length).toLowerCase());
  return isNamed ? undefined : 'its transaction does not contain the recipient';
}

function readValue(step: LifiStep, { request }: ExpectedStep): StepCheck {
  const sold = isNativeToken(request.tokenIn.address) ? request.amount : 0n;
  const nativeFee = step.transactionRequest.value - sold;
  if (nativeFee < 0n) return { outcome: 'invalid', flaw: 'it sends less native coin than the amount to sell' };
  const explained = (step.estimate.feeCosts ?? [])
    .filter(({ included, token }) => !included && isCoinOf(request, token))
    .reduce((sum, { amount }) => sum + amount, 0n);
  if (nativeFee <= explained) return { outcome: 'valid', nativeFee };
  return { outcome: 'invalid', flaw: 'it sends more native coin than its fees explain' };
}

const isCoinOf = ({ origin }: QuoteRequest, token: LifiStep['action']['fromToken']): boolean =>
  token.chainId === origin.chainId && isNativeToken(token.address);

/** True for the same token; both spellings of the native coin are equal. */
export const isSameToken = (one: string, other: string): boolean =>
  isSameAddress(one, other) || (isNativeToken(one) && isNativeToken(other));
