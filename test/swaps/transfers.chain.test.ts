import { type Hex, parseUnits } from 'viem';
import type { TrackerDeps } from '../../src/actions/tracker/tracker-deps';
import type { CallItem } from '../../src/transactions/execution/transaction-item';
import { catchUp, trackerOf, trackUntil } from '../actions/local-tracker';
import { asChain } from '../contract/local-swaps';
import { snapshotOf } from '../setup/universe-of-tests';
import { REFERENCE } from './fake-outputs';
import { SOLANA_USDC, SOLANA_WALLET } from './swap-world';
import { openTransferDesk, TRANSFER_RECIPIENT, type TransferDesk, transferProblem } from './transfer-desk';

/** Code of a contract that accepts native coin, but no calldata. */
const RECEIVES_ONLY: Hex = '0x36156008575f5ffd5b00';

let desk: TransferDesk;
let tracker: TrackerDeps;
let revert: () => Promise<void>;
beforeAll(async () => {
  desk = await openTransferDesk();
  const { world, devnet } = desk;
  tracker = trackerOf(world.database, asChain(devnet), devnet.rpcUrl);
  await catchUp(tracker, devnet.chainId);
});
afterAll(() => desk.world.drop());
beforeEach(async () => {
  revert = await snapshotOf(desk.devnet);
});
afterEach(() => revert());

describe('a transfer', () => {
  it.each([
    ['a token', 'USDC', parseUnits('12.5', 6)],
    ['a token without return values', 'USDT', parseUnits('3', 6)],
    ['the native coin', 'ETH', parseUnits('0.25', 18)],
  ])('of %s moves exactly the amount, and its action ends in SUCCESS', async (_, symbol, amount) => {
    const { id, transactionData, bytecode, transactions, simulation } = await desk.transferToken(symbol, amount);
    expect(simulation.status).toBe('SUCCESS');
    expect([bytecode, transactions]).toEqual([transactionData, transactionData]);
    expect(transactionData).toHaveLength(1);
    const before = await desk.readRecipientBalance(symbol);
    await desk.send(transactionData[0] as CallItem);
    expect((await desk.readRecipientBalance(symbol)) - before).toBe(amount);
    await trackUntil(tracker, { actionId: id, chainId: desk.devnet.chainId, status: 'SUCCESS' });
    const action = await desk.world.database.action.findUniqueOrThrow({ where: { id }, include: { steps: true } });
    expect(action).toMatchObject({
      type: 'TRANSFER_OUT',
      provider: 'transfer',
      quoteId: null,
      receiverAddress: TRANSFER_RECIPIENT,
      steps: [{ kind: 'TRANSFER', operator: 'USER', status: 'CONFIRMED' }],
    });
    expect([action.amountIn.toFixed(), action.amountOut.toFixed()]).toEqual([amount.toString(), amount.toString()]);
  });

  it('is expected by the trackers with its tag, and has the gas as its fee', async () => {
    const { id, transactionData } = await desk.transferToken('USDC', 5n, { webhookURL: 'https://hooks.example/t' });
    const [call] = transactionData as readonly CallItem[];
    expect(call?.data.endsWith(id.replaceAll('-', ''))).toBe(true);
    const action = await desk.world.database.action.findUniqueOrThrow({ where: { id }, include: { calls: true } });
    expect(action).toMatchObject({ status: 'INITIAL', webhookUrl: 'https://hooks.example/t' });
    expect(action.calls).toMatchObject([{ kind: 'TRANSFER', form: 'CALL', sender: desk.sender.toLowerCase() }]);
    expect(action.fees).toMatchObject({ currency: 'USD', breakdown: [{ type: 'gas', token: 'ETH' }] });
    const remainingMs = action.expiresAt.getTime() - Date.now();
    expect(remainingMs).toBeGreaterThan(86_400_000);
  });

  it('creates a new action at every call', async () => {
    const [one, other] = await Promise.all([desk.transferToken('USDC', 5n), desk.transferToken('USDC', 5n)]);
    expect(one.id).not.toBe(other.id);
    expect(one.transactionData).not.toEqual(other.transactionData);
  });

  it('of native coin has no tag for a contract that refuses calldata', async () => {
    await desk.setCode(TRANSFER_RECIPIENT, RECEIVES_ONLY);
    const nonce = await desk.rpc.client(desk.devnet.chainId).getTransactionCount({ address: desk.sender });
    const { id, transactionData } = await desk.transferToken('ETH', 7n);
    const [call] = transactionData as readonly CallItem[];
    expect(call).toMatchObject({ to: TRANSFER_RECIPIENT, data: '0x', value: '7' });
    const calls = await desk.world.database.actionCall.findMany({ where: { actionId: id } });
    expect(calls).toMatchObject([{ minNonce: BigInt(nonce), reportedNonce: null }]);
    await desk.send(call!);
    await desk.setCode(TRANSFER_RECIPIENT, '0x5f5ffd');
    expect(await transferProblem(desk.transferToken('ETH', 7n))).toMatchObject({ kind: 'REVERTED' });
  });

  it('may be a user operation or payloads of a custody vault', async () => {
    const operation = await desk.transferToken('USDC', 5n, { output: 'userOperation' });
    expect(operation.userOperation).toEqual({ sender: desk.sender, calls: 1, sponsored: false });
    const calls = await desk.world.database.actionCall.findMany({ where: { actionId: operation.id } });
    expect(calls).toMatchObject([{ form: 'USER_OPERATION', kind: 'TRANSFER' }]);
    const { id, custody } = await desk.transferToken('USDC', 5n, { output: 'custody', accountId: '7' });
    expect(custody).toMatchObject([{ accountId: '7', actionId: id }]);
  });
});

describe('a transfer on Solana', () => {
  const fields = { chainId: 'solana', token: SOLANA_USDC.address, amount: '5', originAddress: SOLANA_WALLET };

  it('is one transaction with its memo, and the trackers expect its reference', async () => {
    const memos: unknown[] = [];
    const { transferInstructions } = desk.deps;
    const { id, transactionData } = await desk.transfer(
      { ...fields, destinationAddress: REFERENCE, memo: 'invoice 7' },
      { transferInstructions: (request) => (memos.push(request.memo), transferInstructions(request)) },
    );
    expect(memos).toEqual(['invoice 7']);
    expect(transactionData).toEqual([{ chainId: '1151111081099710', rawTransaction: 'AQID' }]);
    const calls = await desk.world.database.actionCall.findMany({ where: { actionId: id } });
    expect(calls).toMatchObject([{ form: 'REFERENCE', target: REFERENCE, kind: 'TRANSFER' }]);
  });
});
