import { randomBytes, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { cpfOf } from '../../scripts/demo/person-evidence';
import { png } from '../kyc/images';
import { evidenceOf, image } from '../kyc/kyc-bodies';
import { newWallet } from '../kyc/kyc-gateway';
import { type RoleProcess, startRole } from '../setup/role-process';
import { until } from '../resilience/until';
import { deploymentOf } from '../rest/error-codes-world';
import { customerNamed, runningService } from '../setup/running-service';

const service = runningService();
const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
const apiKey = customerNamed(service, 'load').apiKey;
const wallet = service.accounts[5]!.address;
const roles: RoleProcess[] = [];

/** Starts a role against the database and chains of the running service. Returns its base URL. */
async function start(settings: Record<string, string>): Promise<string> {
  const role = await startRole({ ...deploymentOf(), ...settings });
  roles.push(role);
  return role.url;
}

let gatewayUrl: string;
let subgraphUrls: readonly string[];

beforeAll(async () => {
  subgraphUrls = await Promise.all(
    ['swaps', 'wallets', 'customers', 'kyc', 'strategies'].map((SUBGRAPH) => start({ ROLE: 'subgraph', SUBGRAPH })),
  );
  const [swaps, wallets, customers, kyc, strategies] = subgraphUrls;
  gatewayUrl = await start({
    ROLE: 'gateway',
    SUBGRAPH_URL_SWAPS: swaps!,
    SUBGRAPH_URL_WALLETS: wallets!,
    SUBGRAPH_URL_CUSTOMERS: customers!,
    SUBGRAPH_URL_KYC: kyc!,
    SUBGRAPH_URL_STRATEGIES: strategies!,
  });
});

afterAll(() => Promise.all(roles.map((role) => role.stop())));

const request = async (baseUrl: string, target: string, init: RequestInit = {}) => {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const response = await fetch(baseUrl + target, { ...init, headers });
  return { status: response.status, body: await response.json() };
};

const compareResponses = async (target: string, init?: RequestInit) =>
  Promise.all([request(service.baseUrl, target, init), request(gatewayUrl, target, init)]);

describe('a gateway whose subgraphs are processes of their own', () => {
  it('reports its subgraphs and the worker, and each subgraph its own health', async () => {
    const expected = {
      jobs: 'elsewhere',
      subgraphs: { swaps: 'ok', wallets: 'ok', customers: 'ok', kyc: 'ok', strategies: 'ok' },
    };
    let health!: Awaited<ReturnType<typeof request>>;
    // On a busy machine, processes that have just started may not respond within the time of the first check.
    await until('the worker and all subgraphs respond', async () => {
      health = await request(gatewayUrl, '/health');
      const { jobs, subgraphs } = health.body.checks;
      return isDeepStrictEqual({ jobs, subgraphs }, expected);
    });
    expect(health.status).toBe(200);
    for (const url of subgraphUrls) {
      expect((await fetch(new URL('/health/ready', url))).status).toBe(200);
    }
  });

  it('serves REST like the service in one process', async () => {
    const [one, apart] = await compareResponses(`/actions?walletAddress=${wallet}&limit=5`);
    expect(apart).toEqual(one);
    expect(one.status).toBe(200);
  });

  it('joins a wallet over two subgraphs like the service in one process', async () => {
    const query = `{ wallet(address: "${wallet}") { address nativeBalances { chainId symbol amount } actions(limit: 3) { data { id status } pagination { total } } } }`;
    const [one, apart] = await compareResponses('/graphql', { method: 'POST', body: JSON.stringify({ query }) });
    expect(apart).toEqual(one);
    expect(one.body.data.wallet.nativeBalances).toHaveLength(2);
  });

  it('prices a swap', async () => {
    const query = new URLSearchParams({
      originChain: 'devnet',
      destinationChain: 'devnet',
      amountIn: '1000000',
      tokenIn: devnet.tokens['USDC']!,
      tokenOut: devnet.tokens['WETH']!,
    });
    const { status, body } = await request(gatewayUrl, `/v2/swap/quote?${query.toString()}`);
    expect(status).toBe(200);
    expect(BigInt(body.quote.expectedAmountOut)).toBeGreaterThan(0n);
  });

  it('returns the same codes, statuses and details for failures', async () => {
    const unknown = '01890a5d-ac96-774b-bcce-b302099a8057';
    const targets = [
      ...[`/actions/${unknown}`, '/v2/swap/quote?tokenIn=x', '/actions?limit=0', '/api/v1/kyc/status'],
      ...[`/api/v1/kyc/status?kycUserId=${unknown}`, `/api/v1/limits?kycUserId=${unknown}&rampProvider=unknown`],
    ];
    for (const target of targets) {
      const [one, apart] = await compareResponses(target);
      expect(apart).toEqual(one);
      expect(one.status).toBeGreaterThanOrEqual(400);
    }
  });

  it('accepts a person with images of the maximum size, and returns them with their wallet over three subgraphs', async () => {
    const [cpf, walletAddress] = [cpfOf(randomUUID()), newWallet()];
    const post = (target: string, body: object) =>
      request(gatewayUrl, target, { method: 'POST', body: JSON.stringify(body) });
    const session = { cpf, email: `ana.${cpf}@example.com`, walletAddress };
    const { kycUserId } = (await post('/api/v1/kyc/sessions', session)).body;
    const large = image(png(randomBytes(8_000_000)));
    const evidence = evidenceOf(cpf);
    const submitted = await post(`/api/v1/kyc/sessions/${kycUserId}/submit`, {
      ...evidence,
      documents: { ...evidence.documents, front: large, back: large },
      liveness: { ...evidence.liveness, image: large },
    });
    expect(submitted).toMatchObject({ status: 200, body: { kycUserId, status: 'provider_pending' } });
    const query = `{ wallet(address: "${walletAddress}") { address kycProfile { kycUserId walletAddresses } actions { data { id } } } }`;
    const [one, apart] = await compareResponses('/graphql', { method: 'POST', body: JSON.stringify({ query }) });
    expect(apart).toEqual(one);
    expect(one.body.data.wallet.kycProfile).toEqual({ kycUserId, walletAddresses: [walletAddress] });
  });

  it('passes the bearer of an access token to the subgraph', async () => {
    const authorization = `Bearer ${customerNamed(service, 'demo').bearer.viewer}`;
    const [one, apart] = await Promise.all(
      [service.baseUrl, gatewayUrl].map(async (baseUrl) => {
        const response = await fetch(`${baseUrl}/customers/me`, { headers: { authorization } });
        return { status: response.status, body: await response.json() };
      }),
    );
    expect(apart).toEqual(one);
    expect(one).toMatchObject({ status: 200, body: { name: 'demo', role: 'viewer' } });
  });

  it('has subgraphs that serve only a gateway with the shared secret', async () => {
    const swaps = await start({ ROLE: 'subgraph', SUBGRAPH: 'swaps' });
    const body = JSON.stringify({ query: '{ _service { sdl } }' });
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
    const response = await fetch(swaps, { method: 'POST', headers, body });
    expect(response.status).toBe(401);
  });
});
