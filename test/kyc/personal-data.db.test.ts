import { randomUUID } from 'node:crypto';
import { runAdmin } from '../../src/admin/run-admin';
import { withDeployment } from '../../src/admin/with-deployment';
import { evidenceOf } from './kyc-bodies';
import { type KycGateway, openedSession, startKycGateway } from './kyc-gateway';

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

async function submitted() {
  const opened = await openedSession(gateway);
  const body = evidenceOf(opened.cpf);
  await gateway.call('POST', `/api/v1/kyc/sessions/${opened.kycUserId}/submit`, { body });
  return opened;
}

const customer = (): string => gateway.customerIds[0]!;

it('is shown to who administers the deployment, and only with its keys', async () => {
  const { kycUserId, cpf, email, walletAddress } = await submitted();
  const args = ['customer', 'export', customer(), '--kyc-user', kycUserId];
  const { exitCode, output } = await admin(args);
  expect(exitCode).toBe(0);
  expect(JSON.parse(output)).toEqual({
    customerId: customer(),
    people: [
      expect.objectContaining({
        ...{ kycUserId, beneficiaries: [], wallets: [{ address: walletAddress, linkedAt: expect.any(String) }] },
        person: expect.objectContaining({ taxId: cpf, email, fullName: 'Ana Beatriz Lima', birthDate: '1990-01-31' }),
        ramps: [expect.objectContaining({ provider: 'primary', accountId: expect.stringMatching(/^primary-/) })],
      }),
    ],
  });
  expect((await admin(args, {})).exitCode).toBe(1);
  const elsewhere = ['customer', 'export', gateway.customerIds[1]!, '--kyc-user', kycUserId];
  expect((await admin(elsewhere)).exitCode).toBe(1);
});

it('is erased, and the same person is another one when they come again', async () => {
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

it('is not erased while a ticket is opened for the person, of which there is no action yet', async () => {
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

it('is not erased while money of the person is under way', async () => {
  const { kycUserId, walletAddress } = await submitted();
  const { database } = gateway.test;
  const actionId = randomUUID();
  await database.$executeRaw`
    INSERT INTO "RampTicket" ("actionId", "customerId", "profileId", provider, "accountId", request, "updatedAt")
    VALUES (${actionId}::uuid, ${customer()}::uuid, ${kycUserId}::uuid, 'primary', 'a', '\\x01', now())`;
  await database.action.create({
    data: {
      ...{ id: actionId, customerId: customer(), type: 'OFF_RAMP_FIAT', status: 'PENDING', fees: {} },
      ...{
        originAddress: walletAddress,
        receiverAddress: 'fiat',
        chainIdIn: 1,
        chainIdOut: 2,
        tokenIn: {},
        tokenOut: {},
      },
      ...{ amountIn: 1, amountOut: 1, minAmountOut: 1, expiresAt: new Date() },
    },
  });
  const args = ['customer', 'erase', customer(), '--kyc-user', 'all'];
  const outcomes = async () => JSON.parse((await admin(args)).output) as object[];
  expect(await outcomes()).toContainEqual({ kycUserId, erased: false });
  const look = { actionId, customerId: customer(), provider: 'primary' };
  await database.delivery.create({ data: { ...look, nextLookAt: new Date() } });
  await database.action.update({ where: { id: actionId }, data: { status: 'FAILED' } });
  expect(await outcomes()).toContainEqual({ kycUserId, erased: false }); // it may yet come back
  await database.delivery.update({ where: { actionId }, data: { nextLookAt: null } });
  expect(await outcomes()).toEqual([{ kycUserId, erased: true }]); // the others are gone already
  const ticket = await database.rampTicket.findUniqueOrThrow({ where: { actionId } });
  expect(ticket.request).toHaveLength(0);
});
