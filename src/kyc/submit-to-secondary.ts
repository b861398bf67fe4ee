import { z } from 'zod';
import { serviceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import { isAdult } from './evidence/calendar-date';
import { bareTaxId } from './evidence/primary-submission';
import { country, day, email, optional, phone, postalAddress, readInput, text } from './evidence/read-input';
import type { IdentityDeps } from './identity-deps';
import { openAccount } from './open-account';
import { completePerson, type KnownPerson, missingOf } from './person';
import { type Profile, savePerson } from './profile';
import { decidedAccountAt } from './refresh';
import { type AccountRow, block } from './verification';

const submission = z.object({
  ...{ firstName: text, lastName: text, email, phone, dateOfBirth: day },
  ...{ taxId: optional(text), cpf: optional(text), taxIdCountry: optional(country), address: postalAddress },
});

export interface SecondarySubmission {
  readonly profile: Profile;
  readonly fields: unknown;
}

/**
 * Opens the account of a person at the secondary ramp. Its documents come one by one afterwards; what the primary ramp
 * thinks is not touched. A person who is approved already stays so.
 *
 * @throws VALIDATION_ERROR, UNDER_18, SECONDARY_RAMP_KYC_REJECTED, SECONDARY_RAMP_KYC_IN_PROGRESS, and the codes of the ramp
 */
export async function submitToSecondary(
  deps: IdentityDeps,
  { profile, fields }: SecondarySubmission,
  signal: AbortSignal,
): Promise<void> {
  const given = readInput(submission, fields);
  assertSamePerson(profile.person, given);
  const { customerId, kycUserId } = profile;
  if (!isAdult(given.dateOfBirth, new Date())) {
    await block(deps.database, profile, { ramp: 'secondary', reason: 'UNDER_18' });
    throw serviceError('UNDER_18');
  }
  const known = await decidedAccountAt(deps, { key: profile, ramp: 'secondary' }, signal);
  if (known?.status === 'approved') return;
  assertOpenAtSecondary(known);
  const learned = learnedOf(profile.person, given);
  const person = completePerson(learned);
  if (person === undefined) {
    throw serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields: missingOf(learned).join(', ') });
  }
  await savePerson(deps, profile, learned);
  await openAccount(deps, { customerId, kycUserId, ramp: 'secondary', person }, signal);
}

/** @throws SECONDARY_RAMP_KYC_REJECTED, SECONDARY_RAMP_KYC_IN_PROGRESS */
export function assertOpenAtSecondary(row: AccountRow | undefined): void {
  if (row?.status === 'rejected' || row?.status === 'blocked') throw serviceError('SECONDARY_RAMP_KYC_REJECTED');
  if (row?.status === 'provider_pending') throw serviceError('SECONDARY_RAMP_KYC_IN_PROGRESS');
}

type Given = z.output<typeof submission>;

function assertSamePerson({ taxId }: KnownPerson, { taxId: given, cpf }: Given): void {
  const claimed = given ?? cpf;
  if (claimed === undefined || bareTaxId(claimed) === taxId) return;
  throw validationError([{ path: given === undefined ? 'cpf' : 'taxId', message: 'must be that of the session' }]);
}

const learnedOf = (person: KnownPerson, given: Given): KnownPerson => ({
  ...person,
  fullName: `${given.firstName} ${given.lastName}`,
  birthDate: given.dateOfBirth,
  phone: given.phone,
  email: given.email,
  address: { ...given.address, number: given.address.number, complement: given.address.complement },
});
