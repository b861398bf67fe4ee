import type { Hex } from 'viem';
import type { UnsignedCall } from '../../../venues/quote-provider';

/**
 * Appends the 16 bytes of an action's id to the calldata.
 *
 * Two quotes for the same trade in the same second give the same calldata, and a transaction on chain could not be told
 * to execute one action or the other. The ABI decoder of a contract ignores bytes behind the arguments, so the tag
 * changes nothing but makes the call unique.
 */
export function tagCall<Call extends UnsignedCall>(call: Call, actionId: string): Call {
  return { ...call, data: `${call.data}${actionId.replaceAll('-', '').toLowerCase()}` satisfies Hex };
}
