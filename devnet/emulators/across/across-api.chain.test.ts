import { chainNamed, type TestUniverse, tokenNamed, universeOfTests } from '../../../test/setup/universe-of-tests';
import type { HttpEmulator } from '../http-emulator';
import { bridgedChainsOf } from './bridged-chains';
import { startAcrossEmulator } from './start-across-emulator';

describe('the interface of Across, emulated', () => {
  let universe: TestUniverse;
  let emulator: HttpEmulator;
  beforeAll(async () => {
    universe = await universeOfTests();
    emulator = await startAcrossEmulator({ chains: bridgedChainsOf(universe.chains) });
  });
  afterAll(() => emulator.stop());

  const request = async (path: string, query: Readonly<Record<string, string | undefined>>) => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const response = await fetch(`${emulator.url}${path}?${new URLSearchParams(given).toString()}`);
    const body: any = await response.json();
    return { status: response.status, body };
  };
  const swap = () => {
    const [here, there] = [chainNamed(universe, 'devnet'), chainNamed(universe, 'devnet-l2')];
    return {
      amount: '100000000',
      depositor: universe.accounts[0]!.address,
      inputToken: tokenNamed(here, 'USDC').address,
      originChainId: '31337',
      outputToken: tokenNamed(there, 'USDC').address,
      destinationChainId: '31338',
    };
  };

  it('prices a transfer, checks balance and allowance, and makes the deposit', async () => {
    const { status, body } = await request('/swap/approval', swap());
    const { amount, details } = body.steps.bridge.fees;
    const parts = [details.relayerCapital, details.destinationGas, details.lp].map((fee) => BigInt(fee.amount));
    expect(parts.reduce((sum, part) => sum + part)).toBe(BigInt(amount));
    expect(BigInt(body.expectedOutputAmount)).toBe(100_000_000n - BigInt(amount));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      crossSwapType: 'bridgeableToBridgeable',
      amountType: 'exactInput',
      inputAmount: '100000000',
      checks: { allowance: { actual: '0', expected: '100000000' } },
      approvalTxns: [{ chainId: 31337, to: swap().inputToken }],
      steps: { bridge: { provider: 'across', inputAmount: '100000000' } },
      swapTx: { simulationSuccess: false, chainId: 31337, to: chainNamed(universe, 'devnet').across?.spokePool },
    });
    expect(body.swapTx.data).toMatch(/73c0de$/);
  });

  it.each([
    ['INVALID_PARAM', 'amount', { amount: undefined }],
    ['INVALID_PARAM', 'amount', { amount: '1.5' }],
    ['INVALID_PARAM', 'depositor', { depositor: '0x12' }],
    ['INVALID_PARAM', 'originChainId', { originChainId: '1' }],
    ['INVALID_PARAM', 'slippage', { slippage: '0.51' }],
    ['INVALID_PARAM', 'integratorId', { integratorId: 'af' }],
    ['INVALID_PARAM', 'refundOnOrigin', { refundOnOrigin: 'false' }],
    ['INVALID_PARAM', 'tradeType', { tradeType: 'best' }],
    ['SWAP_TYPE_NOT_GUARANTEED', undefined, { tradeType: 'exactOutput' }],
    ['AMOUNT_TOO_LOW', undefined, { amount: '1000' }],
    ['AMOUNT_TOO_HIGH', undefined, { amount: '1000000000000000' }],
    ['ROUTE_NOT_ENABLED', undefined, { destinationChainId: '31337' }],
  ])('refuses with %s and names the parameter %s', async (code, param, changes: object) => {
    const { status, body } = await request('/swap/approval', { ...swap(), ...changes });
    expect(status).toBe(400);
    expect(body).toEqual({
      type: 'AcrossApiError',
      code,
      status: 400,
      message: expect.any(String),
      ...(param === undefined ? {} : { param }),
    });
  });

  it('enforces the limits that it reports', async () => {
    const { minDeposit, maxDeposit } = (await request('/limits', swap())).body;
    const amounts = [BigInt(minDeposit) - 1n, BigInt(minDeposit), BigInt(maxDeposit), BigInt(maxDeposit) + 1n];
    const responses = await Promise.all(
      amounts.map((amount) => request('/swap/approval', { ...swap(), amount: String(amount) })),
    );
    expect(responses.map(({ body }) => body.code)).toEqual(['AMOUNT_TOO_LOW', undefined, undefined, 'AMOUNT_TOO_HIGH']);
  });

  it('reports a deposit that was not made as not found', async () => {
    const query = { depositTxnRef: `0x${'1'.repeat(64)}` };
    expect(await request('/deposit/status', query)).toMatchObject({
      status: 404,
      body: { error: 'DepositNotFoundException' },
    });
  });

  it('refuses a mode that it does not have', async () => {
    const steer = (body: object) =>
      fetch(`${emulator.url}/_control/relayer`, { method: 'POST', body: JSON.stringify(body) });
    expect((await steer({ mode: 'generous' })).status).toBe(400);
    expect(await (await steer({ mode: 'expire', expirySeconds: 3 })).json()).toEqual({
      mode: 'expire',
      expirySeconds: 3,
    });
  });
});
