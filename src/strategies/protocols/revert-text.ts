import { isHex } from 'viem';
import { revertReason } from '../../rpc/revert-reason';

/** The reason of a revert as text, from its data or from the text itself. */
export function revertText(reason: string): string {
  const trimmed = reason.trim();
  return isHex(trimmed) ? revertReason(trimmed) : trimmed;
}
