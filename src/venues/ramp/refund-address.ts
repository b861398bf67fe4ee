import type { Address, Hex } from 'viem';
import { serviceError } from '../../errors/service-error';
import type { RampProvider, RampRoute } from '../../ramps/ramp-provider';
import type { Rpc } from '../../rpc/rpc';
import type { QuoteRequest } from '../quote-provider';
import type { Anchor } from './anchors';

export interface RefundQuestion {
  /** Of the ramp, as it was asked for. */
  readonly name: string;
  readonly direction: RampRoute['direction'];
  /** Wallet that sends the token of an off-ramp; `undefined` while it is not known. */
  readonly sender: string | undefined;
  readonly refundAddress: string | undefined;
}

/**
 * Refunds of some ramps go to the wallet that sent the token, whatever they are told.
 *
 * @throws RAMP_PROVIDER_NOT_ELIGIBLE when they were to go elsewhere
 */
export function assertRefundsTo(
  { refundsToSenderAlone = false }: Pick<RampProvider, 'refundsToSenderAlone'>,
  { name, direction, sender, refundAddress }: RefundQuestion,
): void {
  if (!refundsToSenderAlone || direction === 'onRamp' || sender === undefined || refundAddress === undefined) return;
  if (refundAddress === sender) return;
  const reason =
    'it sends refunds to the wallet that sent the token alone: leave refundAddress out, or name originAddress';
  throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: name, reason });
}

export interface FallbackQuestion {
  readonly request: Pick<QuoteRequest, 'origin' | 'destination' | 'fiat'>;
  readonly anchor: Pick<Anchor, 'chain' | 'token'>;
  /** Who gets the anchor when the route fails; `undefined` while that is not known. */
  readonly address: string | undefined;
}

/**
 * What fails on a route between chains ends with the anchor's token, on the anchor's chain, at the same address. A wallet
 * that is a contract on its own chain alone is nobody's there: such a route is not offered.
 *
 * @throws RAMP_PROVIDER_NOT_ELIGIBLE, PROVIDER_UNAVAILABLE when a chain could not be asked
 */
export async function assertFallbackReachable(
  { rpc }: { readonly rpc: Pick<Rpc, 'ask'> },
  { request, anchor, address }: FallbackQuestion,
): Promise<void> {
  const { origin, destination, fiat } = request;
  const own = origin.kind === 'fiat' ? destination : origin;
  if (address === undefined || own.kind !== 'evm' || own.chainId === anchor.chain.chainId) return;
  const isContract = async (chainId: number): Promise<boolean> =>
    isContractCode(await rpc.ask(chainId, (client) => client.getCode({ address: address as Address })));
  const [here, there] = await Promise.all([isContract(own.chainId), isContract(anchor.chain.chainId)]);
  if (!here || there) return;
  const remedy = origin.kind === 'fiat' ? 'name a wallet that is on both' : 'name a refundAddress that is on both';
  const reason = `if it fails, ${anchor.token.symbol} goes to ${address} on ${anchor.chain.name}, which is a contract on ${own.name} alone: ${remedy}`;
  throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: fiat?.name ?? '', reason });
}

/** By EIP-7702 the account of a key has code too: it names the contract that it delegates to. */
const DELEGATION = '0xef0100';

const isContractCode = (code: Hex | undefined): boolean =>
  code !== undefined && code !== '0x' && !code.toLowerCase().startsWith(DELEGATION);
