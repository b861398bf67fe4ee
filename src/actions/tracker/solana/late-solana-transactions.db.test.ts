import { Keypair } from '@solana/web3.js';
import { historyOf } from '../../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../../test/setup/test-database';
import { type LocalSolana, pay, SOL, startLocalSolana } from '../../../../test/solana/local-solana';
import { solanaTracker, transferAction, type TransferActionOptions } from '../../../../test/solana/solana-actions';
import { createSolanaRpc, type SolanaRpc } from '../../../rpc/solana/solana-rpc';
import { toWeb3Instruction } from '../../../transactions/execution/solana/instructions';
import { expireActions } from '../../state/expire-actions';

const FINAL = 5;
let local: LocalSolana;
let solana: SolanaRpc;
let test: TestDatabase;
let alice: Keypair;
let bob: Keypair;
let tracker: ReturnType<typeof solanaTracker>;

beforeAll(async () => {
  local = await startLocalSolana();
  ({ alice, bob } = local);
  solana = createSolanaRpc({ chains: local.chains(), log: { warn: () => undefined } });
});
afterAll(async () => {
  await solana.close();
  await local.stop();
});
beforeEach(async () => {
  test = await createTestDatabase();
  tracker = solanaTracker(world());
});
afterEach(() => test.drop());

const world = () => ({ local, solana, database: test.database });
const order = (given: Partial<TransferActionOptions> = {}) =>
  transferAction(world(), {
    symbol: 'USDC',
    amount: 2_500_000n,
    sender: alice.publicKey.toBase58(),
    recipient: Keypair.generate().publicKey.toBase58(),
    ...given,
  });
const actionOf = (id: string) => test.database.action.findUniqueOrThrow({ where: { id } });
const stepOf = (id: string) => test.database.actionStep.findFirstOrThrow({ where: { actionId: id, stepIndex: 0 } });
const statusOf = async (id: string) => {
  const { status, substatus } = await actionOf(id);
  return [status, substatus];
};

describe('a late transaction on Solana', () => {
  it('is found when its payout at a ramp has expired; the action stays FAILED until the tokens are returned', async () => {
    const { id, rawTransaction } = await order();
    const { customerId } = await actionOf(id);
    const past = new Date(Date.now() - 60_000);
    await test.database.action.update({ where: { id }, data: { chainIdOut: 0, expiresAt: past } });
    await test.database.actionStep.create({
      data: {
        actionId: id,
        customerId,
        stepIndex: 1,
        kind: 'FIAT_OUT',
        operator: 'PROVIDER',
        protocol: 'r',
        chainId: 0,
      },
    });
    await test.database.delivery.create({ data: { actionId: id, customerId, provider: 'ramp' } });
    await tracker.run();
    expect(await expireActions(test)).toBe(1);
    const signature = await local.sign(rawTransaction, alice);
    await tracker.run();
    expect(await stepOf(id)).toMatchObject({ status: 'SUBMITTED', txHash: signature });
    await local.advance(FINAL);
    await tracker.run();
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash: signature });
    expect(await statusOf(id)).toEqual(['FAILED', 'EXPIRED']);
  });

  it('is accepted when it is the second attempt of a wallet, after the first one has failed the action', async () => {
    const poor = Keypair.generate();
    await local.send([pay(alice, poor.publicKey, SOL)]);
    const { id, rawTransaction, instructions } = await order({
      symbol: 'SOL',
      amount: BigInt(SOL) / 2n,
      sender: poor.publicKey.toBase58(),
    });
    await local.send([pay(poor, bob.publicKey, SOL / 2 + 1_000_000)], { signers: [poor] });
    await local.sign(rawTransaction, poor, { skipPreflight: true });
    await local.advance(FINAL);
    await tracker.run();
    expect((await actionOf(id)).status).toBe('FAILED');
    await local.send([pay(alice, poor.publicKey, SOL)]);
    const signature = await local.send(instructions.map(toWeb3Instruction), { signers: [poor] });
    await local.advance(FINAL);
    await tracker.run();
    expect(await statusOf(id)).toEqual(['SUCCESS', null]);
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash: signature, failureReason: null });
  });

  it('moves an expired action to its final status', async () => {
    const { id, rawTransaction } = await order({ plan: { expiresAt: new Date(Date.now() - 60_000) } });
    await tracker.run();
    expect(await expireActions(test)).toBe(1);
    const signature = await local.sign(rawTransaction, alice);
    await local.advance(FINAL);
    await tracker.run();
    expect(await historyOf(test.database, id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>FAILED EXPIRED',
      'FAILED>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash: signature });
  });

  it('that a fork drops does not end its action before the reference was searched for again', async () => {
    const { id, rawTransaction } = await order({ plan: { expiresAt: new Date(Date.now() - 60_000) } });
    await tracker.run();
    expect(await expireActions(test)).toBe(1);
    await local.sign(rawTransaction, alice);
    await tracker.run();
    await local.control('validator_dropTransactions', 1);
    await local.advance(250);
    await tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_ORIGIN']);
    expect(await expireActions(test)).toBe(0);
    await tracker.run();
    expect(await expireActions(test)).toBe(1);
  });
});
