import { serviceError } from '../../../errors/service-error';
import type { WireCustomer } from './wire';

/** @throws SECONDARY_RAMP_KYC_IN_PROGRESS, SECONDARY_RAMP_KYC_REJECTED */
export function assertApproved({ status }: WireCustomer): void {
  if (status === 'approved') return;
  throw serviceError(status === 'rejected' ? 'SECONDARY_RAMP_KYC_REJECTED' : 'SECONDARY_RAMP_KYC_IN_PROGRESS');
}

/** The number under which a person pays taxes, by any of the names that the ramp has for it. */
export const taxIdOf = ({ tin, tax_id, identity_documents = [] }: WireCustomer): string | undefined =>
  tin ?? tax_id ?? identity_documents.find(({ type }) => type !== 'passport')?.value;

export const nameOf = ({ first_name, last_name }: WireCustomer): string =>
  [first_name, last_name].filter((part) => part !== undefined).join(' ');
