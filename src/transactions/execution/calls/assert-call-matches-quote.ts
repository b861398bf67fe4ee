import { toFunctionSelector } from 'viem';
import { isNativeToken, parseEvmAddress } from '../../../chains/addresses';
import { serviceError, type ServiceError } from '../../../errors/service-error';
import type { ProviderQuote, QuoteRequest, SwapCall } from '../../../venues/quote-provider';

export interface Order {
  readonly request: Pick<QuoteRequest, 'origin' | 'tokenIn'>;
  readonly offer: Pick<ProviderQuote, 'provider' | 'maxAmountIn' | 'nativeFee'>;
  readonly sender: string;
}

/**
 * Checks a call that a provider built against what was quoted. Providers are strangers: a call that takes more than the
 * quote says must not reach a wallet.
 *
 * @throws BYTECODE_GENERATION_FAILED
 */
export function assertCallFits(call: SwapCall, order: Order): void {
  const flaw = partiesFlaw(call, order) ?? formFlaw(call) ?? fundsFlaw(call, order);
  if (flaw !== undefined) throw misfit(order.offer, flaw);
}

/** What a provider built is not what it quoted. */
export const misfit = ({ provider }: Pick<ProviderQuote, 'provider'>, flaw: string): ServiceError =>
  serviceError('BYTECODE_GENERATION_FAILED', { reason: `the call that ${provider} built ${flaw}` });

function formFlaw({ to, data, spender }: SwapCall): string | undefined {
  if (parseEvmAddress(to) === undefined) return 'has no valid target';
  if (spender !== undefined && parseEvmAddress(spender) === undefined) return 'has no valid spender';
  return /^0x(?:[0-9a-f]{2}){4,}$/i.test(data) ? undefined : 'has no valid calldata';
}

/** Native coin goes along when it is what is sold, and for the fee that was quoted; only a token needs a spender. */
function fundsFlaw({ value, spender }: SwapCall, { request, offer }: Order): string | undefined {
  const sellsNative = isNativeToken(request.tokenIn.address);
  const quoted = (sellsNative ? offer.maxAmountIn : 0n) + (offer.nativeFee ?? 0n);
  if (value !== quoted) return 'sends another amount of native coin than was quoted';
  return sellsNative && spender !== undefined ? 'asks for an approval of the native coin' : undefined;
}

function partiesFlaw(call: SwapCall, { request, sender, offer }: Order): string | undefined {
  const { chainId, from, to, spender } = call;
  const { origin, tokenIn } = request;
  if (origin.kind !== 'evm' || chainId !== origin.chainId) return 'is for another chain';
  if (!isSame(from, sender)) return 'has another sender';
  const callsToken = isSame(to, tokenIn.address);
  if (callsToken && turnsAgainstOwner(call, offer.maxAmountIn)) return 'turns the token against its owner';
  if (spender === undefined) return undefined;
  // To call the token itself, or to approve the token or the sender, can only be meant to move funds elsewhere.
  const senseless = callsToken || isSame(spender, tokenIn.address);
  return senseless || isSame(spender, sender) ? 'turns the approval of the token against its owner' : undefined;
}

const TRANSFER = toFunctionSelector('transfer(address,uint256)');
/** Functions of a token that let somebody else take from it, now or later. */
const GRANTS: ReadonlySet<string> = new Set(
  [
    ...['approve(address,uint256)', 'increaseAllowance(address,uint256)', 'transferFrom(address,address,uint256)'],
    ...['setApprovalForAll(address,bool)', 'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)'],
    'increaseApproval(address,uint256)',
  ].map((signature) => toFunctionSelector(signature)),
);

/** A token is called to unwrap it, or where a venue takes deposits by transfer: then no more than was quoted. */
function turnsAgainstOwner({ data }: SwapCall, most: bigint): boolean {
  const selector = data.slice(0, SELECTOR_LENGTH).toLowerCase();
  if (selector !== TRANSFER) return GRANTS.has(selector);
  const amount = data.slice(SELECTOR_LENGTH + WORD_LENGTH, SELECTOR_LENGTH + 2 * WORD_LENGTH);
  return amount.length !== WORD_LENGTH || BigInt(`0x${amount}`) > most;
}

const SELECTOR_LENGTH = '0x12345678'.length;
/** Hexadecimal digits of 32 bytes. */
const WORD_LENGTH = 64;

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
