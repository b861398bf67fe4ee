import { setTimeout as wait } from 'node:timers/promises';
import { createPublicClient, createWalletClient, erc20Abi, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { rest, runningService } from '../setup/running-service';

const service = runningService();
const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
const account = privateKeyToAccount(service.accounts[6]!.privateKey);
const signer = createWalletClient({ account, transport: http(devnet.rpcUrl) });
const reader = createPublicClient({ transport: http(devnet.rpcUrl), pollingInterval: 100 });
const USDC = devnet.tokens['USDC']!;
const RECIPIENT: Hex = '0x00000000000000000000000000000000000A11cE';
const transfer = {
  chainId: devnet.chainId,
  token: USDC,
  amount: '1234567',
  originAddress: account.address,
  destinationAddress: RECIPIENT,
};
const balance = () =>
  reader.readContract({ address: USDC, abi: erc20Abi, functionName: 'balanceOf', args: [RECIPIENT] });

async function settled(id: string) {
  for (let tries = 0; tries < 300; tries++) {
    const { body } = await rest(`/actions/${id}`);
    if (body.status !== 'INITIAL' && body.status !== 'PENDING') return body;
    await wait(100);
  }
  throw new Error('the action did not settle');
}

describe('a transfer', () => {
  it('is signed unchanged, arrives, and is tracked to SUCCESS', async () => {
    const { status, body } = await rest('/transfer/bytecode', { body: transfer });
    expect(status).toBe(200);
    expect(body).toMatchObject({ chainId: devnet.chainId, bytecode: body.transactionData });
    const [call] = body.transactionData;
    expect(call).toEqual({
      chainId: String(devnet.chainId),
      from: account.address,
      to: USDC,
      value: '0',
      data: expect.stringMatching(/^0xa9059cbb/),
    });
    const before = await balance();
    const hash = await signer.sendTransaction({ to: call.to, data: call.data, value: 0n, gas: 200_000n, chain: null });
    await reader.waitForTransactionReceipt({ hash });
    expect((await balance()) - before).toBe(1_234_567n);
    expect(await settled(body.id)).toMatchObject({
      type: 'TRANSFER_OUT',
      status: 'SUCCESS',
      originAddress: account.address,
      receiverAddress: RECIPIENT,
      steps: [{ status: 'CONFIRMED', txHash: hash, legs: [{ kind: 'TRANSFER', operator: 'USER' }] }],
    });
  });

  it('is also available by GET with the old field names, marked as deprecated', async () => {
    const query = new URLSearchParams({
      chainId: String(devnet.chainId),
      token: USDC,
      amount: '5',
      walletOrigin: account.address,
      walletDestination: RECIPIENT,
    });
    const { status, body, headers } = await rest(`/transfer/bytecode?${query.toString()}`);
    expect(status).toBe(200);
    expect(body.bytecode).toHaveLength(1);
    expect(headers.get('deprecation')).toMatch(/^@\d+$/);
  });

  it('is refused with all problems at once, or with the reason why it would fail', async () => {
    const malformed = await rest('/transfer/bytecode', { body: { ...transfer, amount: '1e3', token: 'x', memo: 'y' } });
    expect(malformed.status).toBe(422);
    const paths = malformed.body.error.details.errors.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['amount']));
    const short = await rest('/transfer/bytecode', { body: { ...transfer, amount: (10n ** 30n).toString() } });
    expect(short.status).toBe(400);
    expect(short.body.error).toMatchObject({
      code: 'TRANSFER_VALIDATION_FAILED',
      details: { kind: 'INSUFFICIENT_BALANCE', reason: expect.any(String) },
    });
  });
});
