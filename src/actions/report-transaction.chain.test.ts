import { type Address, createTestClient, createWalletClient, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type Actor, listAuditEntries } from '../auth/audit-log';
import { trackerOf, trackUntil } from '../../test/actions/local-tracker';
import {
  createSampleAction,
  historyOf,
  newCustomer,
  sampleQuote,
  someCalldata,
} from '../../test/actions/sample-action';
import { asChain, localToken } from '../../test/contract/local-swaps';
import { minedReceipt } from '../../test/setup/mined-receipt';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { chainNamed, haltBlocks, type TestUniverse, universeOfTests } from '../../test/setup/universe-of-tests';
import { uuidV7 } from '../persistence/uuid-v7';
import { reportTransaction } from './report-transaction';
import { swapStatus } from './swap-status';
import type { TrackerDeps } from './tracker/tracker-deps';

const RECEIVER: Address = '0x00000000000000000000000000000000000A11cE';
const { signal } = new AbortController();
const UNKNOWN: Hex = `0x${'ab'.repeat(32)}`;

let test: TestDatabase;
let chain: TestUniverse['chains'][number];
let account: TestUniverse['accounts'][number];
let deps: TrackerDeps;
beforeAll(async () => {
  const universe = await universeOfTests();
  [chain, account, test] = [chainNamed(universe, 'devnet-l2'), universe.accounts[4]!, await createTestDatabase()];
  deps = trackerOf(test.database, asChain(chain), chain.rpcUrl);
});
afterAll(() => test.drop());

/** An action that this call executes. */
const actionOf = (data: Hex, target: Address = RECEIVER) =>
  createSampleAction(test.database, {
    chainIdIn: chain.chainId,
    chainIdOut: chain.chainId,
    originAddress: account.address,
    receiverAddress: RECEIVER,
    tokenIn: localToken(chain, 'ETH'),
    tokenOut: localToken(chain, 'ETH'),
    steps: [{ kind: 'TRANSFER', operator: 'USER', protocol: 'native', chainId: chain.chainId }],
    calls: [{ sender: account.address, target, data }],
  });

const client = () =>
  createWalletClient({ account: privateKeyToAccount(account.privateKey), transport: http(chain.rpcUrl) }).extend(
    publicActions,
  );
const submit = (data: Hex, to: Address = RECEIVER): Promise<Hex> =>
  client().sendTransaction({ chain: null, to, data, gas: 200_000n });
async function send(data: Hex, to: Address = RECEIVER): Promise<Hex> {
  const hash = await submit(data, to);
  await minedReceipt(client(), hash);
  return hash;
}

describe('a transaction that a caller reports', () => {
  it('moves its action to PENDING at once, and changes nothing the second time', async () => {
    const data = someCalldata();
    const { id, customerId } = await actionOf(data);
    const txHash = await send(data);
    const actor: Actor = { customerId, subject: 'ana', role: 'developer', requestId: 'request-1' };
    const report = { customerId, actionId: id, txHash: txHash.toUpperCase().replace('0X', '0x'), actor };
    const action = await reportTransaction(deps, report);
    expect(action).toMatchObject({ status: 'PENDING', substatus: 'WAITING_CONFIRMATIONS', steps: [{ txHash }] });
    expect(await reportTransaction(deps, report)).toEqual(action);
    await trackUntil(deps, { actionId: id, chainId: chain.chainId, status: 'SUCCESS' });
    expect(await reportTransaction(deps, report)).toMatchObject({ status: 'SUCCESS' });
    const { entries } = await listAuditEntries(test, { customerId });
    expect(entries).toMatchObject([{ operation: 'reportActionTransaction', subject: 'ana', targetId: id }]);
    await test.database.actionCall.deleteMany({ where: { actionId: id } }); // as after their retention
    expect(await reportTransaction(deps, report)).toMatchObject({ status: 'SUCCESS' });
    expect(await historyOf(test.database, id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
  });

  it('is recorded once when many callers and the tracker see it concurrently', async () => {
    const data = someCalldata();
    const { id, customerId } = await actionOf(data);
    const txHash = await send(data);
    const reports = Array.from({ length: 8 }, () => reportTransaction(deps, { customerId, actionId: id, txHash }));
    const tracked = trackUntil(deps, { actionId: id, chainId: chain.chainId, status: 'SUCCESS' });
    const settled = await Promise.all(reports);
    await tracked;
    expect(settled.every(({ status }) => status !== 'INITIAL')).toBe(true);
    expect((await historyOf(test.database, id)).filter((event) => event.startsWith('INITIAL>'))).toHaveLength(1);
  });

  it('must be a hash', async () => {
    const { id: actionId, customerId } = await actionOf(someCalldata());
    for (const txHash of ['', '0x', UNKNOWN.slice(2), `${UNKNOWN}0`, UNKNOWN.slice(0, -1), `0x${'g'.repeat(64)}`]) {
      await expect(reportTransaction(deps, { customerId, actionId, txHash })).rejects.toMatchObject({
        code: 'INVALID_TX_HASH',
        status: 400,
      });
    }
  });

  it('must be on the chain', async () => {
    const { id: actionId, customerId } = await actionOf(someCalldata());
    await expect(reportTransaction(deps, { customerId, actionId, txHash: UNKNOWN })).rejects.toMatchObject({
      code: 'TX_NOT_FOUND',
      status: 404,
    });
  });

  it('must be mined', async () => {
    const data = someCalldata();
    const { id: actionId, customerId } = await actionOf(data);
    const node = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) });
    const resume = await haltBlocks(chain);
    await node.setAutomine(false);
    try {
      const txHash = await submit(data);
      const report = reportTransaction(deps, { customerId, actionId, txHash });
      await expect(report).rejects.toMatchObject({ code: 'TX_NOT_MINED', status: 422 });
    } finally {
      await node.setAutomine(true);
      await node.mine({ blocks: 1 });
      await resume();
    }
  });

  it('must be the one that was issued', async () => {
    const { id: actionId, customerId } = await actionOf(someCalldata());
    const txHash = await send(someCalldata());
    await expect(reportTransaction(deps, { customerId, actionId, txHash })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ path: 'txHash', message: 'does not execute this action' }] },
    });
  });

  it('executes one action only, although two have the same call', async () => {
    const data = someCalldata();
    const [first, second] = [await actionOf(data), await actionOf(data)];
    const txHash = await send(data);
    await reportTransaction(deps, { ...first, actionId: first.id, txHash });
    await expect(reportTransaction(deps, { ...second, actionId: second.id, txHash })).rejects.toMatchObject({
      details: { errors: [{ message: 'already executes another action' }] },
    });
  });

  it('is recorded and reported as reverted when it reverted', async () => {
    const [data, weth] = [someCalldata(), localToken(chain, 'USDC').address as Address];
    const { id: actionId, customerId } = await actionOf(data, weth);
    const txHash = await send(data, weth);
    for (let time = 0; time < 2; time += 1) {
      const report = reportTransaction(deps, { customerId, actionId, txHash });
      await expect(report).rejects.toMatchObject({ code: 'TX_REVERTED', status: 422 });
    }
    await trackUntil(deps, { actionId, chainId: chain.chainId, status: 'FAILED' });
  });

  it('cannot be reported for the action of another customer', async () => {
    const data = someCalldata();
    const { id: actionId } = await actionOf(data);
    const txHash = await send(data);
    const report = reportTransaction(deps, { customerId: newCustomer(), actionId, txHash });
    await expect(report).rejects.toMatchObject({ code: 'ACTION_NOT_FOUND', status: 404 });
  });
});

describe('the status of a swap', () => {
  it('is found by the id of its quote or its action', async () => {
    const data = someCalldata();
    const { id, quoteId, customerId } = await actionOf(data);
    const waiting = await swapStatus(deps, { customerId, id: quoteId, signal });
    expect(waiting).toMatchObject({ id, quoteId, status: 'INITIAL', substatus: 'WAITING_ORIGIN', originTxHash: null });
    expect(await swapStatus(deps, { customerId, id, signal })).toEqual(waiting);
    const txHash = await send(data);
    const reported = await swapStatus(deps, { customerId, id: quoteId, txHash, signal });
    expect(reported).toMatchObject({ status: 'PENDING', originTxHash: txHash, destinationTxHash: txHash });
  });

  it('waits for its origin while the quote has no action', async () => {
    const customerId = newCustomer();
    const id = await sampleQuote(test.database, customerId);
    const status = await swapStatus(deps, { customerId, id, signal });
    expect(status).toMatchObject({ id, quoteId: id, status: 'INITIAL', substatus: 'WAITING_ORIGIN' });
    await expect(swapStatus(deps, { customerId, id, txHash: UNKNOWN, signal })).rejects.toMatchObject({ status: 422 });
    await expect(swapStatus(deps, { customerId, id, txHash: 'x', signal })).rejects.toMatchObject({
      code: 'INVALID_TX_HASH',
    });
    await expect(swapStatus(deps, { customerId, id, btcTxHash: 'x', signal })).rejects.toMatchObject({
      code: 'DEPOSIT_NOT_FOUND',
    });
  });

  it('is equally absent for another customer and for an unknown id', async () => {
    const { id, quoteId } = await actionOf(someCalldata());
    const customerId = newCustomer();
    for (const foreign of [id, quoteId, uuidV7()]) {
      await expect(swapStatus(deps, { customerId, id: foreign, signal })).rejects.toMatchObject({
        code: 'QUOTE_NOT_FOUND',
      });
    }
  });
});
