import { randomUUID } from 'node:crypto';
import { BLOCKED, type KycGateway, type KycResponse, startKycGateway } from './kyc-gateway';

let gateway: KycGateway;
beforeAll(async () => {
  gateway = await startKycGateway();
});
afterAll(() => gateway.stop());

const wallet = { walletAddress: BLOCKED };
const wallets = `/api/v1/kyc/${randomUUID()}/wallets`;

const ROUTES: Readonly<Record<string, () => Promise<KycResponse>>> = {
  'the list of actions': () => gateway.call('GET', `/actions?walletAddress=${BLOCKED}`),
  'the overview of a wallet': () => gateway.call('GET', `/v2/wallets/${BLOCKED}`),
  'the KYC status': () => gateway.call('GET', `/api/v1/kyc/status?walletAddress=${BLOCKED}`),
  'the KYC status, beside the id of a profile': () =>
    gateway.call('GET', `/api/v1/kyc/status?kycUserId=${randomUUID()}&walletAddress=${BLOCKED}`),
  'the limits at a ramp': () => gateway.call('GET', `/api/v1/limits?walletAddress=${BLOCKED}`),
  'the position in a strategy': () => gateway.call('GET', `/v2/strategies/aave-usdc-polygon?wallet=${BLOCKED}`),
  'the history of a position': () => gateway.call('GET', `/wallets/${BLOCKED}/history/aave-usdc-polygon`),
  'a wallet to link': () => gateway.call('POST', wallets, { body: wallet }),
  'a wallet to unlink': () => gateway.call('DELETE', `${wallets}/${BLOCKED}`),
  'a new KYC session': () =>
    gateway.call('POST', '/api/v1/kyc/sessions', { body: { cpf: '52998224725', email: 'a@example.com', ...wallet } }),
};

it.each(Object.entries(ROUTES))('a blocked wallet is refused in %s', async (_, request) => {
  const { status, body } = await request();
  expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
});

const ID = `kycUserId: "${randomUUID()}"`;
const ADDRESS = `walletAddress: "${BLOCKED}"`;

it.each([
  `{ wallet(address: "${BLOCKED}") { address } }`,
  `{ strategyDetail(strategyId: "aave-usdc-polygon", wallet: "${BLOCKED}") { spotPosition { stale } } }`,
  `{ strategyHistory(strategyId: "aave-usdc-polygon", wallet: "${BLOCKED}") { stale } }`,
  `{ actions(${ADDRESS}) { pagination { total } } }`,
  `{ kycStatus(${ADDRESS}) { status } }`,
  `{ rampLimits(${ADDRESS}) { provider } }`,
  `mutation { linkKycWallet(${ID}, ${ADDRESS}) { kycUserId } }`,
  `mutation { unlinkKycWallet(${ID}, ${ADDRESS}) { kycUserId } }`,
])('a blocked wallet is refused in GraphQL: %s', async (query) => {
  const { body } = await gateway.call('POST', '/graphql', { body: { query } });
  expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  const [customerId] = gateway.customerIds;
  expect(await gateway.test.database.customerWallet.count({ where: { customerId: customerId! } })).toBe(0);
});
