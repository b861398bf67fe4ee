import { Keypair } from '@solana/web3.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/setup/test-database';
import { type LocalSolana, startLocalSolana } from '../../../../test/solana/local-solana';
import { solanaTracker, transferAction } from '../../../../test/solana/solana-actions';
import { createSolanaRpc, type SolanaRpc } from '../../../rpc/solana/solana-rpc';
import { expireActions } from '../../state/expire-actions';

let local: LocalSolana;
let node: SolanaRpc;
/** Signatures and addresses whose reads fail. */
let poisoned: Set<string>;
let solana: SolanaRpc;
let test: TestDatabase;

const unreadable = { status: 'rejected', reason: new TypeError('unreadable') } as const;

beforeAll(async () => {
  local = await startLocalSolana();
  node = createSolanaRpc({ chains: local.chains(), log: { warn: () => undefined } });
  solana = Object.assign({}, node, {
    signaturesOfEach: async (...given: Parameters<SolanaRpc['signaturesOfEach']>) => {
      const results = await node.signaturesOfEach(...given);
      return results.map((result, index) => (poisoned.has(given[1][index]!) ? unreadable : result));
    },
    eachTransaction: async (...given: Parameters<SolanaRpc['eachTransaction']>) => {
      const results = await node.eachTransaction(...given);
      return results.map((result, index) => (poisoned.has(given[1].signatures[index]!) ? unreadable : result));
    },
  });
});
afterAll(async () => {
  await node.close();
  await local.stop();
});
beforeEach(async () => {
  poisoned = new Set();
  test = await createTestDatabase();
});
afterEach(() => test.drop());

const world = () => ({ local, solana, database: test.database });
const transfer = (expiresAt = new Date(Date.now() + 3_600_000)) =>
  transferAction(world(), {
    symbol: 'USDC',
    amount: 1_000_000n,
    sender: local.alice.publicKey.toBase58(),
    recipient: Keypair.generate().publicKey.toBase58(),
    plan: { expiresAt },
  });
const statusOf = async (id: string) => (await test.database.action.findUniqueOrThrow({ where: { id } })).status;
const makeDue = () => test.database.quarantine.updateMany({ data: { nextAt: new Date(0) } });
const stages = async () => (await test.database.quarantine.findMany()).map(({ stage }) => stage);

describe('one bad response of a Solana node', () => {
  it('about a reference delays only its action, which does not expire meanwhile', async () => {
    const tracker = solanaTracker(world());
    await tracker.run();
    const past = new Date(Date.now() - 1000);
    const [bad, sound, unpaid] = [await transfer(past), await transfer(), await transfer(past)];
    for (const { rawTransaction } of [bad, sound]) await local.sign(rawTransaction, local.alice);
    poisoned.add(bad.reference);
    await tracker.run();
    expect([await statusOf(bad.id), await statusOf(sound.id)]).toEqual(['INITIAL', 'PENDING']);
    expect(await stages()).toEqual(['search']);
    expect(await expireActions(test)).toBe(1);
    expect([await statusOf(bad.id), await statusOf(unpaid.id)]).toEqual(['INITIAL', 'FAILED']);
    poisoned.clear();
    await makeDue();
    await tracker.run();
    expect([await statusOf(bad.id), await stages()]).toEqual(['PENDING', []]);
  });

  it('about a final transaction delays only its action', async () => {
    const tracker = solanaTracker(world());
    const [bad, sound] = [await transfer(), await transfer()];
    const [signature] = [
      await local.sign(bad.rawTransaction, local.alice),
      await local.sign(sound.rawTransaction, local.alice),
    ];
    await tracker.run();
    await local.advance(5);
    poisoned.add(signature);
    await tracker.run();
    expect([await statusOf(bad.id), await statusOf(sound.id)]).toEqual(['PENDING', 'SUCCESS']);
    expect(await stages()).toEqual(['settlement']);
    poisoned.clear();
    await makeDue();
    await tracker.run();
    expect([await statusOf(bad.id), await stages()]).toEqual(['SUCCESS', []]);
  });
});
