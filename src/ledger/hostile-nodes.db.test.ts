import { rpcOf } from '../../test/actions/local-tracker';
import type { RpcCall, ScriptedChain } from '../../test/actions/scripted-chain';
import {
  CHAIN_ID,
  openScriptedLedger,
  scriptedChainOf,
  type ScriptedLedger,
  transfers,
  wallet,
} from '../../test/ledger/scripted-ledger';
import type { Rpc } from '../rpc/rpc';
import { ledgerStates } from './ledger-states';
import { createChainLedger } from './run-ledger-pass';

const [ALICE, EVE] = [wallet(1), wallet(3)];
const NO_LOGS = { error: { code: -32000, message: 'cannot serve this block' } };

let ledger: ScriptedLedger;
let node: ScriptedChain;
beforeEach(async () => {
  ledger = await openScriptedLedger();
  ({ node } = ledger);
});
afterEach(() => ledger.stop());

const pay = (amount: bigint) => transfers({ from: EVE, to: ALICE, amount });
const stateNow = async () => (await ledgerStates(ledger.test.pool))[0]!;

const { signal } = new AbortController();

/** A short timeout for these calls, none for all others. */
function withShortTimeout(isSlow: (call: RpcCall) => boolean): Rpc {
  const [chain, { rpc }] = [scriptedChainOf(50), ledger.deps];
  const clientWithShortTimeout = rpcOf(chain, node.rpcUrl, { timeoutMs: 100 }).client(CHAIN_ID);
  const client = rpcOf(chain, node.rpcUrl, { timeoutMs: 600_000 }).client(CHAIN_ID);
  const request = ((call: RpcCall, options?: object) =>
    (isSlow(call) ? clientWithShortTimeout : client).request(call as never, options)) as typeof client.request;
  return Object.assign(Object.create(rpc) as Rpc, { client: () => ({ ...client, request }) });
}

/** Watches ALICE and starts at the head. */
async function started(): Promise<void> {
  await ledger.watch(ALICE);
  await ledger.pass();
}

describe('a node', () => {
  it('that returns no logs of a block that has some is requested again, and never believed', async () => {
    await started();
    node.mine(pay(1n));
    node.intercept = ({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined);
    expect(await ledger.pass()).toBe('caughtUp');
    expect((await ledger.cursor()).number).toBe(0n);
    node.intercept = () => undefined;
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(1);
  });

  it('that keeps returning no logs is bypassed: the receipts have them', async () => {
    await started();
    node.mine(pay(1n), pay(2n));
    node.intercept = ({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined);
    for (let count = 0; count < 3; count += 1) await ledger.pass();
    expect(await ledger.entries()).toHaveLength(2);
    expect(await ledger.quarantined()).toBe(0);
  });

  it('without the next block makes the ledger wait', async () => {
    await started();
    node.mine(pay(1n));
    node.intercept = ({ method, params: [block] }) =>
      method === 'eth_getBlockByNumber' && block === '0x1' ? { result: null } : undefined;
    node.calls.length = 0;
    expect(await ledger.pass()).toBe('caughtUp');
    expect(node.calls.length).toBeLessThan(10);
    node.intercept = () => undefined;
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['logs of another block', { blockHash: `0x${'ab'.repeat(32)}` }],
    ['removed logs', { removed: true }],
    ['malformed logs', { logIndex: 'seven' }],
  ])('that returns %s is not believed', async (_, change) => {
    await started();
    node.mine(pay(1n));
    const { logs: [log] = [] } = pay(4n);
    const place = { blockHash: node.hashes().at(-1), transactionHash: `0x${'11'.repeat(32)}`, logIndex: '0x0' };
    node.intercept = ({ method }) =>
      method === 'eth_getLogs' ? { result: [Object.assign({}, log, place, change)] } : undefined;
    for (let count = 0; count < 3; count += 1) await ledger.pass().catch(() => undefined);
    expect(await ledger.entries()).toEqual([`1 transferIn ${EVE} 1`]);
  });

  it('that serves no logs at all is marked, and not read until it does', async () => {
    await started();
    node.mine(pay(1n));
    node.intercept = ({ method }) =>
      method === 'eth_getLogs' ? { error: { code: -32601, message: 'the method does not exist' } } : undefined;
    expect(await ledger.pass()).toBe('idle');
    expect((await stateNow()).status).toBe('unsupported');
    node.intercept = () => undefined;
    await ledger.catchUp();
    expect((await stateNow()).status).toBe('ok');
    expect(await ledger.entries()).toHaveLength(1);
  });

  it('that stands still is not reported as complete', async () => {
    await started();
    node.mine(pay(1n));
    await ledger.catchUp();
    expect((await stateNow()).status).toBe('ok');
    await ledger.test.database.indexCursor.updateMany({ data: { blockTime: new Date(Date.now() - 600_000) } });
    expect(await stateNow()).toMatchObject({ status: 'behind', lagBlocks: 0 });
    await ledger.test.database.indexCursor.updateMany({ data: { checkedAt: new Date(Date.now() - 600_000) } });
    expect((await stateNow()).status).toBe('stalled');
  });
});

describe('a block that cannot be read', () => {
  /** 400 transfers: their logs exceed the bound of a response, one receipt does not. */
  const large = () => Array.from({ length: 400 }, (_, index) => pay(BigInt(index + 1)));

  it('because its logs are too large is read from its receipts', async () => {
    await started();
    node.mine(...large());
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(400);
    expect(await ledger.quarantined()).toBe(0);
  });

  it('completely is set aside with the part that was read; later blocks are recorded, and it is completed', async () => {
    await started();
    const [first] = node.mine(...large());
    node.mine(pay(1000n));
    node.intercept = ({ method, params: [hash] }) =>
      method === 'eth_getTransactionReceipt' && hash === first ? NO_LOGS : undefined;
    await ledger.catchUp();
    expect(await ledger.entries()).toHaveLength(400);
    expect(await stateNow()).toMatchObject({ quarantined: 1, lagBlocks: 0 });
    node.intercept = () => undefined;
    await ledger.test.database.quarantine.updateMany({ data: { nextAt: new Date(0) } });
    await ledger.pass();
    expect(await ledger.entries()).toHaveLength(401);
    expect(await ledger.quarantined()).toBe(0);
  });

  it('again is postponed, and the chain goes on', async () => {
    await started();
    node.mine(pay(1n));
    const isPoisoned = (method: string, params: readonly unknown[]) =>
      method === 'eth_getTransactionReceipt' ||
      (method === 'eth_getLogs' && (params[0] as { blockHash?: string }).blockHash === node.hashes()[1]);
    node.intercept = ({ method, params }) => (isPoisoned(method, params) ? NO_LOGS : undefined);
    for (let count = 0; count < 4; count += 1) await ledger.pass().catch(() => undefined);
    expect(await ledger.quarantined()).toBe(1);
    await ledger.test.database.quarantine.updateMany({ data: { nextAt: new Date(0) } });
    node.mine(pay(2n));
    await ledger.pass();
    const [item] = await ledger.test.database.quarantine.findMany();
    expect(item?.attempts).toBe(2);
    expect(item!.nextAt.getTime()).toBeGreaterThan(Date.now());
    expect(await ledger.entries()).toEqual([`2 transferIn ${EVE} 2`]);
  });

  it('because its logs never come is read from its receipts, and the chain goes on', async () => {
    const isSlow = ({ method, params: [filter] }: RpcCall): boolean => {
      const [, first] = node.hashes();
      return method === 'eth_getLogs' && first !== undefined && (filter as { blockHash?: string }).blockHash === first;
    };
    const slow = createChainLedger({ ...ledger.deps, rpc: withShortTimeout(isSlow) }, CHAIN_ID);
    await ledger.watch(ALICE);
    await slow.pass(signal);
    node.mine(pay(1n));
    node.mine(pay(2n));
    node.intercept = (call) => (isSlow(call) ? new Promise(() => undefined) : undefined);
    for (let count = 0; count < 6; count += 1) await slow.pass(signal).catch(() => undefined);
    expect(await ledger.entries()).toEqual([`1 transferIn ${EVE} 1`, `2 transferIn ${EVE} 2`]);
    expect(await ledger.quarantined()).toBe(0);
  });

  it('is forgotten when a reorganisation replaces it', async () => {
    await started();
    const [first] = node.mine(...large());
    node.intercept = ({ method, params: [hash] }) =>
      method === 'eth_getTransactionReceipt' && hash === first ? NO_LOGS : undefined;
    await ledger.catchUp();
    expect(await ledger.quarantined()).toBe(1);
    node.removeBlocks(1);
    node.mine(pay(7n));
    await ledger.catchUp();
    expect(await ledger.quarantined()).toBe(0);
    expect(await ledger.entries()).toEqual([`1 transferIn ${EVE} 7`]);
  });
});
