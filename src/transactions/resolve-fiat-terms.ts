import type { CustomerId } from '../auth/principal';
import { invariant } from '../errors/invariant-error';
import { chosenRamp } from '../kyc/customer-rules';
import { canonicalHash } from '../persistence/canonical-hash';
import { checkPixKey } from '../quotes/request/pix-key-check';
import type { FiatDeps } from '../quotes/request/resolve-fiat';
import type { StoredQuote } from '../quotes/find-quote';
import type { QuoteRequest } from '../venues/quote-provider';
import { payoutContext } from '../quotes/quote-store';
import { accountFor } from '../kyc/ramp-accounts';
import type { PersonalDataVault } from '../persistence/personal-data';
import type { Payout } from '../ramps/ramp-provider';
import { parseStoredPayout } from '../ramps/stored-ticket';
import type { SwapParties } from './match-quote';

/** Where a quote says that it pays to; `undefined` when it does not. Personal data. */
export const quotedPayout = (
  { quoteId, sealedPayout }: Pick<StoredQuote, 'quoteId' | 'sealedPayout'>,
  vault: Pick<PersonalDataVault, 'open'>,
): Payout | undefined =>
  sealedPayout === undefined ? undefined : parseStoredPayout(vault.open(sealedPayout, payoutContext(quoteId)));

/** What stands for a payout where requests are compared: nobody can guess it back. */
export const payoutIndex = (
  payout: Payout | undefined,
  vault: Pick<PersonalDataVault, 'blindIndex'>,
): string | undefined =>
  payout === undefined ? undefined : Buffer.from(vault.blindIndex('payout', textOf(payout))).toString('hex');

/** The same for the same payout, whatever order its fields are in. */
function textOf(payout: Payout): string {
  const hash = canonicalHash(payout);
  invariant(hash, 'a payout is flat');
  return hash.toString('hex');
}

export interface ExecutableQuestion {
  readonly customerId: CustomerId;
  readonly quote: StoredQuote;
  readonly parties: SwapParties;
}

/**
 * The request of a quote as it is carried out: of routes from and to fiat with the account of the person whose wallet it is,
 * as it is now, and with where it pays to. Its Pix key is looked up.
 *
 * @throws RAMP_PROVIDER_NOT_ELIGIBLE when the customer may use the ramp no more; what `accountFor` and `checkPixKey` throw
 */
export async function executableRequest(
  deps: FiatDeps,
  { customerId, quote, parties }: ExecutableQuestion,
  signal: AbortSignal,
): Promise<QuoteRequest> {
  const { request } = quote;
  const { fiat, origin } = request;
  if (fiat === undefined) return request;
  const { sender, recipient, payout } = parties;
  const wallet = origin.kind === 'fiat' ? recipient : sender;
  await chosenRamp(deps, { customerId, rampProvider: fiat.ramp });
  const { account } = await accountFor(deps, { customerId, wallet, ramp: fiat.ramp, rail: fiat.rail }, signal);
  // Also when the quote had it: a price is told although the key could not be looked up.
  if (payout?.rail === 'PIX') {
    await checkPixKey({ ramp: deps.ramps[fiat.ramp], pixKey: payout.pixKey, executable: true }, signal);
  }
  return { ...request, fiat: { ...fiat, account, payout } };
}
