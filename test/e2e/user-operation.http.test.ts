import { setTimeout as wait } from 'node:timers/promises';
import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  parseEther,
  publicActions,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { NATIVE_TOKEN } from '../../src/chains/addresses';
import { sendBundle, sendCall, signUserOperation } from '../smart-accounts/local-operations';
import { rest, type RestResponse, runningService } from '../setup/running-service';

const service = runningService();
const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
const token = (symbol: string): Hex => devnet.tokens[symbol]!;
const bundler = createWalletClient({
  account: privateKeyToAccount(service.accounts[8]!.privateKey),
  transport: http(devnet.rpcUrl),
}).extend(publicActions);

/** A smart account with USDC, and with native coin when it pays for its gas. */
async function newAccount(usdc: bigint, coin: bigint) {
  const owner = privateKeyToAccount(generatePrivateKey());
  const { body } = await rest('/smart-account', { body: { owner: owner.address, chainId: devnet.chainId } });
  const account = body.address as Address;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [account, usdc] });
  await sendCall(bundler, { to: token('USDC'), data });
  if (coin > 0n) await sendCall(bundler, { to: account, value: coin });
  return { owner, account };
}

const brlaOf = (owner: Address): Promise<bigint> =>
  bundler.readContract({ address: token('BRLA'), abi: erc20Abi, functionName: 'balanceOf', args: [owner] });

const quote = (account: Address, parameters: Readonly<Record<string, string>> = {}): Promise<RestResponse> => {
  const trade = { originChain: 'devnet', destinationChain: 'devnet', tokenIn: token('USDC'), tokenOut: token('BRLA') };
  const parties = { originAddress: account, destinationAddress: account };
  const query = { ...trade, ...parties, amountIn: '25000000', output: 'userOperation', ...parameters };
  return rest(`/v2/swap/quote?${new URLSearchParams(query).toString()}`);
};

/** A quote with its operation. */
async function offered(account: Address, parameters: Readonly<Record<string, string>> = {}): Promise<RestResponse> {
  const response = await quote(account, parameters);
  expect(response.body).not.toHaveProperty('error');
  return response;
}

async function settled(id: string) {
  for (let tries = 0; tries < 300; tries++) {
    const { body } = await rest(`/actions/${id}`);
    if (body.status !== 'INITIAL' && body.status !== 'PENDING') return body;
    await wait(100);
  }
  throw new Error('the action did not settle');
}

describe('a swap by a smart account', () => {
  it('is signed unchanged by its owner, deploys the account, and delivers the quoted amount', async () => {
    const { owner, account } = await newAccount(25_000_000n, parseEther('1'));
    const { status, body } = await offered(account);
    expect([status, body.quote.simulation?.status]).toEqual([200, 'SUCCESS']);
    const { transactionHash } = await sendBundle(bundler, [await signUserOperation(body.userOperation, owner)]);
    expect(await brlaOf(account)).toBe(BigInt(body.quote.expectedAmountOut));
    expect(await settled(body.id)).toMatchObject({
      status: 'SUCCESS',
      originAddress: account,
      amounts: { assetIn: { amountRaw: '25000000' }, assetOut: { amountRaw: body.quote.expectedAmountOut } },
      steps: [
        { txHash: transactionHash, userOperationHash: body.userOperation.userOperationHash, status: 'CONFIRMED' },
      ],
    });
  });

  it('has one action, and a repeated request returns a fresh operation', async () => {
    const { owner, account } = await newAccount(25_000_000n, parseEther('1'));
    const { body: first } = await offered(account);
    const parties = { originAddress: account, destinationAddress: account };
    const again = { quoteId: first.quote.quoteId, ...parties, output: 'userOperation' };
    const { status, body } = await rest('/v2/swap/bytecode', { body: again });
    expect([status, body.id]).toEqual([200, first.id]);
    expect(body.userOperation.nonce).toBe(first.userOperation.nonce);
    await sendBundle(bundler, [await signUserOperation(body.userOperation, owner)]);
    expect(await settled(first.id)).toMatchObject({ status: 'SUCCESS' });
    const late = await rest('/v2/swap/bytecode', { body: again });
    const { id, transactionData, userOperation } = late.body;
    expect([late.status, id, late.body.status, transactionData]).toEqual([200, first.id, 'SUCCESS', []]);
    expect(userOperation ?? undefined).toBeUndefined();
  });

  it('unwraps the native coin in a deployed account, whose wrapper passes on hardly any gas', async () => {
    const { owner, account } = await newAccount(25_000_000n, parseEther('1'));
    const first = await offered(account, { tokenOut: token('WETH') });
    await sendBundle(bundler, [await signUserOperation(first.body.userOperation, owner)]);
    const amountIn = first.body.quote.expectedAmountOut;
    const { body } = await offered(account, { tokenIn: token('WETH'), tokenOut: NATIVE_TOKEN, amountIn });
    expect([body.quote.provider, body.quote.simulation]).toEqual(['wrap', { status: 'SUCCESS' }]);
    await sendBundle(bundler, [await signUserOperation(body.userOperation, owner)]);
    expect(await settled(body.id)).toMatchObject({
      status: 'SUCCESS',
      amounts: { assetIn: { amountRaw: amountIn }, assetOut: { amountRaw: amountIn } },
    });
  });

  it('is refused for the owner, with the address of its account', async () => {
    const { owner, account } = await newAccount(1n, 0n);
    const { status, body } = await quote(owner.address);
    expect([status, body.error.details.errors[0].path]).toEqual([422, 'originAddress']);
    expect(body.error.message).toContain(account);
  });
});
