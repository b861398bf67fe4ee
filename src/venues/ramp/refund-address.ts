import type { Address, Hex } from 'viem';
import { serviceError } from '../../errors/service-error';
import type { RampProvider, RampRoute } from '../../ramps/ramp-provider';
import type { Rpc } from '../../rpc/rpc';
import type { QuoteRequest } from '../quote-provider';
import type { RampToken } from './ramp-tokens';

export interface RefundTerms {
  /** Public name of the ramp. */
  readonly name: string;
  readonly direction: RampRoute['direction'];
  /** Wallet that sends the token of an off-ramp; `undefined` when no wallet is given. */
  readonly sender: string | undefined;
  readonly refundAddress: string | undefined;
}

/** Rejects another refund address for ramps that refund only the sender. @throws RAMP_PROVIDER_NOT_ELIGIBLE */
export function assertRefundsTo(
  { refundsToSenderOnly = false }: Pick<RampProvider, 'refundsToSenderOnly'>,
  { name, direction, sender, refundAddress }: RefundTerms,
): void {
  if (!refundsToSenderOnly || direction === 'onRamp' || sender === undefined || refundAddress === undefined) return;
  if (refundAddress === sender) return;
  const reason = 'it refunds only to the wallet that sent the token. Omit refundAddress, or use originAddress';
  throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: name, reason });
}

export interface FallbackTerms {
  readonly request: Pick<QuoteRequest, 'origin' | 'destination' | 'fiat'>;
  readonly rampToken: Pick<RampToken, 'chain' | 'token'>;
  /** Wallet that receives the ramp token when the route fails; `undefined` when none is given. */
  readonly address: string | undefined;
}

/**
 * A failed route between chains leaves the ramp token on the chain of the ramp token, at the same address. A wallet
 * that is a contract only on its own chain does not exist there, so such a route is rejected.
 *
 * @throws RAMP_PROVIDER_NOT_ELIGIBLE, PROVIDER_UNAVAILABLE when an RPC node does not respond
 */
export async function assertFallbackReachable(
  { rpc }: { readonly rpc: Pick<Rpc, 'request'> },
  { request, rampToken, address }: FallbackTerms,
): Promise<void> {
  const { origin, destination, fiat } = request;
  const own = origin.kind === 'fiat' ? destination : origin;
  if (address === undefined || own.kind !== 'evm' || own.chainId === rampToken.chain.chainId) return;
  const isContract = async (chainId: number): Promise<boolean> =>
    isContractCode(await rpc.request(chainId, (client) => client.getCode({ address: address as Address })));
  const [here, there] = await Promise.all([isContract(own.chainId), isContract(rampToken.chain.chainId)]);
  if (!here || there) return;
  const remedy =
    origin.kind === 'fiat'
      ? 'use a wallet that exists on both chains'
      : 'use a refundAddress that exists on both chains';
  const reason = `if it fails, ${rampToken.token.symbol} goes to ${address} on ${rampToken.chain.name}, which exists as a contract only on ${own.name}: ${remedy}`;
  throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: fiat?.name ?? '', reason });
}

/** With EIP-7702 an account of a key has code that names the contract it delegates to. */
const DELEGATION = '0xef0100';

const isContractCode = (code: Hex | undefined): boolean =>
  code !== undefined && code !== '0x' && !code.toLowerCase().startsWith(DELEGATION);
