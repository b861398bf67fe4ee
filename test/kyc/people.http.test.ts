import { Keypair } from '@solana/web3.js';
import { randomUUID } from 'node:crypto';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import {
  BANK_FIELDS,
  cpfOf,
  emailOf,
  primaryEvidence,
  SECONDARY_DOCUMENTS,
  secondarySubmission,
} from '../../scripts/demo/person-evidence';
import { until } from '../resilience/until';
import { customerNamed, rest, runningService } from '../setup/running-service';
import { approvedPerson, holdAtPrimaryRamp, personWithDollars } from './kyc-people';

const service = runningService();
const other = customerNamed(service, 'other').apiKey;

const newWallet = (): string => privateKeyToAddress(generatePrivateKey());
const newSolanaWallet = (): string => Keypair.generate().publicKey.toBase58();
const newCpf = (): string => cpfOf(randomUUID());

interface Session {
  readonly cpf: string;
  readonly walletAddress: string;
  readonly kycUserId: string;
}

async function openedSession(): Promise<Session> {
  const [cpf, walletAddress] = [newCpf(), newWallet()];
  const { status, body } = await rest('/api/v1/kyc/sessions', { body: { cpf, email: emailOf(cpf), walletAddress } });
  expect({ status, is: body.status }).toEqual({ status: 200, is: 'created' });
  return { cpf, walletAddress, kycUserId: body.kycUserId };
}

const submit = ({ kycUserId }: Session, body: object) => rest(`/api/v1/kyc/sessions/${kycUserId}/submit`, { body });
const hand = ({ kycUserId }: Session, body: object) => rest(`/api/v1/kyc/sessions/${kycUserId}/documents`, { body });
const statusOf = async (query: string) => (await rest(`/api/v1/kyc/status?${query}`)).body;
const limitsOf = async (query: string) => (await rest(`/api/v1/limits?${query}`)).body;
const unlock = (kycUserId: string, rampProvider: string) =>
  rest('/api/v1/kyc/currency-unlock', { body: { kycUserId, currency: 'USD', rampProvider, ...BANK_FIELDS } });

/** Polls the status until it is as expected. */
async function eventually(query: string, isSo: (status: any) => boolean): Promise<any> {
  let status: any;
  await until(`the status of ${query} is as expected`, async () => {
    status = await statusOf(query);
    return isSo(status);
  });
  return status;
}

/** Controls an emulator for one person, because other test files use the same emulators. */
async function steer(emulator: 'primaryRamp' | 'secondaryRamp', path: string, body?: object): Promise<any> {
  const url = `${service.emulators[emulator]!}${path}`;
  const post = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(url, body === undefined ? {} : post);
  expect(response.status).toBe(200);
  return response.json();
}

/** The primary ramp decides about the newest submission of a person. Their account is held. */
async function decide({ kycUserId }: Session, decision: object): Promise<void> {
  const [{ attempts }] = await steer('primaryRamp', `/_control/accounts?name=${kycUserId}`);
  await steer('primaryRamp', `/_control/attempts/${attempts.at(-1).id}`, decision);
}

describe('the primary ramp', () => {
  it.concurrent('approves a person with an RG and a selfie, and then reports their limits', async () => {
    const person = await openedSession();
    const { kycUserId, walletAddress, cpf } = person;
    expect((await rest(`/api/v1/limits?kycUserId=${kycUserId}`)).body.error.code).toBe('RAMP_ACCOUNT_ID_MISSING');
    await holdAtPrimaryRamp(kycUserId);
    const submitted = await submit(person, primaryEvidence(cpf));
    expect(submitted).toMatchObject({ status: 200, body: { status: 'provider_pending', brlaEnabled: false } });
    await decide(person, { result: 'APPROVED' });
    expect(await approvedPerson({ cpf, walletAddress })).toBe(kycUserId);
    expect(await statusOf(`walletAddress=${walletAddress}`)).toMatchObject({
      kycUserId,
      status: 'approved',
      brlaEnabled: true,
      usdEnabled: false,
      eurEnabled: false,
      ramps: {},
      walletAddress,
      walletAddresses: [walletAddress],
    });
    const { provider, limits } = await limitsOf(`walletAddress=${walletAddress}&rampProvider=primary`);
    expect(provider).toBe('primary');
    const inReais = { currency: 'BRL', rail: 'PIX', minimum: '50', maximum: expect.stringMatching(/^[1-9]\d+$/) };
    for (const direction of ['onRamp', 'offRamp']) {
      const [limit] = limits.filter((each: any) => each.currency === 'BRL' && each.direction === direction);
      expect(limit).toMatchObject({ ...inReais, period: 'month', used: '0', remaining: limit.maximum });
      expect(Date.parse(limit.resetsAt)).toBeGreaterThan(Date.now());
    }
  });

  it.concurrent('accepts a new submission after a retryable rejection', async () => {
    const person = await openedSession();
    await holdAtPrimaryRamp(person.kycUserId);
    await submit(person, primaryEvidence(person.cpf));
    await decide(person, { result: 'REJECTED', retryable: true, labels: ['DOCUMENT_UNREADABLE'] });
    const query = `kycUserId=${person.kycUserId}`;
    const refused = await eventually(query, ({ status }) => status === 'rejected_retryable');
    expect(refused).toMatchObject({
      status: 'rejected_retryable',
      retryable: true,
      rejectReason: 'DOCUMENT_UNREADABLE',
      brlaEnabled: false,
    });
    const again = await submit(person, primaryEvidence(person.cpf));
    expect(again.body).toMatchObject({ status: 'provider_pending', retryable: false });
    await decide(person, { result: 'APPROVED' });
    expect(await eventually(query, ({ status }) => status === 'approved')).toMatchObject({ status: 'approved' });
  });

  it.concurrent('reports nothing remaining for a blocked person', async () => {
    const walletAddress = newWallet();
    const kycUserId = await approvedPerson({ walletAddress });
    const [account] = await steer('primaryRamp', `/_control/accounts?name=${kycUserId}`);
    await steer('primaryRamp', `/_control/accounts/${account.id}`, { blocked: true });
    const { limits } = await limitsOf(`walletAddress=${walletAddress}`);
    expect(limits.map(({ remaining }: any) => remaining)).toEqual(limits.map(() => '0'));
  });

  it.concurrent('unlocks dollars for an approved person, and saves their bank account once', async () => {
    const walletAddress = newWallet();
    const { kycUserId, externalAccountId } = await personWithDollars({ walletAddress });
    expect((await statusOf(`kycUserId=${kycUserId}`)).usdEnabled).toBe(true);
    expect(await unlock(kycUserId, 'primary')).toMatchObject({
      status: 200,
      body: { kycUserId, currency: 'USD', status: 'approved', usdEnabled: true, externalAccountId },
    });
    const [{ beneficiaries }] = await steer('primaryRamp', `/_control/accounts?name=${kycUserId}`);
    expect(beneficiaries.map(({ id }: any) => id)).toEqual([externalAccountId]);
  });
});

describe('the secondary ramp', () => {
  it.concurrent('approves a person by document and proof of address, independent of the primary ramp', async () => {
    const person = await openedSession();
    const query = `kycUserId=${person.kycUserId}&rampProvider=secondary`;
    expect((await hand(person, SECONDARY_DOCUMENTS[0]!)).body.error.code).toBe('SECONDARY_RAMP_KYC_NOT_PROVISIONED');
    expect((await submit(person, secondarySubmission(person.cpf))).body.ramps.secondary.status).toBe('created');
    expect((await statusOf(query)).ramps.secondary).toMatchObject({
      status: 'created',
      verificationLink: expect.stringMatching(/^https:/),
      verification: { pending: ['IDENTITY', 'PROOF_OF_ADDRESS'], approved: [] },
    });
    for (const document of SECONDARY_DOCUMENTS) expect(await hand(person, document)).toMatchObject({ status: 200 });
    const after = await eventually(query, ({ ramps }) => ramps.secondary.status === 'approved');
    expect(after).toMatchObject({ status: 'created', brlaEnabled: false, usdEnabled: false });
    expect(after.ramps.secondary).toMatchObject({
      status: 'approved',
      capabilities: { BRL: true, USD: true },
      verification: { approved: ['IDENTITY', 'PROOF_OF_ADDRESS'], pending: [] },
    });
    expect((await rest(`/api/v1/limits?kycUserId=${person.kycUserId}`)).body.error.code).toBe(
      'RAMP_ACCOUNT_ID_MISSING',
    );
    const { provider, limits } = await limitsOf(query.replace('secondary', 'UnblockPay'));
    expect(provider).toBe('unblockpay');
    const daily = { minimum: '100', maximum: '100000000', used: '0', remaining: '100000000', period: 'day' };
    expect(limits).toEqual([
      { currency: 'BRL', rail: 'PIX', direction: 'onRamp', ...daily },
      { currency: 'BRL', rail: 'PIX', direction: 'offRamp', ...daily },
      { currency: 'USD', rail: 'WIRE', direction: 'onRamp', ...daily },
      { currency: 'USD', rail: 'WIRE', direction: 'offRamp', ...daily },
    ]);
  });

  it.concurrent('accepts a rejected document again, and no other step', async () => {
    const person = await openedSession();
    const { cpf, walletAddress } = person;
    await approvedPerson({ cpf, walletAddress, rampProvider: 'secondary' });
    const [customer] = await steer('secondaryRamp', `/_control/customers?tin=${cpf}`);
    const decision = { status: 'partially_rejected', step: 'PROOF_OF_ADDRESS' };
    await steer('secondaryRamp', `/__control/customers/${customer.id}`, decision);
    const query = `kycUserId=${person.kycUserId}&rampProvider=secondary`;
    const refused = await eventually(query, ({ ramps }) => ramps.secondary.status === 'partially_rejected');
    expect(refused.ramps.secondary).toMatchObject({
      status: 'partially_rejected',
      capabilities: { BRL: false, USD: false },
      verification: {
        approved: ['IDENTITY'],
        partiallyRejected: [{ name: 'PROOF_OF_ADDRESS', rejectionCodes: ['DOCUMENT_EXPIRED'] }],
      },
    });
    expect((await hand(person, SECONDARY_DOCUMENTS.at(-1)!)).status).toBe(200);
    const { ramps } = await eventually(query, (status) => status.ramps.secondary.status === 'approved');
    expect(ramps.secondary.status).toBe('approved');
  });

  it.concurrent('wires dollars to the account that a person saved, and to no ACH account', async () => {
    const walletAddress = newWallet();
    const { kycUserId, externalAccountId } = await personWithDollars({ walletAddress, rampProvider: 'secondary' });
    expect((await unlock(kycUserId, 'secondary')).body).toEqual({
      kycUserId,
      currency: 'USD',
      status: 'approved',
      usdEnabled: true,
      externalAccountId,
    });
    const body = { kycUserId, currency: 'USD', rampProvider: 'secondary', ...BANK_FIELDS, usdPaymentMethod: 'ACH' };
    const refused = await rest('/api/v1/kyc/currency-unlock', { body });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'RAMP_PROVIDER_NOT_ELIGIBLE']);
    expect((await statusOf(`kycUserId=${kycUserId}`)).usdEnabled).toBe(false);
  });

  it.concurrent('is for customers who were opted in', async () => {
    for (const path of ['/api/v1/limits', '/api/v1/kyc/status']) {
      const walletAddress = newWallet();
      const session = { cpf: newCpf(), email: 'ana@example.com', walletAddress };
      expect((await rest('/api/v1/kyc/sessions', { body: session, apiKey: other })).status).toBe(200);
      const target = `${path}?walletAddress=${walletAddress}&rampProvider=secondary`;
      const { status, body } = await rest(target, { apiKey: other });
      expect([status, body.error.code]).toEqual([400, 'RAMP_PROVIDER_NOT_ELIGIBLE']);
    }
  });
});

describe('the wallets of an approved person', () => {
  it.concurrent('may be on any chain, and have the same person and limits', async () => {
    const walletAddress = newWallet();
    const kycUserId = await approvedPerson({ walletAddress });
    const added = [newWallet(), newSolanaWallet()];
    for (const address of added) {
      const linked = await rest(`/api/v1/kyc/${kycUserId}/wallets`, { body: { walletAddress: address } });
      expect(linked).toMatchObject({ status: 200, body: { kycUserId, walletAddress } });
    }
    const all = [walletAddress, ...added];
    expect((await rest(`/api/v1/kyc/${kycUserId}/wallets`)).body).toEqual({
      kycUserId,
      walletAddress,
      walletAddresses: all,
    });
    const limits = await limitsOf(`kycUserId=${kycUserId}`);
    for (const address of all) {
      expect(await statusOf(`walletAddress=${address}`)).toMatchObject({ kycUserId, status: 'approved' });
      expect(await limitsOf(`walletAddress=${address}`)).toEqual(limits);
    }
    const query = `{ kycStatus(walletAddress: "${added[1]!}") { kycUserId status walletAddresses } }`;
    const { body } = await rest('/graphql', { body: { query } });
    expect(body.data.kycStatus).toEqual({ kycUserId, status: 'approved', walletAddresses: all });
  });

  it.concurrent('open a profile on Solana, exclusively', async () => {
    const walletAddress = newSolanaWallet();
    const kycUserId = await approvedPerson({ walletAddress });
    const stranger = await openedSession();
    const taken = await rest(`/api/v1/kyc/${stranger.kycUserId}/wallets`, { body: { walletAddress } });
    expect([taken.status, taken.body.error.code]).toEqual([409, 'KYC_WALLET_ALREADY_LINKED']);
    const foreign = await rest(`/api/v1/limits?kycUserId=${kycUserId}`, { apiKey: other });
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'KYC_PROFILE_NOT_FOUND']);
  });
});
