import { isNativeToken, parseEvmAddress } from '../chains/addresses';
import { serviceError } from '../errors/service-error';
import type { ProviderQuote, QuoteRequest, SwapCall } from '../quotes/quote-provider';

export interface Order {
  readonly request: Pick<QuoteRequest, 'origin' | 'tokenIn'>;
  readonly offer: Pick<ProviderQuote, 'provider' | 'maxAmountIn'>;
  readonly sender: string;
}

/**
 * Checks a call that a provider built against what was quoted. Providers are strangers: a call that takes more than the
 * quote says must not reach a wallet.
 *
 * @throws BYTECODE_GENERATION_FAILED
 */
export function assertCallFits(call: SwapCall, order: Order): void {
  const flaw = formFlaw(call) ?? fundsFlaw(call, order) ?? partiesFlaw(call, order);
  if (flaw === undefined) return;
  const reason = `the call that ${order.offer.provider} built ${flaw}`;
  throw serviceError('BYTECODE_GENERATION_FAILED', { reason });
}

function formFlaw({ to, data, spender }: SwapCall): string | undefined {
  if (parseEvmAddress(to) === undefined) return 'has no valid target';
  if (spender !== undefined && parseEvmAddress(spender) === undefined) return 'has no valid spender';
  return /^0x(?:[0-9a-f]{2}){4,}$/i.test(data) ? undefined : 'has no valid calldata';
}

/** Native coin goes along exactly when it is what is sold; only a token needs somebody who pulls it. */
function fundsFlaw({ value, spender }: SwapCall, { request, offer }: Order): string | undefined {
  const sellsNative = isNativeToken(request.tokenIn.address);
  if (value !== (sellsNative ? offer.maxAmountIn : 0n)) return 'sends another amount of native coin than was quoted';
  return sellsNative && spender !== undefined ? 'asks for an approval of the native coin' : undefined;
}

function partiesFlaw({ chainId, from, to, spender }: SwapCall, { request, sender }: Order): string | undefined {
  if (chainId !== request.origin.chainId) return 'is for another chain';
  if (!isSame(from, sender)) return 'has another sender';
  if (spender === undefined) return undefined;
  // To call the token itself, or to approve the token or the sender, can only be meant to move funds elsewhere.
  const senseless = [to, spender].some((address) => isSame(address, request.tokenIn.address));
  return senseless || isSame(spender, sender) ? 'turns the approval of the token against its owner' : undefined;
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
