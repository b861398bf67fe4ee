import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import { assertNotBlocked } from '../auth/sanctions';
import type { ValidationIssue } from '../errors/validation';
import { isCpf } from '../ramps/tax-id';
import { normalizeTaxId } from './evidence/primary-submission';
import { country, email, optional, keyedWallet, readInput, text } from './evidence/read-input';
import type { IdentityDeps } from './identity-deps';
import { type NewProfile, openProfile } from './open-profile';
import { type KycStatus, pollKycStatus } from './kyc-status';

const BRAZIL = 'BRA';
const taxIds = z.object({ cpf: optional(text), taxId: optional(text), taxIdCountry: optional(country) });
const session = z.object({
  ...taxIds.shape,
  email,
  walletAddress: keyedWallet,
  externalUserId: optional(text),
});

export interface SessionRequest {
  readonly customerId: CustomerId;
  readonly fields: unknown;
}

/**
 * Opens the profile of a person, or finds it, and returns its status.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN for blocked wallets, KYC_WALLET_ALREADY_LINKED
 */
export async function openSession(
  deps: IdentityDeps,
  { customerId, fields }: SessionRequest,
  signal: AbortSignal,
): Promise<KycStatus> {
  const given = readSession(fields);
  assertNotBlocked(deps.blockedAddresses, [given.walletAddress]);
  const { kycUserId } = await openProfile(deps, { customerId, ...given });
  return pollKycStatus(deps, { customerId, kycUserId, rampProvider: undefined }, signal);
}

/** Parses a session request. @throws VALIDATION_ERROR with every invalid field */
export function readSession(fields: unknown): Omit<NewProfile, 'customerId'> {
  const taxId = readTaxId(taxIds.safeParse(fields).data);
  const { email: address, walletAddress, externalUserId } = readInput(session, fields, taxId.issues);
  return { person: { ...taxId.parsed, email: address }, walletAddress, externalUserId };
}

type GivenTaxId = Partial<z.output<typeof taxIds>>;

interface ParsedTaxId {
  readonly parsed: { readonly taxId: string; readonly taxIdCountry: string };
  readonly issues: readonly ValidationIssue[];
}

const UNREADABLE: ParsedTaxId = { parsed: { taxId: '', taxIdCountry: BRAZIL }, issues: [] };

/**
 * Reads a CPF, or the tax id of a country, Brazil by default. `undefined` stands for fields that are not lines of text: their
 * issues come from the schema.
 */
function readTaxId(fields: GivenTaxId | undefined): ParsedTaxId {
  if (fields === undefined) return UNREADABLE;
  const { cpf, taxId, taxIdCountry = BRAZIL } = fields;
  const parsed = { taxId: normalizeTaxId(cpf ?? taxId ?? ''), taxIdCountry };
  const issue = combinationIssue(fields) ?? taxIdIssue(parsed, cpf === undefined ? 'taxId' : 'cpf');
  return { parsed, issues: issue === undefined ? [] : [issue] };
}

function combinationIssue({ cpf, taxId, taxIdCountry = BRAZIL }: GivenTaxId): ValidationIssue | undefined {
  if (cpf === undefined) return taxId === undefined ? { path: 'cpf', message: 'is required, or taxId' } : undefined;
  if (taxId !== undefined) return { path: 'cpf', message: 'must not be given together with taxId' };
  if (taxIdCountry !== BRAZIL) return { path: 'taxIdCountry', message: `must be ${BRAZIL} with a cpf` };
  return undefined;
}

function taxIdIssue({ taxId, taxIdCountry }: ParsedTaxId['parsed'], path: string): ValidationIssue | undefined {
  const isValid = taxIdCountry === BRAZIL ? isCpf(taxId) : /^[0-9A-Z]{4,32}$/.test(taxId);
  return isValid ? undefined : { path, message: 'must be a valid tax id' };
}
