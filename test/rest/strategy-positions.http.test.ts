import { createPublicClient, createWalletClient, erc20Abi, type Hex, http, parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { customerNamed, rest, runningService } from '../setup/running-service';

const service = runningService();
const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
const [demo, other] = ['load', 'other'].map((name) => customerNamed(service, name).apiKey);
const VAULT = parseAbi(['function deposit(uint256 assets, address receiver)']);
const STRATEGY = 'Steady-USDC-devnet';
const DEPOSIT = 25_000_000n;
const owner = privateKeyToAddress(generatePrivateKey());

interface GraphResponse {
  readonly data: any;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

async function query(source: string, apiKey = demo!): Promise<GraphResponse> {
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const response = await fetch(service.graphqlUrl, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query: source }),
  });
  return (await response.json()) as GraphResponse;
}

/** Deposits for the wallet without the service, which has never seen the depositor. */
async function depositElsewhere(): Promise<Hex> {
  const client = createPublicClient({ transport: http(devnet.rpcUrl), pollingInterval: 50 });
  const account = privateKeyToAccount(service.accounts[8]!.privateKey);
  const wallet = createWalletClient({ account, transport: http(devnet.rpcUrl) });
  const { body } = await rest(`/strategies/${STRATEGY}`);
  const { asset, underlyingAsset } = body.strategy;
  const approval = {
    address: underlyingAsset,
    abi: erc20Abi,
    functionName: 'approve',
    args: [asset, DEPOSIT],
  } as const;
  await client.waitForTransactionReceipt({ hash: await wallet.writeContract({ ...approval, chain: null }) });
  const deposit = { address: asset, abi: VAULT, functionName: 'deposit', args: [DEPOSIT, owner] } as const;
  const hash = await wallet.writeContract({ ...deposit, chain: null });
  await client.waitForTransactionReceipt({ hash });
  return hash;
}

/** The first responses may come before the history is read. */
async function untilKnown(target: string, isKnown: (body: any) => boolean): Promise<any> {
  for (let attempt = 0; ; attempt += 1) {
    const { status, body } = await rest(target);
    if (status === 200 && isKnown(body)) return body;
    if (attempt >= 60) throw new Error(`not known: ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

let txHash: Hex;
beforeAll(async () => {
  txHash = await depositElsewhere();
});

describe('the position of a wallet over REST', () => {
  it('stands beside its strategy, with its cost, its profit and its last changes', async () => {
    const target = `/v2/strategies/${STRATEGY.toLowerCase()}?wallet=${owner}`;
    const body = await untilKnown(target, ({ spotPosition }) => spotPosition?.stale === false);
    expect(body.strategy.id).toBe(STRATEGY);
    expect(body.spotPosition).toMatchObject({
      principal: { value: DEPOSIT.toString(), humanized: '25', symbol: 'USDC', decimals: 6 },
      profit: { afterFees: expect.stringMatching(/^-?\d+$/) },
      availableToClaim: [],
      requestedToLend: [],
      asOf: expect.stringMatching(/Z$/),
    });
    expect(BigInt(body.spotPosition.currentPosition.value)).toBeGreaterThanOrEqual(DEPOSIT - 1n);
    expect(body.profitAndLoss.netDeposits.value).toBe(DEPOSIT.toString());
    expect(body.historic).toMatchObject([
      { action: 'lend', wallet: owner, source: 'chain', payload: { transactionHash: txHash, strategyId: STRATEGY } },
    ]);
  });

  it('stands in the overview beside its whole strategy, with metadata and samples, but without its yields', async () => {
    const target = `/v2/wallets/${owner}?include=earn&includeHistory=false`;
    const { earn } = await untilKnown(target, (body) => body.earn?.positions.length === 1);
    const [{ strategy }] = earn.positions;
    const { metadata, fee, marketData } = (await rest(`/strategies/${STRATEGY}`)).body.strategy;
    expect(strategy).toMatchObject({ id: STRATEGY, metadata, fee, chain: { id: devnet.chainId } });
    expect(metadata.description).toEqual(expect.any(String));
    expect(Object.keys(strategy.marketData).sort()).toEqual(Object.keys(marketData).sort());
    expect(strategy.marketData.samples[0]).toMatchObject({ at: expect.stringMatching(/Z$/), tvl: expect.any(String) });
    for (const name of ['apy', 'avgApy', 'grossAPY', 'inceptionApy', 'netAPY'])
      expect(strategy).not.toHaveProperty(name);
  });

  it('is left out without a wallet, and empty for a wallet that never had one', async () => {
    const { body } = await rest(`/strategies/${STRATEGY}`);
    expect(Object.keys(body).sort()).toEqual(['rateHistory', 'strategy']);
    const empty = await rest(`/strategies/${STRATEGY}?wallet=${privateKeyToAddress(generatePrivateKey())}`);
    expect(empty.body).toMatchObject({ historic: [], spotPosition: { currentPosition: { value: '0' } } });
  });

  it('has its changes page by page', async () => {
    const target = `/wallets/${owner}/history/${STRATEGY}?limit=1`;
    const body = await untilKnown(target, ({ stale }) => stale === false);
    expect(body).toMatchObject({
      data: [
        { type: 'DEPOSIT', amount: { value: DEPOSIT.toString() }, txHash, shares: expect.stringMatching(/^\d+$/) },
      ],
      pagination: { page: 1, limit: 1, total: 1, totalPages: 1, hasMore: false },
    });
  });

  it.each([
    ['an unknown strategy', `/wallets/${owner}/history/none`, 404, 'STRATEGY_NOT_FOUND'],
    ['an unknown strategy with a wallet', `/v2/strategies/none?wallet=${owner}`, 404, 'STRATEGY_NOT_FOUND'],
    ['a malformed wallet', `/v2/strategies/${STRATEGY}?wallet=0x12`, 422, 'VALIDATION_ERROR'],
    [
      'a wrong checksum',
      `/v2/strategies/${STRATEGY}?wallet=0xFb6916095ca1df60bB79Ce92cE3Ea74c37c5d350`,
      422,
      'VALIDATION_ERROR',
    ],
    ['a malformed wallet in a path', `/wallets/0x12/history/${STRATEGY}`, 422, 'VALIDATION_ERROR'],
    [
      'a Solana key',
      `/wallets/So11111111111111111111111111111111111111112/history/${STRATEGY}`,
      422,
      'VALIDATION_ERROR',
    ],
    ['a page of 0', `/wallets/${owner}/history/${STRATEGY}?page=0`, 422, 'VALIDATION_ERROR'],
    ['a limit above the maximum', `/wallets/${owner}/history/${STRATEGY}?limit=501`, 422, 'VALIDATION_ERROR'],
  ])('refuses %s', async (...[, target, status, code]) => {
    const response = await rest(target);
    expect([response.status, response.body.error.code]).toEqual([status, code]);
  });
});

describe('the positions of a wallet in the graph', () => {
  const EARN = `earn {
    positions { strategy { id } spotPosition { stale principal { value } currentPosition { value } } investmentActions { id type } }
    summary { totalUnderlyingBalanceUSD } snapshot { state pendingActionCount } staleness { stalePositions } errors { code strategyId } }`;

  it('are all of them, wherever they were deposited, and the same for another customer', async () => {
    for (const key of [demo!, other!]) {
      const { data, errors } = await query(`{ wallet(address: "${owner}") { ${EARN} } }`, key);
      expect(errors).toBeUndefined();
      expect(data.wallet.earn).toMatchObject({
        positions: [{ strategy: { id: STRATEGY }, investmentActions: [] }],
        snapshot: { pendingActionCount: 0 },
        errors: [],
      });
    }
  });

  it('are empty for a Solana wallet', async () => {
    const { data, errors } = await query(`{ wallet(address: "${service.solanaAccounts[0]!.address}") { ${EARN} } }`);
    expect(errors).toBeUndefined();
    expect(data.wallet.earn).toMatchObject({ positions: [], errors: [], snapshot: { state: 'fresh' } });
  });

  it('stand beside the strategies of a list, and are null where there is none', async () => {
    const { data, errors } = await query(
      `{ strategies(network: "devnet", limit: 10) { data { id position(wallet: "${owner}") { spotPosition { currentPosition { value } } } } } }`,
    );
    expect(errors).toBeUndefined();
    const held = data.strategies.data.filter(({ position }: any) => position !== null);
    expect(held.map(({ id }: any) => id)).toEqual([STRATEGY]);
    expect(data.strategies.data.length).toBeGreaterThan(1);
  });
});
