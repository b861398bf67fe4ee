import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import { assertNotBlocked } from '../auth/sanctions';
import type { ValidationIssue } from '../errors/validation';
import { isCpf } from '../ramps/tax-id';
import { bareTaxId } from './evidence/primary-submission';
import { country, email, optional, readInput, text, wallet } from './evidence/read-input';
import type { IdentityDeps } from './identity-deps';
import { openProfile } from './open-profile';
import { type KycStatus, kycStatus } from './status';

const BRAZIL = 'BRA';
const taxIds = z.object({ cpf: optional(text), taxId: optional(text), taxIdCountry: optional(country) });
const session = z.object({
  ...taxIds.shape,
  ...{ email, walletAddress: wallet, externalUserId: optional(text) },
});

export interface SessionRequest {
  readonly customerId: CustomerId;
  readonly fields: unknown;
}

/**
 * Opens the profile of a person, or finds it, and tells how it stands.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN for blocked wallets, KYC_WALLET_ALREADY_LINKED
 */
export async function openSession(
  deps: IdentityDeps,
  { customerId, fields }: SessionRequest,
  signal: AbortSignal,
): Promise<KycStatus> {
  const taxId = taxIdOf(taxIds.safeParse(fields).data);
  const given = readInput(session, fields, taxId.issues);
  const person = { ...taxId.known, email: given.email };
  assertNotBlocked(deps.blockedAddresses, [given.walletAddress]);
  const { walletAddress, externalUserId } = given;
  const { kycUserId } = await openProfile(deps, { customerId, person, walletAddress, externalUserId });
  return kycStatus(deps, { customerId, kycUserId, rampProvider: undefined }, signal);
}

type GivenTaxId = Partial<z.output<typeof taxIds>>;

interface ReadTaxId {
  readonly known: { readonly taxId: string; readonly taxIdCountry: string };
  readonly issues: readonly ValidationIssue[];
}

/** A CPF, or the tax id of a country, which is Brazil unless another one is given. What is no text is told elsewhere. */
function taxIdOf({ cpf, taxId, taxIdCountry }: GivenTaxId = {}): ReadTaxId {
  const [path, given, where] = cpf === undefined ? ['taxId', taxId, taxIdCountry ?? BRAZIL] : ['cpf', cpf, BRAZIL];
  const known = { taxId: bareTaxId(given ?? ''), taxIdCountry: where };
  const problem = (message: string): ReadTaxId => ({ known, issues: [{ path, message }] });
  if (cpf !== undefined && taxId !== undefined) return problem('must not be given together with taxId');
  if (given === undefined) return { known, issues: [{ path: 'cpf', message: 'is required, or taxId' }] };
  const isFine = where === BRAZIL ? isCpf(known.taxId) : /^[0-9A-Z]{4,32}$/.test(known.taxId);
  return isFine ? { known, issues: [] } : problem('must be a valid tax id');
}
