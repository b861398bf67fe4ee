import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import { looksLikeBrCode, parseBrCode } from '../../ramps/br-code';
import type { FiatTerms } from '../../ramps/fiat-terms';

/** What a payout is charged with by a BR Code of a fixed amount, in cents; `undefined` of any other payout. */
export function chargeOf(fiat: Pick<FiatTerms, 'payout'> | undefined): BaseUnits | undefined {
  const payout = fiat?.payout;
  if (payout?.rail !== 'PIX' || !looksLikeBrCode(payout.pixKey)) return undefined;
  const { amount } = parseBrCode(payout.pixKey);
  return amount === undefined ? undefined : toBaseUnits(amount);
}
