import { isSameAddress } from '../../chains/addresses';
import type { Charge } from './resolved-operation';
import { RefusedFeeError } from './simulate-operation';

/**
 * Builds an operation with its fees, and again without those whose transfer the token refuses, as it does for recipients on its
 * blocklist: no recipient of a fee keeps a wallet from its deposit.
 */
export async function buildPayable<Built>(charge: Charge, build: (charge: Charge) => Promise<Built>): Promise<Built> {
  try {
    return await build(charge);
  } catch (error) {
    if (!(error instanceof RefusedFeeError)) throw error;
    const fees = charge.fees.filter(({ recipient }) => !isSameAddress(recipient, error.recipient));
    return buildPayable({ fees, waiver: 'RECIPIENT_REFUSED' }, build);
  }
}
