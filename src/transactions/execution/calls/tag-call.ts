import type { Hex } from 'viem';
import type { UnsignedCall } from '../../../venues/quote-provider';

/**
 * Appends the 16 bytes of an action's id to the calldata.
 *
 * Two quotes for the same trade in the same second have the same calldata, so a transaction on chain could not be assigned
 * to one of their actions. ABI decoders ignore bytes after the arguments, so the tag makes the call unique without changing
 * its effect.
 */
export function tagCall<Call extends UnsignedCall>(call: Call, actionId: string): Call {
  return { ...call, data: `${call.data}${actionId.replaceAll('-', '').toLowerCase()}` satisfies Hex };
}
