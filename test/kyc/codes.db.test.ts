import { randomUUID } from 'node:crypto';
import { CATALOG, type CATALOG_TABLES, type ErrorCode } from '../../src/errors/catalog';
import type { Evidence } from './evidence-cases';
import { pdf } from './images';
import { evidenceOf, image, secondaryOf } from './kyc-bodies';
import {
  type KycResponse,
  type KycGateway,
  newWallet,
  type Opened,
  openedSession,
  startKycGateway,
} from './kyc-gateway';
import { rampFailure, stateOf } from './scripted-ramps';

let gateway: KycGateway;
beforeAll(async () => {
  gateway = await startKycGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  for (const ramp of [gateway.primary, gateway.secondary]) Object.assign(ramp, { state: stateOf('created') });
  gateway.secondary.failure = undefined;
});

const submit = async (change: (evidence: Evidence) => void, opened?: Opened): Promise<KycResponse> => {
  const { kycUserId, cpf } = opened ?? (await openedSession(gateway));
  const body = evidenceOf(cpf);
  change(body);
  return gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, { body });
};
const toSecondary = async ({ kycUserId, cpf }: Opened) =>
  gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, { body: secondaryOf(cpf) });
const document = ({ kycUserId }: Opened, rampProvider = 'unblockpay') =>
  gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/documents`, {
    body: { rampProvider, documentType: 'PROOF_OF_ADDRESS', country: 'BRA', file: image(pdf()) },
  });
const unlock = (kycUserId: string, rampProvider?: string) =>
  gateway.call('POST', '/api/v1/kyc/currency-unlock', { body: { kycUserId, currency: 'USD', rampProvider } });

/** A person with this verification status at the secondary ramp. */
async function provisioned(status: 'provider_pending' | 'rejected'): Promise<Opened> {
  const opened = await openedSession(gateway);
  gateway.secondary.state = stateOf(status);
  await toSecondary(opened);
  await gateway.call('GET', `/api/v1/kyc/status?kycUserId=${opened.kycUserId}`);
  return opened;
}

async function failing(failure: () => Error): Promise<KycResponse> {
  gateway.secondary.failure = failure();
  return toSecondary(await openedSession(gateway));
}

type RampCode = keyof (typeof CATALOG_TABLES)['ramps'];
/** Codes of the table that belong to quotes and tickets. */
type TicketCode =
  'INVALID_SECONDARY_RAMP_QUOTE' | 'INVALID_SECONDARY_RAMP_TICKET' | 'SECONDARY_RAMP_USD_OFFRAMP_ACCOUNT_MISSING';

const RAMPS: Record<Exclude<RampCode, TicketCode>, () => Promise<KycResponse>> = {
  INVALID_RAMP_PROVIDER: async () => unlock((await openedSession(gateway)).kycUserId, 'not-a-real-provider'),
  async RAMP_PROVIDER_NOT_ELIGIBLE() {
    const session = { cpf: '52998224725', email: 'a@example.com', walletAddress: newWallet() };
    const { body } = await gateway.call('POST', '/api/v1/kyc/sessions', { body: session, asOther: true });
    const target = `/api/v1/kyc/status?kycUserId=${body.kycUserId}&rampProvider=secondary`;
    return gateway.call('GET', target, { asOther: true });
  },
  RAMP_ACCOUNT_ID_MISSING: async () => unlock((await openedSession(gateway)).kycUserId),
  async KYC_PROFILE_INCOMPLETE_FOR_RAMP() {
    const opened = await openedSession(gateway);
    await submit(() => undefined, opened);
    return unlock(opened.kycUserId);
  },
  KYC_PROFILE_NOT_FOUND: () => gateway.call('GET', `/api/v1/kyc/status?kycUserId=${randomUUID()}`),
  async KYC_WALLET_ALREADY_LINKED() {
    const [one, two] = [await openedSession(gateway), await openedSession(gateway)];
    const body = { walletAddress: one.walletAddress };
    return gateway.call('POST', `/api/v1/kyc/${two.kycUserId}/wallets`, { body });
  },
  async KYC_WALLET_NOT_LINKED() {
    const { kycUserId } = await openedSession(gateway);
    return gateway.call('DELETE', `/api/v1/kyc/${kycUserId}/wallets/${newWallet()}`);
  },
  async KYC_LAST_WALLET() {
    const { kycUserId, walletAddress } = await openedSession(gateway);
    return gateway.call('DELETE', `/api/v1/kyc/${kycUserId}/wallets/${walletAddress}`);
  },
  SECONDARY_RAMP_NOT_CONFIGURED: () => failing(rampFailure.notConfigured),
  SECONDARY_RAMP_API_ERROR: () => failing(rampFailure.api),
  INVALID_SECONDARY_RAMP_CUSTOMER: () => failing(rampFailure.customer),
  SECONDARY_RAMP_KYC_NOT_PROVISIONED: async () => document(await openedSession(gateway)),
  SECONDARY_RAMP_KYC_REJECTED: async () => document(await provisioned('rejected')),
  SECONDARY_RAMP_KYC_IN_PROGRESS: async () => document(await provisioned('provider_pending')),
};

describe('every code of the table of people and ramps', () => {
  it.each(Object.entries(RAMPS))('%s matches the contract', async (code, provoke) => {
    const { status, body } = await provoke();
    expect({ status, code: body.error?.code }).toEqual({ status: CATALOG[code as ErrorCode].status, code });
  });
});

it.each(['IDENTITY_CPF_MISMATCH', 'UNDER_18'] as const)('%s ends a verification permanently', async (code) => {
  const opened = await openedSession(gateway);
  const change = (body: Evidence): void => {
    const { extracted } = body.documents.attestation;
    if (code === 'UNDER_18') extracted.birthDate = `${new Date().getUTCFullYear() - 17}-01-01`;
    else extracted.cpf = '52998224725';
  };
  expect((await submit(change, opened)).body.error.code).toBe(code);
  const { body } = await gateway.call('GET', `/api/v1/kyc/status?kycUserId=${opened.kycUserId}`);
  expect(body).toMatchObject({ status: 'blocked', rejectReason: code, brlaEnabled: false, retryable: false });
  expect((await submit(() => undefined, opened)).body.error.code).toBe(code);
});

it('returns every invalid field of a submission at once', async () => {
  const { status, body } = await submit((evidence) => {
    Object.assign(evidence.applicant, { fullName: '', dateOfBirth: '1990-02-30' });
    Object.assign(evidence.address, { country: 'Brasil' });
    Object.assign(evidence.liveness, { image: {} });
  });
  expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'VALIDATION_ERROR' });
  const paths = body.error.details.errors.map(({ path }: { path: string }) => path);
  expect(paths.sort()).toEqual(['address.country', 'applicant.dateOfBirth', 'applicant.fullName', 'liveness.image']);
});
