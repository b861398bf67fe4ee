import type { IdentityEvidence, Person } from '../../src/ramps/kyc-provider';

export const EVIDENCE: IdentityEvidence = {
  documentType: 'CNH',
  front: { bytes: Buffer.from('front of a document'), mimeType: 'image/jpeg' },
  back: { bytes: Buffer.from('back of a document'), mimeType: 'image/jpeg' },
  selfie: { bytes: Buffer.from('a face'), mimeType: 'image/png' },
};

export const ANA: Person = {
  fullName: 'Ana Lima',
  birthDate: '1990-01-01',
  taxId: '12345678909',
  taxIdCountry: 'BRA',
  email: 'ana@example.com',
  phone: '+5511999999999',
  address: {
    country: 'BRA',
    state: 'SP',
    city: 'Sao Paulo',
    zipCode: '01310100',
    streetAddress: 'Avenida Paulista',
    number: '1000',
    complement: undefined,
  },
};
