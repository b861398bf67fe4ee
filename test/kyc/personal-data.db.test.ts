import { randomUUID } from 'node:crypto';
import { runAdmin } from '../../src/admin/run-admin';
import { withDeployment } from '../../src/admin/with-deployment';
import type { CustomerId } from '../../src/auth/principal';
import type { PollsInFlight } from '../../src/kyc/identity-deps';
import { markVerificationsStale } from '../../src/kyc/stale-verifications';
import { savePerson } from '../../src/kyc/profile';
import { pollVerification } from '../../src/kyc/poll-verification';
import { createPersonalDataVault } from '../../src/persistence/personal-data';
import { cpfOf } from '../../scripts/demo/person-evidence';
import { evidenceOf } from './kyc-bodies';
import { type KycGateway, newWallet, openedSession, startKycGateway } from './kyc-gateway';
import { createSingleFlight } from '../../src/async/single-flight';

let gateway: KycGateway;
beforeAll(async () => {
  gateway = await startKycGateway();
});
afterAll(() => gateway.stop());

const KEYS = { PERSONAL_DATA_KEYS: `1:${'cd'.repeat(32)}`, BLIND_INDEX_KEY: 'ef'.repeat(32) };

async function admin(args: readonly string[], keys: Record<string, string> = KEYS) {
  const environment = { DATABASE_URL: gateway.test.url, API_KEY_PEPPER: 'ab'.repeat(32), ...keys };
  return runAdmin([...args, '--json'], (work) => withDeployment(environment, work));
}

const vault = createPersonalDataVault({
  keys: [{ version: 1, key: Buffer.from('cd'.repeat(32), 'hex') }],
  indexKey: Buffer.from('ef'.repeat(32), 'hex'),
});

/** Stores a ticket of a person at the primary ramp, without an action. */
async function ticketOf(kycUserId: string, { actionId = randomUUID(), pixKey = 'ana@example.com' } = {}) {
  const request = Buffer.from(vault.seal({ payout: { rail: 'PIX', pixKey } }, `RampTicket:${actionId}`));
  await gateway.test.database.$executeRaw`
    INSERT INTO "RampTicket" ("actionId", "customerId", "profileId", provider, "accountId", request, "createdAt", "updatedAt")
    VALUES (${actionId}::uuid, ${customer()}::uuid, ${kycUserId}::uuid, 'primary', 'a', ${request},
            now() - interval '2 hours', now())`;
  return actionId;
}

/** Every value of every table. Sealed values are opened with the keys of the deployment. */
async function allStoredData(): Promise<string> {
  const { pool } = gateway.test;
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<Record<string, unknown>>(`SELECT * FROM ${name}`);
    for (const row of rows)
      texts.push(...Object.values(row).map((value) => `${name} ${textOf(value, contextsOf(row))}`));
  }
  return texts.join('\n');
}

const contextsOf = ({ id, actionId, customerId, key }: Record<string, unknown>): readonly string[] => [
  ...[`KycProfile:${String(id)}`, `Quote:${String(id)}`, `RampTicket:${String(actionId)}`],
  `IdempotentCall:${String(customerId)}:${String(key)}`,
];

function textOf(value: unknown, contexts: readonly string[]): string {
  if (!Buffer.isBuffer(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  for (const context of contexts) {
    try {
      return JSON.stringify(vault.open(value, context));
    } catch {
      // Sealed for another row, or not sealed.
    }
  }
  return value.toString('latin1');
}

async function submitted() {
  const opened = await openedSession(gateway);
  const body = evidenceOf(opened.cpf);
  await gateway.call('POST', `/api/v1/kyc/sessions/${opened.kycUserId}/submit`, { body });
  return opened;
}

const customer = (): string => gateway.customerIds[0]!;

it('is exported to the administrator, and only with the keys of the deployment', async () => {
  const { kycUserId, cpf, email, walletAddress } = await submitted();
  const args = ['customer', 'export', customer(), '--kyc-user', kycUserId];
  const { exitCode, output } = await admin(args);
  expect(exitCode).toBe(0);
  expect(JSON.parse(output)).toEqual({
    customerId: customer(),
    people: [
      expect.objectContaining({
        kycUserId,
        beneficiaries: [],
        wallets: [{ address: walletAddress, linkedAt: expect.any(String) }],
        person: expect.objectContaining({ taxId: cpf, email, fullName: 'Ana Beatriz Lima', birthDate: '1990-01-31' }),
        ramps: [expect.objectContaining({ provider: 'primary', accountId: expect.stringMatching(/^primary-/) })],
      }),
    ],
  });
  expect((await admin(args, {})).exitCode).toBe(1);
  const elsewhere = ['customer', 'export', gateway.customerIds[1]!, '--kyc-user', kycUserId];
  expect((await admin(elsewhere)).exitCode).toBe(1);
});

it('is exported with the payments through ramps, and their payouts', async () => {
  const { kycUserId } = await submitted();
  const actionId = await ticketOf(kycUserId);
  const { output } = await admin(['customer', 'export', customer(), '--kyc-user', kycUserId]);
  expect(JSON.parse(output).people[0].payments).toEqual([
    {
      actionId,
      provider: 'primary',
      ticketId: null,
      createdAt: expect.any(String),
      ticket: null,
      request: { payout: { rail: 'PIX', pixKey: 'ana@example.com' } },
    },
  ]);
});

it('leaves no trace in any table after its erasure, nor in a stored response to an idempotent call', async () => {
  const [cpf, walletAddress] = [cpfOf(randomUUID()), newWallet()];
  const session = { cpf, email: `zulmira.${cpf}@example.com`, walletAddress, externalUserId: `user-${cpf}` };
  const idempotencyKey = randomUUID();
  const opening = { body: session, idempotencyKey };
  const { kycUserId } = (await gateway.call('POST', '/api/v1/kyc/sessions', opening)).body;
  const submit = { body: evidenceOf(cpf), idempotencyKey: randomUUID() };
  expect((await gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, submit)).status).toBe(200);
  const actionId = await ticketOf(kycUserId, { pixKey: session.email });
  const { database } = gateway.test;
  const where = { profileId_provider: { profileId: kycUserId, provider: 'primary' } };
  await database.rampAccount.update({ where, data: { rejectReason: 'FACE', verificationLink: 'https://verify' } });
  const quoteId = randomUUID();
  await database.$executeRaw`
    INSERT INTO "Quote" (id, "customerId", provider, "chainIdIn", "chainIdOut", "tokenIn", "tokenOut", "amountIn",
                         "maxAmountIn", "expectedAmountOut", "minAmountOut", request, view, execution, payout, deadline)
    VALUES (${quoteId}::uuid, ${customer()}::uuid, 'primary', 1, 0, 'a', 'BRL', 1, 1, 1, 1,
            ${JSON.stringify({ originAddress: walletAddress })}::jsonb, '{}', '{}',
            ${Buffer.from(vault.seal({ pixKey: session.email }, `Quote:${quoteId}`))}, now())`;
  const stays = await submitted();
  const secrets = [cpf, session.email, session.externalUserId, 'https://verify', 'FACE'];
  const before = await allStoredData();
  for (const secret of secrets) expect(before).toContain(secret);
  expect(before).toMatch(new RegExp(`IdempotentCall.*${kycUserId}`));

  const { output } = await admin(['customer', 'erase', customer(), '--kyc-user', kycUserId]);
  expect(JSON.parse(output)).toEqual([{ kycUserId, erased: true }]);
  const after = await allStoredData();
  for (const secret of secrets) expect(after).not.toContain(secret);
  expect(after).not.toMatch(new RegExp(`IdempotentCall.*(${kycUserId}|${walletAddress})`));
  expect(after).not.toMatch(new RegExp(`(KycWallet|CustomerWallet).*${walletAddress}`));
  expect(after).toContain(stays.email);
  const ticket = await database.rampTicket.findUniqueOrThrow({ where: { actionId } });
  expect(ticket).toMatchObject({ ticket: null, accountId: 'a' });

  // The repeated call opens a session for a new person.
  const again = await gateway.call('POST', '/api/v1/kyc/sessions', opening);
  expect([again.status, again.body.kycUserId === kycUserId]).toEqual([200, false]);
});

it('does not return with a callback or a pending submission', async () => {
  const { kycUserId } = await submitted();
  const { database } = gateway.test;
  const account = await database.rampAccount.findFirstOrThrow({ where: { profileId: kycUserId } });
  const erase = () => admin(['customer', 'erase', customer(), '--kyc-user', kycUserId]);
  expect((await erase()).exitCode).toBe(0);
  const hint = { ramp: 'primary', accountId: account.accountId!, attemptId: undefined } as const;
  expect(await database.$transaction((tx) => markVerificationsStale(tx, hint))).toEqual([]);
  const ramps = { primary: gateway.primary.provider, secondary: gateway.secondary.provider };
  const pollsInFlight: PollsInFlight = createSingleFlight();
  const deps = {
    database,
    ramps,
    log: { warn: () => undefined },
    pollsInFlight,
    isCoolingDown: () => false,
  };
  await pollVerification(deps, account, new AbortController().signal);
  expect(await database.rampAccount.findFirst({ where: { profileId: kycUserId } })).toMatchObject({ polledAt: null });
  const late = savePerson(
    { database, vault },
    { customerId: customer() as CustomerId, kycUserId },
    {
      taxId: '1',
      taxIdCountry: 'BRA',
      email: 'late@example.com',
    },
  );
  await expect(late).rejects.toMatchObject({ code: 'KYC_PROFILE_NOT_FOUND' });
  expect(await allStoredData()).not.toContain('late@example.com');
});

it('is erased, and the same person gets a new profile afterwards', async () => {
  const [gone, stays] = [await submitted(), await submitted()];
  const { output } = await admin(['customer', 'erase', customer(), '--kyc-user', gone.kycUserId]);
  expect(JSON.parse(output)).toEqual([{ kycUserId: gone.kycUserId, erased: true }]);
  const status = (kycUserId: string) => gateway.call('GET', `/api/v1/kyc/status?kycUserId=${kycUserId}`);
  expect((await status(gone.kycUserId)).body.error.code).toBe('KYC_PROFILE_NOT_FOUND');
  expect((await status(stays.kycUserId)).status).toBe(200);
  const row = await gateway.test.database.kycProfile.findUniqueOrThrow({ where: { id: gone.kycUserId } });
  expect(row).toMatchObject({ emailIndex: null, externalUserId: null, erasedAt: expect.any(Date) });
  expect(row.person).toHaveLength(0);
  const { cpf, email, walletAddress } = gone;
  const again = await gateway.call('POST', '/api/v1/kyc/sessions', { body: { cpf, email, walletAddress } });
  expect(again.status).toBe(200);
  expect(again.body.kycUserId).not.toBe(gone.kycUserId);
});

it('is not erased while a ticket is opened whose action is not stored yet', async () => {
  const { kycUserId } = await submitted();
  const { database } = gateway.test;
  const actionId = randomUUID();
  await database.$executeRaw`
    INSERT INTO "RampTicket" ("actionId", "customerId", "profileId", provider, "accountId", request, "updatedAt")
    VALUES (${actionId}::uuid, ${customer()}::uuid, ${kycUserId}::uuid, 'primary', 'a', '\\x01', now())`;
  const args = ['customer', 'erase', customer(), '--kyc-user', kycUserId];
  const outcomes = async () => JSON.parse((await admin(args)).output) as object[];
  expect(await outcomes()).toEqual([{ kycUserId, erased: false }]);
  await database.$executeRaw`
    UPDATE "RampTicket" SET "createdAt" = now() - interval '2 hours' WHERE "actionId" = ${actionId}::uuid`;
  expect(await outcomes()).toEqual([{ kycUserId, erased: true }]);
});

it('is not erased while a payment of the person is in progress', async () => {
  const { kycUserId, walletAddress } = await submitted();
  const { database } = gateway.test;
  const actionId = randomUUID();
  await database.$executeRaw`
    INSERT INTO "RampTicket" ("actionId", "customerId", "profileId", provider, "accountId", request, "updatedAt")
    VALUES (${actionId}::uuid, ${customer()}::uuid, ${kycUserId}::uuid, 'primary', 'a', '\\x01', now())`;
  await database.action.create({
    data: {
      id: actionId,
      customerId: customer(),
      type: 'OFF_RAMP_FIAT',
      status: 'PENDING',
      fees: {},
      originAddress: walletAddress,
      receiverAddress: 'fiat',
      chainIdIn: 1,
      chainIdOut: 2,
      tokenIn: {},
      tokenOut: {},
      amountIn: 1,
      amountOut: 1,
      minAmountOut: 1,
      expiresAt: new Date(),
    },
  });
  const args = ['customer', 'erase', customer(), '--kyc-user', 'all'];
  const outcomes = async () => JSON.parse((await admin(args)).output) as object[];
  expect(await outcomes()).toContainEqual({ kycUserId, erased: false });
  const delivery = { actionId, customerId: customer(), provider: 'primary' };
  await database.delivery.create({ data: { ...delivery, phase: 'ACTIVE', nextPollAt: new Date() } });
  await database.action.update({ where: { id: actionId }, data: { status: 'FAILED' } });
  expect(await outcomes()).toContainEqual({ kycUserId, erased: false }); // A refund is still possible.
  await database.delivery.update({ where: { actionId }, data: { phase: 'ENDED', nextPollAt: null } });
  const place = { customerId: customer(), wallet: walletAddress, section: 'tokens' };
  await database.walletSnapshot.create({ data: { ...place, format: 1, body: '{}' } });
  const observedAt = new Date();
  await database.walletValue.create({
    data: { ...place, step: observedAt, at: observedAt, usdMicros: 1, unpriced: 0 },
  });
  expect(await outcomes()).toEqual([{ kycUserId, erased: true }]); // All others are erased already.
  expect(await database.customerWallet.count({ where: { address: walletAddress } })).toBe(1); // The wallet has an action.
  expect(await database.walletSnapshot.count({ where: place })).toBe(0);
  expect(await database.walletValue.count({ where: place })).toBe(0);
  const ticket = await database.rampTicket.findUniqueOrThrow({ where: { actionId } });
  expect(ticket.request).toHaveLength(0);
});
