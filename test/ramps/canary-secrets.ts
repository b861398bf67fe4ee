import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { brCodeOf } from '../../devnet/emulators/primary-ramp/br-code';
import { BANK_FIELDS, cpfOf } from '../../scripts/demo/person-evidence';
import { png } from '../kyc/images';

const letters = (): string => randomBytes(6).toString('hex').replaceAll(/\d/g, 'q');
const digits = (length: number): string => Array.from({ length }, () => String(randomInt(1, 10))).join('');

/** A valid ABA routing number: nine digits whose sum, weighted 3, 7, 1, is a multiple of ten. */
function routingNumber(): string {
  const start = `1${String(randomInt(0, 3))}${digits(6)}`;
  const weights = [3, 7, 1, 3, 7, 1, 3, 7];
  const sum = weights.reduce((total, weight, index) => total + weight * Number(start[index]), 0);
  return start + String((10 - (sum % 10)) % 10);
}

/** Personal data that a customer sends to the service, and that must not be readable in its storage or log. */
export function newSecrets() {
  const cpf = cpfOf(randomUUID());
  const note = `picture-${randomUUID()}`;
  const brKey = `shop.${letters()}@example.com`;
  return {
    cpf,
    firstName: `Zulmira${letters()}`,
    lastName: `Quixada${letters()}`,
    email: `${letters()}@example.com`,
    phone: `+55119${digits(8)}`,
    birthDate: `19${randomInt(60, 90)}-0${randomInt(1, 10)}-1${randomInt(0, 9)}`,
    street: `Rua ${letters()}`,
    accountNumber: digits(15),
    routing: routingNumber(),
    bank: `Banco ${letters()}`,
    pixKey: `${letters()}@example.org`,
    otherKey: randomUUID(),
    note,
    picture: png(Buffer.from(note)).toString('base64'),
    brKey,
    brCode: brCodeOf({ pixKey: brKey, amount: '100.00', transactionId: letters() }),
  };
}

export type Secrets = ReturnType<typeof newSecrets>;

/** The evidence of the demonstrations with the data of another person. */
export function ofPerson<Body extends object>(body: Body, secrets: Secrets): Body {
  const { firstName, lastName, phone, birthDate, street, picture, email } = secrets;
  const text = JSON.stringify(body)
    .replaceAll('Ana Beatriz Lima', `${firstName} ${lastName}`)
    .replaceAll('Ana Beatriz', firstName)
    .replaceAll('"Lima"', `"${lastName}"`)
    .replaceAll('+5511999990000', phone)
    .replaceAll('1990-01-31', birthDate)
    .replaceAll('Avenida Paulista', street)
    .replaceAll(/"ana\.\d+@example\.com"/g, `"${email}"`)
    .replaceAll(/"base64":"[^"]+"/g, `"base64":"${picture}"`);
  return JSON.parse(text.replaceAll('image/jpeg', 'image/png')) as Body;
}

export const bankOf = ({ accountNumber, routing, bank, firstName, lastName, street }: Secrets) => ({
  ...BANK_FIELDS,
  bankAccountNumber: accountNumber,
  bankRoutingNumber: routing,
  bankName: bank,
  bankBeneficiaryName: `${firstName} ${lastName}`,
  beneficiaryStreetLine1: street,
});

const forms = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret);
  const escaped = JSON.stringify(secret).slice(1, -1);
  const encodings = [bytes.toString('hex'), bytes.toString('base64').replaceAll('=', ''), encodeURIComponent(secret)];
  return [...new Set([secret, escaped, ...encodings].map((form) => form.toLowerCase()))];
};

/** Names of the secrets that a text contains in any encoding. */
export const readableIn = (text: string, secrets: Readonly<Record<string, string>>): readonly string[] => {
  const lower = text.toLowerCase();
  return Object.keys(secrets).filter((name) => forms(secrets[name]!).some((form) => lower.includes(form)));
};
