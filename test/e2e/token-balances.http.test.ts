import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { deploymentOf, startGateway } from '../rest/error-codes-world';
import type { RoleProcess } from '../setup/role-process';
import { customerNamed, runningService } from '../setup/running-service';

const service = runningService();
const [devnet, l2] = ['devnet', 'devnet-l2'].map((slug) => service.chains.find((chain) => chain.slug === slug)!);
const demo = customerNamed(service, 'load').apiKey;
const other = customerNamed(service, 'other').apiKey;

interface GraphResponse {
  readonly data: any;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

async function query(source: string, { apiKey = demo, url = service.graphqlUrl } = {}): Promise<GraphResponse> {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query: source }) });
  return (await response.json()) as GraphResponse;
}

const FIELDS = `chain asOf { blockNumber time } isStale error { code } totalTokens
  tokens(limit: 200) { symbol address amount humanized isPinned problem spam { isSpam } }`;
const balances = (wallet: string, args = ''): string =>
  `{ wallet(address: "${wallet}") { balances${args} { ${FIELDS} } } }`;
const tokenOf = (section: any, symbol: string) => section.tokens.find((token: any) => token.symbol === symbol);
const holder = service.accounts[6]!.address;

describe('balances through the gateway', () => {
  it('have every chain of the wallet, each with its block', async () => {
    const { data, errors } = await query(balances(holder));
    expect(errors).toBeUndefined();
    expect(data.wallet.balances.map(({ chain }: any) => chain)).toEqual(['devnet', 'devnet-l2']);
    for (const section of data.wallet.balances) {
      expect(section).toMatchObject({ isStale: false, error: null });
      expect(Date.parse(section.asOf.time)).toBeGreaterThan(0);
      expect(tokenOf(section, 'USDC')).toMatchObject({ problem: null, humanized: expect.stringMatching(/^\d/) });
    }
  });

  it('join the actions of another subgraph in one request, and a slice of the tokens', async () => {
    const fields =
      'balances { totalTokens tokens(limit: 1, offset: 1) { symbol } } actions(limit: 1) { pagination { page } }';
    const { data, errors } = await query(`{ wallet(address: "${holder}") { ${fields} } }`);
    expect(errors).toBeUndefined();
    expect(data.wallet.actions.pagination.page).toBe(1);
    expect(data.wallet.balances[0].tokens).toHaveLength(1);
    const { errors: refused } = await query(
      `{ wallet(address: "${holder}") { balances { tokens(limit: 501) { symbol } } } }`,
    );
    expect(refused![0]).toMatchObject({ extensions: { code: 'VALIDATION_ERROR' } });
  });

  it('on Solana are SOL and tokens of both programs', async () => {
    const { data, errors } = await query(balances(service.solanaAccounts[0]!.address));
    expect(errors).toBeUndefined();
    const [section, ...more] = data.wallet.balances;
    expect([section.chain, more]).toEqual(['solana-local', []]);
    expect(tokenOf(section, 'SOL')).toMatchObject({ problem: null });
    expect(tokenOf(section, 'USDC').humanized).toMatch(/^\d/);
    expect(section.tokens.every(({ amount }: any) => typeof amount === 'string')).toBe(true);
  });

  it('have the pinned tokens of the customer, which another customer neither sees nor unpins', async () => {
    const wallet = privateKeyToAddress(generatePrivateKey());
    const token = devnet!.tokens['USDC']!;
    const args = `(wallet: "${wallet}", chainId: ${devnet!.chainId}, token: "${token}")`;
    const pinned = await query(`mutation { pinToken${args} { token chainId } }`);
    expect(pinned).toEqual({ data: { pinToken: { token, chainId: devnet!.chainId } } });
    const only = `(chainIds: [${devnet!.chainId}])`;
    const [own] = (await query(balances(wallet, only))).data.wallet.balances;
    expect(tokenOf(own, 'USDC')).toMatchObject({ isPinned: true, amount: '0' });
    const [foreign] = (await query(balances(wallet, only), { apiKey: other })).data.wallet.balances;
    expect(tokenOf(foreign, 'USDC')).toBeUndefined();
    expect((await query(`mutation { unpinToken${args} }`, { apiKey: other })).data).toEqual({ unpinToken: false });
    expect((await query(`mutation { unpinToken${args} }`)).data).toEqual({ unpinToken: true });
  });
});

describe('balances of a deployment with a chain that is down', () => {
  let gateway: RoleProcess;
  let url: string;

  beforeAll(async () => {
    gateway = await startGateway({ ...deploymentOf(), RPC_URL_DEVNET_L2: 'http://127.0.0.1:9' });
    url = `${gateway.url}/graphql`;
  });
  afterAll(() => gateway.stop());

  it('have its error, and the other chains as ever', async () => {
    const { data, errors } = await query(balances(holder), { url });
    expect(errors).toBeUndefined();
    const [first, second] = data.wallet.balances;
    expect(first).toMatchObject({ chain: 'devnet', isStale: false, error: null });
    expect(tokenOf(first, 'USDC').problem).toBeNull();
    expect(second).toEqual({
      chain: l2!.slug,
      asOf: null,
      isStale: false,
      totalTokens: 0,
      tokens: [],
      error: { code: 'PROVIDER_UNAVAILABLE' },
    });
  });
});
