import { Keypair } from '@solana/web3.js';
import { createSampleAction } from '../../test/actions/sample-action';
import { someChain } from '../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { type LocalSolana, pay, startLocalSolana } from '../../test/solana/local-solana';
import { solanaTracker, transferAction } from '../../test/solana/solana-actions';
import type { CustomerId } from '../auth/principal';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { createSolanaRpc, type SolanaRpc } from '../rpc/solana/solana-rpc';
import { type ReportDeps, reportTransaction } from './report-transaction';

let local: LocalSolana;
let solana: SolanaRpc;
let test: TestDatabase;
let deps: ReportDeps;
beforeAll(async () => {
  [local, test] = await Promise.all([startLocalSolana(), createTestDatabase()]);
  solana = createSolanaRpc({ chains: local.chains(), log: { warn: () => undefined } });
  const chains = createChainTable([
    ...KNOWN_CHAINS,
    local.chains().table.get(local.validator.chain.chainId),
    someChain(31337),
  ]);
  deps = { database: test.database, chains, solana, rpc: { serves: () => false } as never };
});
afterAll(async () => {
  await solana.close();
  await Promise.all([local.stop(), test.drop()]);
});

const ordered = async () => {
  const sender = local.alice.publicKey.toBase58();
  const recipient = Keypair.generate().publicKey.toBase58();
  const world = { local, solana, database: test.database };
  const { id, rawTransaction } = await transferAction(world, { symbol: 'USDC', amount: 1000n, sender, recipient });
  const { customerId } = await test.database.action.findUniqueOrThrow({ where: { id } });
  const report = (txHash: string) =>
    reportTransaction(deps, { customerId: customerId as CustomerId, actionId: id, txHash }).then(
      ({ status }) => status,
      (error: unknown) => (error as { code: string }).code,
    );
  return { id, report, execute: () => local.sign(rawTransaction, local.alice) };
};

describe('a transaction on Solana that a caller reports', () => {
  it('is accepted before and after the tracker has found it', async () => {
    const { report, execute } = await ordered();
    const signature = await execute();
    expect(await report(signature)).toBe('INITIAL');
    await solanaTracker({ local, solana, database: test.database }).run();
    expect(await report(signature)).toBe('PENDING');
  });

  it('is rejected when it executes something else, when it is not on the chain, and when it is not a signature', async () => {
    const { id, report } = await ordered();
    const other = await local.send([pay(local.alice, local.bob.publicKey, 5000n)]);
    expect(await report(other)).toBe('VALIDATION_ERROR');
    const another = await ordered();
    expect(await report(await another.execute())).toBe('VALIDATION_ERROR');
    expect(await report(`${other.slice(0, -2)}${other.endsWith('11') ? '22' : '11'}`)).toBe('TX_NOT_FOUND');
    expect(await report(`0x${'ab'.repeat(32)}`)).toBe('INVALID_TX_HASH');
    expect(await report('nonsense')).toBe('INVALID_TX_HASH');
    expect(await test.database.actionStep.findFirstOrThrow({ where: { actionId: id } })).toMatchObject({
      txHash: null,
    });
  });
});

it('a Solana signature is not accepted on another chain, and no transaction is accepted for a fiat payment', async () => {
  const onEvm = await createSampleAction(test.database, { chainIdIn: 31337, chainIdOut: 31337 });
  const fromFiat = await createSampleAction(test.database, { chainIdIn: 0, chainIdOut: 31337, type: 'ON_RAMP_FIAT' });
  const report = ({ id, customerId }: typeof onEvm, txHash: string) =>
    reportTransaction(deps, { customerId, actionId: id, txHash });
  await expect(report(onEvm, '5'.repeat(88))).rejects.toMatchObject({ code: 'INVALID_TX_HASH' });
  await expect(report(fromFiat, `0x${'ab'.repeat(32)}`)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining('executed by a payment in fiat'),
  });
});
