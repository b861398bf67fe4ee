import { toFunctionSelector } from 'viem';
import { isNativeToken, isSameAddress, parseEvmAddress } from '../../../chains/addresses';
import { serviceError, type ServiceError } from '../../../errors/service-error';
import type { ProviderQuote, QuoteRequest, SwapCall } from '../../../venues/quote-provider';

export interface QuotedSwap {
  readonly request: Pick<QuoteRequest, 'origin' | 'tokenIn'>;
  readonly offer: Pick<ProviderQuote, 'provider' | 'maxAmountIn' | 'nativeFee'>;
  readonly sender: string;
}

/**
 * Checks a provider's call against the quote. Providers are not trusted: a call that takes more than quoted must not reach a
 * wallet.
 *
 * @throws BYTECODE_GENERATION_FAILED
 */
export function assertCallMatchesQuote(call: SwapCall, quoted: QuotedSwap): void {
  const problem = partiesProblem(call, quoted) ?? formProblem(call) ?? fundsProblem(call, quoted);
  if (problem !== undefined) throw callMismatchError(quoted.offer, problem);
}

/** The error for a provider's call that deviates from its quote. */
export const callMismatchError = ({ provider }: Pick<ProviderQuote, 'provider'>, problem: string): ServiceError =>
  serviceError('BYTECODE_GENERATION_FAILED', { reason: `the call that ${provider} built ${problem}` });

function formProblem({ to, data, spender }: SwapCall): string | undefined {
  if (parseEvmAddress(to) === undefined) return 'has no valid target';
  if (spender !== undefined && parseEvmAddress(spender) === undefined) return 'has no valid spender';
  return /^0x(?:[0-9a-f]{2}){4,}$/i.test(data) ? undefined : 'has no valid calldata';
}

/** The call may send native coin as input and for the quoted fee. Only a token needs a spender. */
function fundsProblem({ value, spender }: SwapCall, { request, offer }: QuotedSwap): string | undefined {
  const sellsNative = isNativeToken(request.tokenIn.address);
  const quoted = (sellsNative ? offer.maxAmountIn : 0n) + (offer.nativeFee ?? 0n);
  if (value !== quoted) return 'sends an amount of native coin other than quoted';
  return sellsNative && spender !== undefined ? 'requires an approval of the native coin' : undefined;
}

function partiesProblem(call: SwapCall, { request, sender, offer }: QuotedSwap): string | undefined {
  const { chainId, from, to, spender } = call;
  const { origin, tokenIn } = request;
  if (origin.kind !== 'evm' || chainId !== origin.chainId) return 'is for another chain';
  if (!isSameAddress(from, sender)) return 'has another sender';
  const callsToken = isSameAddress(to, tokenIn.address);
  if (callsToken && grantsOrOverpays(call, offer.maxAmountIn)) return 'grants others access to the token';
  if (spender === undefined) return undefined;
  // A call of the token with an approval, or an approval for the token or the sender, can only serve to steal funds.
  const isMisuse = callsToken || isSameAddress(spender, tokenIn.address);
  return isMisuse || isSameAddress(spender, sender) ? 'misuses the approval of the token' : undefined;
}

const TRANSFER = toFunctionSelector('transfer(address,uint256)');
/** Token functions that let another account take tokens, immediately or later. */
const GRANTS: ReadonlySet<string> = new Set(
  [
    ...['approve(address,uint256)', 'increaseAllowance(address,uint256)', 'transferFrom(address,address,uint256)'],
    ...['setApprovalForAll(address,bool)', 'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)'],
    'increaseApproval(address,uint256)',
  ].map((signature) => toFunctionSelector(signature)),
);

/** A call of the token itself may unwrap it, or transfer at most the quoted amount to a venue that takes deposits. */
function grantsOrOverpays({ data }: SwapCall, maxAmount: bigint): boolean {
  const selector = data.slice(0, SELECTOR_LENGTH).toLowerCase();
  if (selector !== TRANSFER) return GRANTS.has(selector);
  const amount = data.slice(SELECTOR_LENGTH + WORD_LENGTH, SELECTOR_LENGTH + 2 * WORD_LENGTH);
  return amount.length !== WORD_LENGTH || BigInt(`0x${amount}`) > maxAmount;
}

const SELECTOR_LENGTH = '0x12345678'.length;
/** Hexadecimal digits of 32 bytes. */
const WORD_LENGTH = 64;
