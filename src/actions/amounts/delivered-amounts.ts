import type { MovedAmounts } from '../state/settle-confirmed-step';
import { type QuotedOutput, shortfallOf } from './shortfall';

interface Arrived {
  /** Base units; `undefined` when the token did not arrive. */
  readonly arrived: bigint | undefined;
  /** Defect of the delivery besides the amount. */
  readonly flaw: string | undefined;
}

/**
 * The effect of a delivery on its action. One that ends its action must bring the minimum. Where another step uses the tokens, that
 * step takes what has arrived, also less than the minimum.
 */
export function deliveredAmounts(
  transfer: QuotedOutput & { readonly endsAction: boolean },
  { arrived, flaw }: Arrived,
): MovedAmounts {
  const isUsable = !transfer.endsAction && flaw === undefined && arrived !== undefined && arrived > 0n;
  if (isUsable) return { spent: undefined, received: undefined, arrived };
  const received = transfer.endsAction ? arrived : undefined;
  return { spent: undefined, received, shortfall: shortfallOf(transfer, { arrived, flaw }) };
}
