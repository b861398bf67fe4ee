import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CATALOG, CATALOG_TABLES, type ErrorCode } from '../../src/errors/catalog';
import { pdf } from './images';
import {
  type Answer,
  evidenceOf,
  image,
  type KycGateway,
  newWallet,
  type Opened,
  openedSession,
  secondaryOf,
  startKycGateway,
} from './kyc-gateway';
import { rampFailure, stateOf } from './scripted-ramps';

let gateway: KycGateway;
let files: Server;
let filesUrl: string;

beforeAll(async () => {
  gateway = await startKycGateway();
  files = createServer(({ url }, response) => {
    if (url === '/silent') return;
    response.writeHead(Number.parseInt(url?.slice(1) ?? '', 10)).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => files.once('listening', resolve));
  filesUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await gateway.stop();
  files.closeAllConnections();
  files.close();
});
beforeEach(() => {
  for (const ramp of [gateway.primary, gateway.secondary]) Object.assign(ramp, { state: stateOf('created') });
  gateway.secondary.failure = undefined;
});

type Evidence = ReturnType<typeof evidenceOf>;

const submit = async (change: (evidence: Evidence) => void, opened?: Opened): Promise<Answer> => {
  const { kycUserId, cpf } = opened ?? (await openedSession(gateway));
  const body = evidenceOf(cpf);
  change(body);
  return gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, { body });
};
const withFront = (front: object) => submit(({ documents }) => (documents.front = front));
const withUrl = (url: string) => withFront({ url });

const toSecondary = async ({ kycUserId, cpf }: Opened) =>
  gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, { body: secondaryOf(cpf) });
const document = ({ kycUserId }: Opened, rampProvider = 'unblockpay') =>
  gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/documents`, {
    body: { rampProvider, documentType: 'PROOF_OF_ADDRESS', country: 'BRA', file: image(pdf()) },
  });
const unlock = (kycUserId: string, rampProvider?: string) =>
  gateway.call('POST', '/api/v1/kyc/currency-unlock', { body: { kycUserId, currency: 'USD', rampProvider } });

/** A person whom the secondary ramp knows and thinks that of. */
async function provisioned(status: 'provider_pending' | 'rejected'): Promise<Opened> {
  const opened = await openedSession(gateway);
  gateway.secondary.state = stateOf(status);
  await toSecondary(opened);
  await gateway.call('GET', `/api/v1/kyc/status?kycUserId=${opened.kycUserId}`);
  return opened;
}

async function failing(failure: () => Error): Promise<Answer> {
  gateway.secondary.failure = failure();
  return toSecondary(await openedSession(gateway));
}

const PAST = '20200101T000000Z';

const EVIDENCE: Record<keyof (typeof CATALOG_TABLES)['evidence'], () => Promise<Answer>> = {
  INVALID_EVIDENCE_IMAGE: () => withFront({ base64: 'data:image/png;base64,AAAA' }),
  UNSUPPORTED_EVIDENCE_IMAGE_FORMAT: () => withFront(image(pdf())),
  EVIDENCE_URL_NOT_ALLOWED: () => withUrl('https://elsewhere.test/front.jpg'),
  EVIDENCE_URL_EXPIRED: () => withUrl(`https://files.test/front?X-Amz-Date=${PAST}&X-Amz-Expires=900`),
  EVIDENCE_URL_FORBIDDEN: () => withUrl(`${filesUrl}/403`),
  EVIDENCE_URL_NOT_FOUND: () => withUrl(`${filesUrl}/404`),
  EVIDENCE_URL_UNREACHABLE: () => withUrl(`${filesUrl}/500`),
  EVIDENCE_URL_TIMEOUT: () => withUrl(`${filesUrl}/silent`),
  DOCUMENT_BACK_REQUIRED: () => submit(({ documents }) => (documents.back = undefined)),
  DOCUMENT_BACK_NOT_ALLOWED: () => submit(({ documents }) => (documents.documentType = 'PASSPORT')),
  INVALID_BIRTH_DATE: () => submit((body) => (body.documents.attestation.extracted.birthDate = '31/01/1990')),
  LIVENESS_BELOW_THRESHOLD: () => submit(({ liveness }) => (liveness.attestation.confidence = 79.9)),
  IDENTITY_CPF_MISMATCH: () => submit((body) => (body.documents.attestation.extracted.cpf = '52998224725')),
  UNDER_18: () =>
    submit((body) => {
      body.documents.attestation.extracted.birthDate = `${new Date().getUTCFullYear() - 17}-01-01`;
    }),
};

type RampCode = keyof (typeof CATALOG_TABLES)['ramps'];
/** Codes of the table that belong to quotes and tickets. */
const OF_TICKETS = [
  'INVALID_SECONDARY_RAMP_QUOTE',
  'INVALID_SECONDARY_RAMP_TICKET',
  'SECONDARY_RAMP_USD_OFFRAMP_ACCOUNT_MISSING',
] as const satisfies readonly RampCode[];

const RAMPS: Record<Exclude<RampCode, (typeof OF_TICKETS)[number]>, () => Promise<Answer>> = {
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

describe.each([
  ['evidence', Object.entries(EVIDENCE)],
  ['people and ramps', Object.entries(RAMPS)],
])('every code of the table of %s', (_, cases) => {
  it.each(cases)('%s is answered as the contract says', async (code, provoke) => {
    const heard = gateway.primary.submissions.length;
    const { status, body } = await provoke();
    expect({ status, code: body.error?.code }).toEqual({ status: CATALOG[code as ErrorCode].status, code });
    if (code in EVIDENCE) expect(gateway.primary.submissions).toHaveLength(heard);
  });
});

it('leaves no code of the tables out', () => {
  const tables = [...Object.keys(CATALOG_TABLES.evidence), ...Object.keys(CATALOG_TABLES.ramps)];
  expect([...Object.keys(EVIDENCE), ...Object.keys(RAMPS), ...OF_TICKETS].sort()).toEqual(tables.sort());
});

it.each(['IDENTITY_CPF_MISMATCH', 'UNDER_18'] as const)('%s ends a verification for good', async (code) => {
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

it('tells every plain problem of a submission at once', async () => {
  const { status, body } = await submit((evidence) => {
    Object.assign(evidence.applicant, { fullName: '', dateOfBirth: '1990-02-30' });
    Object.assign(evidence.address, { country: 'Brasil' });
    Object.assign(evidence.liveness, { image: {} });
  });
  expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'VALIDATION_ERROR' });
  const paths = body.error.details.errors.map(({ path }: { path: string }) => path);
  expect(paths.sort()).toEqual(['address.country', 'applicant.dateOfBirth', 'applicant.fullName', 'liveness.image']);
});
