import { Keypair } from '@solana/web3.js';
import { historyOf } from '../../../../test/actions/sample-action';
import { pay, SOL } from '../../../../test/solana/local-solana';
import { FINAL, trackedLocalSolana } from '../../../../test/solana/tracked-local-solana';
import { toWeb3Instruction } from '../../../transactions/execution/solana/instructions';
import { expireActions } from '../../state/expire-actions';

const chain = trackedLocalSolana();
const { order, actionOf, stepOf, statusOf } = chain;

describe('a late transaction on Solana', () => {
  it('is found when its payout at a ramp has expired; the action stays FAILED until the tokens are returned', async () => {
    const { id, rawTransaction } = await order();
    const { customerId } = await actionOf(id);
    const past = new Date(Date.now() - 60_000);
    await chain.test.database.action.update({ where: { id }, data: { chainIdOut: 0, expiresAt: past } });
    await chain.test.database.actionStep.create({
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
    await chain.test.database.delivery.create({ data: { actionId: id, customerId, provider: 'ramp' } });
    await chain.tracker.run();
    expect(await expireActions(chain.test)).toBe(1);
    const signature = await chain.local.sign(rawTransaction, chain.local.alice);
    await chain.tracker.run();
    expect(await stepOf(id)).toMatchObject({ status: 'SUBMITTED', txHash: signature });
    await chain.local.advance(FINAL);
    await chain.tracker.run();
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash: signature });
    expect(await statusOf(id)).toEqual(['FAILED', 'EXPIRED']);
  });

  it('is accepted when it is the second attempt of a wallet, after the first one has failed the action', async () => {
    const poor = Keypair.generate();
    await chain.local.send([pay(chain.local.alice, poor.publicKey, SOL)]);
    const { id, rawTransaction, instructions } = await order({
      symbol: 'SOL',
      amount: BigInt(SOL) / 2n,
      sender: poor.publicKey.toBase58(),
    });
    await chain.local.send([pay(poor, chain.local.bob.publicKey, SOL / 2 + 1_000_000)], { signers: [poor] });
    await chain.local.sign(rawTransaction, poor, { skipPreflight: true });
    await chain.local.advance(FINAL);
    await chain.tracker.run();
    expect((await actionOf(id)).status).toBe('FAILED');
    await chain.local.send([pay(chain.local.alice, poor.publicKey, SOL)]);
    const signature = await chain.local.send(instructions.map(toWeb3Instruction), { signers: [poor] });
    await chain.local.advance(FINAL);
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['SUCCESS', null]);
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash: signature, failureReason: null });
  });

  it('moves an expired action to its final status', async () => {
    const { id, rawTransaction } = await order({ plan: { expiresAt: new Date(Date.now() - 60_000) } });
    await chain.tracker.run();
    expect(await expireActions(chain.test)).toBe(1);
    const signature = await chain.local.sign(rawTransaction, chain.local.alice);
    await chain.local.advance(FINAL);
    await chain.tracker.run();
    expect(await historyOf(chain.test.database, id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>FAILED EXPIRED',
      'FAILED>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash: signature });
  });

  it('that a fork drops does not end its action before the reference was searched for again', async () => {
    const { id, rawTransaction } = await order({ plan: { expiresAt: new Date(Date.now() - 60_000) } });
    await chain.tracker.run();
    expect(await expireActions(chain.test)).toBe(1);
    await chain.local.sign(rawTransaction, chain.local.alice);
    await chain.tracker.run();
    await chain.local.control('validator_dropTransactions', 1);
    await chain.local.advance(250);
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_ORIGIN']);
    expect(await expireActions(chain.test)).toBe(0);
    await chain.tracker.run();
    expect(await expireActions(chain.test)).toBe(1);
  });
});
