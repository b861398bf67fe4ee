import {
  CHAIN_ID,
  openScriptedLedger,
  type ScriptedLedger,
  transfers,
  wallet,
} from '../../test/ledger/scripted-ledger';
import { runAdmin } from './run-admin';
import { withDeployment } from './with-deployment';

let ledger: ScriptedLedger;
beforeAll(async () => {
  ledger = await openScriptedLedger();
  await ledger.watch(wallet(1));
  await ledger.pass();
  ledger.node.mine(transfers({ from: wallet(2), to: wallet(1), amount: 5n }));
  await ledger.catchUp();
});
afterAll(() => ledger.stop());

const admin = (...args: readonly string[]) =>
  runAdmin(args, (work) => withDeployment({ DATABASE_URL: ledger.test.url, API_KEY_PEPPER: 'ab'.repeat(32) }, work));

describe('the index of an operator', () => {
  it('shows how far each chain is', async () => {
    const { output, exitCode } = await admin('index', 'status', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(output)).toMatchObject([{ chainId: CHAIN_ID, status: 'ok', blockNumber: 1, quarantined: 0 }]);
  });

  it('is read again from a block on, but never from one that leaves a hole', async () => {
    expect(await admin('index', 'replay', String(CHAIN_ID), '9')).toMatchObject({ exitCode: 1 });
    expect(await admin('index', 'replay', String(CHAIN_ID), '0')).toMatchObject({ exitCode: 2 });
    expect(await admin('index', 'replay', String(CHAIN_ID), '1')).toMatchObject({ exitCode: 0 });
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(1);
  });

  it('covers no block that an operator discarded', async () => {
    const item = { chainId: CHAIN_ID, stage: 'ledger', item: '0xdead', blockNumber: 7n, blockHash: '0xdead' };
    await ledger.test.database.quarantine.create({ data: { ...item, error: 'no', nextAt: new Date() } });
    expect(await admin('quarantine', 'discard', '0xdead')).toMatchObject({ exitCode: 0 });
    expect(await ledger.test.database.walletCoverage.findMany()).toMatchObject([{ fromBlock: 8n }]);
  });

  it('starts again at the head on request, and covers no block before', async () => {
    await ledger.test.database.indexCursor.updateMany({ data: { state: 'stopped' } });
    expect(await admin('index', 'restart', String(CHAIN_ID))).toMatchObject({ exitCode: 1 });
    await ledger.test.database.indexCursor.updateMany({ data: { state: 'reading' } });
    expect(await admin('index', 'restart', String(CHAIN_ID))).toMatchObject({ exitCode: 0 });
    expect(await admin('index', 'restart', '5')).toMatchObject({ exitCode: 1 });
    ledger.node.mine();
    await ledger.pass();
    ledger.node.mine();
    await ledger.catchUp();
    expect(await ledger.test.database.walletCoverage.findMany()).toMatchObject([{ fromBlock: 3n }]);
  });
});
