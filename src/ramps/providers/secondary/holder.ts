import { serviceError } from '../../../errors/service-error';
import type { ApiCustomer } from './api-schemas';

/** @throws SECONDARY_RAMP_KYC_IN_PROGRESS, SECONDARY_RAMP_KYC_REJECTED */
export function assertApproved({ status }: ApiCustomer): void {
  if (status === 'approved') return;
  throw serviceError(status === 'rejected' ? 'SECONDARY_RAMP_KYC_REJECTED' : 'SECONDARY_RAMP_KYC_IN_PROGRESS');
}

/** The tax id of a customer, from any of the fields that the ramp has for it. */
export const customerTaxId = ({
  tin,
  tax_id,
  identity_documents = [],
}: Pick<ApiCustomer, 'tin' | 'tax_id' | 'identity_documents'>): string | undefined => {
  const documentOf = (isMatch: (type: string) => boolean) =>
    identity_documents.find(({ type }) => isMatch(type.toLowerCase()))?.value;
  return (
    tin ??
    tax_id ??
    documentOf((type) => type === 'tax_id' || type === 'tin') ??
    documentOf((type) => type !== 'passport')
  );
};

export const customerName = ({ first_name, last_name }: ApiCustomer): string =>
  [first_name, last_name].filter((part) => part !== undefined).join(' ');
