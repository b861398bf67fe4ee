import { png } from './images';

const ADDRESS = {
  country: 'BRA',
  state: 'SP',
  city: 'São Paulo',
  zipCode: '01310-100',
  streetAddress: 'Avenida Paulista',
  number: '1000',
  complement: '',
};

export const image = (bytes: Buffer = png()) => ({ base64: bytes.toString('base64'), mimeType: 'image/png' });

/** A submission to the primary ramp. */
export const evidenceOf = (cpf: string) => ({
  applicant: { fullName: 'Ana Beatriz Lima', dateOfBirth: '1990-01-31', phone: '+5511999990000' },
  address: ADDRESS,
  documents: {
    documentType: 'RG',
    front: image() as object,
    back: image() as object | undefined,
    attestation: { provider: 'documents', extracted: { fullName: 'Ana Beatriz Lima', birthDate: '1990-01-31', cpf } },
  },
  liveness: { image: image() as object, attestation: { provider: 'faces', status: 'SUCCEEDED', confidence: 95.78 } },
});

/** A submission to the secondary ramp. */
export const secondaryOf = (cpf: string) => ({
  rampProvider: 'unblockpay',
  firstName: 'Ana Beatriz',
  lastName: 'Lima',
  email: 'ana@example.com',
  phone: '+5511999990000',
  dateOfBirth: '1990-01-31',
  taxId: cpf,
  taxIdCountry: 'BRA',
  address: ADDRESS,
});
