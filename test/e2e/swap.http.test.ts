import { setTimeout as wait } from 'node:timers/promises';
import { createPublicClient, createWalletClient, defineChain, erc20Abi, type Hex, http, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { rest, runningService } from '../setup/running-service';

const service = runningService();
const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
const account = privateKeyToAccount(service.accounts[3]!.privateKey);
const chain = defineChain({
  id: devnet.chainId,
  name: 'devnet',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [devnet.rpcUrl] } },
});
const reader = createPublicClient({ chain, transport: http(), pollingInterval: 100 });
const signer = createWalletClient({ account, chain, transport: http() });
const token = (symbol: string): Hex => devnet.tokens[symbol]!;

interface Call {
  readonly to: Hex;
  readonly data: Hex;
  readonly value: string;
  readonly from: Hex;
  readonly chainId: string;
}

async function send(calls: readonly Call[]): Promise<Hex> {
  let hash: Hex = '0x';
  for (const { to, data, value } of calls) {
    hash = await signer.sendTransaction({ to, data, value: BigInt(value), gas: 2_000_000n });
    await reader.waitForTransactionReceipt({ hash });
  }
  return hash;
}

const quote = async (parameters: Record<string, string>) => {
  const query = new URLSearchParams({ originChain: 'devnet', destinationChain: 'devnet', ...parameters });
  const response = await rest(`/v2/swap/quote?${query.toString()}`);
  expect(response.body).not.toHaveProperty('error');
  return response.body;
};

const bytecode = async (
  quoteId: string,
): Promise<{ id: string; chainId: number; transactionData: readonly Call[] }> => {
  const body = { quoteId, originAddress: account.address, destinationAddress: account.address };
  const response = await rest('/v2/swap/bytecode', { body });
  expect(response.status).toBe(200);
  return response.body;
};

async function settled(id: string) {
  for (let tries = 0; tries < 300; tries++) {
    const { body } = await rest(`/actions/${id}`);
    if (body.status !== 'INITIAL' && body.status !== 'PENDING') return body;
    await wait(100);
  }
  throw new Error('the action did not settle');
}

const balance = (address: Hex): Promise<bigint> =>
  reader.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [account.address] });

describe('a swap', () => {
  it('delivers exactly the quoted amount, and ends in SUCCESS with the transferred amounts', async () => {
    const { quote: offer } = await quote({ tokenIn: token('USDC'), tokenOut: token('WETH'), amountIn: '123456789' });
    const { id, chainId, transactionData } = await bytecode(offer.quoteId);
    expect(chainId).toBe(devnet.chainId);
    const before = await balance(token('WETH'));
    const hash = await send(transactionData);
    expect((await balance(token('WETH'))) - before).toBe(BigInt(offer.expectedAmountOut));
    const action = await settled(id);
    expect(action).toMatchObject({
      id,
      type: 'SAMECHAIN_SWAP',
      status: 'SUCCESS',
      originAddress: account.address,
      amounts: { assetIn: { amountRaw: '123456789' }, assetOut: { amountRaw: offer.expectedAmountOut } },
      steps: [{ stepIndex: 0, status: 'CONFIRMED', txHash: hash }],
    });
    const status = await rest(`/v2/swap/status/${offer.quoteId}`);
    expect(status.body).toMatchObject({
      quoteId: offer.quoteId,
      status: 'SUCCESS',
      originTxHash: hash,
      provider: offer.provider,
    });
  });

  it('requires an approval only when the allowance is too small', async () => {
    const first = await quote({ tokenIn: token('DAI'), tokenOut: token('USDC'), amountIn: (10n ** 19n).toString() });
    const { transactionData } = await bytecode(first.quote.quoteId);
    expect(transactionData).toHaveLength(2);
    const [approval, swap] = transactionData;
    expect(approval?.to).toBe(token('DAI'));
    await send(transactionData.slice(0, 1));
    const repeated = await bytecode(first.quote.quoteId);
    expect(repeated.transactionData.map(({ to }) => to)).toEqual([swap?.to]);
    await send(repeated.transactionData);
    expect((await settled(repeated.id)).status).toBe('SUCCESS');
  });

  it('sells and buys the native coin', async () => {
    const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
    const { quote: offer } = await quote({
      tokenIn: native,
      tokenOut: token('BRLA'),
      amountIn: parseEther('0.5').toString(),
    });
    expect(offer.tokenIn.contract).toBe(native);
    const { id, transactionData } = await bytecode(offer.quoteId);
    expect(transactionData).toHaveLength(1);
    const before = await balance(token('BRLA'));
    await send(transactionData);
    expect((await balance(token('BRLA'))) - before).toBe(BigInt(offer.expectedAmountOut));
    expect((await settled(id)).status).toBe('SUCCESS');

    const back = await quote({ tokenIn: token('USDC'), tokenOut: native, amountIn: '50000000' });
    const action = await bytecode(back.quote.quoteId);
    await send(action.transactionData);
    expect(await settled(action.id)).toMatchObject({
      status: 'SUCCESS',
      amounts: { assetOut: { amountRaw: back.quote.expectedAmountOut } },
    });
  });

  it('delivers the requested exact output', async () => {
    const amountOut = parseEther('0.01').toString();
    const { quote: offer } = await quote({ tokenIn: token('USDC'), tokenOut: token('WETH'), amountOut });
    const { id, transactionData } = await bytecode(offer.quoteId);
    const before = await balance(token('WETH'));
    await send(transactionData);
    expect((await balance(token('WETH'))) - before).toBe(BigInt(amountOut));
    expect((await settled(id)).status).toBe('SUCCESS');
  });

  it('resets the allowance only for tokens that require it', async () => {
    // The allowance of the first quote is one of the same spender.
    const pair = { tokenIn: token('USDT'), tokenOut: token('USDC'), preferredProvider: 'uniswapV3' };
    const swap = (amountIn: string) => quote({ ...pair, amountIn });
    await send((await bytecode((await swap('1000000')).quote.quoteId)).transactionData.slice(0, 1));
    const { id, transactionData } = await bytecode((await swap('7000000')).quote.quoteId);
    expect(transactionData).toHaveLength(3);
    await send(transactionData);
    expect((await settled(id)).status).toBe('SUCCESS');
  });

  it('returns quote, action and transaction together when both addresses are given', async () => {
    const wallets = { originAddress: account.address, destinationAddress: account.address };
    const response = await quote({ tokenIn: token('USDC'), tokenOut: token('DAI'), amountIn: '5000000', ...wallets });
    expect(response.transactionData).toMatchObject({ chainId: String(devnet.chainId), from: account.address });
    expect(response.quote.simulation).toMatchObject({ status: 'SUCCESS' });
    await send(response.transactionData.transactions);
    expect((await settled(response.id)).status).toBe('SUCCESS');
  });

  it('is FAILED with a readable reason when its transaction reverts', async () => {
    const { quote: offer } = await quote({
      tokenIn: token('USDC'),
      tokenOut: token('WETH'),
      amountIn: '2000000',
      slippage: '0.0001',
    });
    const { id, transactionData } = await bytecode(offer.quoteId);
    await send(transactionData.slice(0, -1));
    const mover = await quote({ tokenIn: token('USDC'), tokenOut: token('WETH'), amountIn: '90000000000' });
    await send((await bytecode(mover.quote.quoteId)).transactionData);
    await send(transactionData.slice(-1));
    const action = await settled(id);
    expect(action).toMatchObject({
      status: 'FAILED',
      steps: [{ status: 'FAILED', failureReason: expect.stringMatching(/\w{4}/) }],
    });
  });

  it('is listed for both wallets, newest first, and not for other customers', async () => {
    const list = await rest(`/actions?walletAddress=${account.address}&limit=2`);
    expect(list.body.data).toHaveLength(2);
    expect(list.body.pagination).toMatchObject({ page: 1, limit: 2, hasMore: true });
    const created = list.body.data.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(created).toEqual([...created].sort().reverse());
    const apiKey = service.customers.find(({ name }) => name === 'other')!.apiKey;
    const foreign = await rest(`/actions?walletAddress=${account.address}`, { apiKey });
    expect(foreign.body).toMatchObject({ data: [], pagination: { total: 0, hasMore: false } });
    expect((await rest(`/actions/${list.body.data[0].id}`, { apiKey })).body.error.code).toBe('ACTION_NOT_FOUND');
  });
});
