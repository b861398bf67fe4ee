import { createWalletClient, http, keccak256, numberToHex, parseEther, parseTransaction, publicActions } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import {
  BARE_CHAIN_ID,
  type BareChainWorld,
  fundedAccounts,
  openBareChain,
  withoutReceipts,
} from '../../../../test/actions/bare-chain';
import { someChain } from '../../../../test/actions/sample-transfer';
import { minedReceipt } from '../../../../test/setup/mined-receipt';
import { gasPricer, serviceTransactionStore } from '../../../../test/setup/gas';
import { until } from '../../../../test/resilience/until';
import { createSampleOrder } from '../../../../test/strategies/sample-stock-order';
import { ScriptedExchange } from '../../../../test/strategies/scripted-exchange';
import { createChainTable } from '../../../chains/chain-table';
import { createRpc, type Rpc } from '../../../rpc/rpc';
import { createServiceWallet } from '../../../rpc/service-wallet';
import { maxCost } from '../../../rpc/transaction-terms';
import { claimOrders } from '../claim-orders';
import { orderWalletOf } from '../order-wallet';
import type { StockOrder } from '../stock-order';
import { createWalletCallStore } from '../wallet-call-store';
import { callFromWallet, type WalletCall, type WalletCallDeps } from './call-from-wallet';

const SECRET = 'ab'.repeat(32);
/** Reverts every call: PUSH0 PUSH0 REVERT. */
const REVERTS = '0x00000000000000000000000000000000000bad01';
const serviceKey = generatePrivateKey();
const log = { warn: () => undefined };
const { other } = fundedAccounts();
let world: BareChainWorld;
let rpc: Rpc;
let deps: WalletCallDeps;
let order: StockOrder;
beforeAll(async () => {
  world = await openBareChain();
  const table = createChainTable([someChain(BARE_CHAIN_ID)]);
  rpc = createRpc({ chains: { table, rpcUrls: new Map([[BARE_CHAIN_ID, world.anvil.rpcUrl]]) }, log });
  await world.anvil.rpc.call('anvil_setCode', [REVERTS, '0x5f5ffd']);
  await setBalance(privateKeyToAddress(serviceKey), parseEther('1'));
  const serviceWallet = serviceWalletOn(rpc);
  deps = { rpc, chains: table, serviceWallet, calls: createWalletCallStore(world.test.database), secret: SECRET, log };
});
afterAll(() => world.close());
beforeEach(async () => {
  const { database } = world.test;
  await database.stockOrder.deleteMany({});
  const { actionId } = await createSampleOrder(database, new ScriptedExchange());
  await database.stockOrder.updateMany({ data: { step: 'PREPARING', orderWallet: addressOf(actionId) } });
  const [claimed] = await claimOrders({ database }, 1);
  order = { ...claimed!, chainId: BARE_CHAIN_ID };
});

/** The wallet of the service, whose requests go to a node. */
function serviceWalletOn(node: Rpc) {
  const store = serviceTransactionStore(world.test.database);
  return createServiceWallet({ key: serviceKey, rpc: node, store, priceGas: gasPricer(), log });
}
const addressOf = (actionId: string) => orderWalletOf(SECRET, actionId).address;
const setBalance = (address: string, wei: bigint) =>
  world.anvil.rpc.call('anvil_setBalance', [address, numberToHex(wei)]);
const mine = () => world.anvil.rpc.call('anvil_mine', ['0x1']);
const nonce = (address = order.orderWallet) => rpc.client(BARE_CHAIN_ID).getTransactionCount({ address });
/** Waits until the chain has as many transactions of the wallet: it mines them after it has accepted them. */
const mined = (count: number) => until(`${count} transactions are mined`, async () => (await nonce()) === count);
/** Sends another transaction with the next nonce of an account, which is mined. */
async function useNonce(account: PrivateKeyAccount) {
  const wallet = createWalletClient({ account, transport: http(world.anvil.rpcUrl) }).extend(publicActions);
  const hash = await wallet.sendTransaction({ to: other.address, value: 1n, gas: 21_000n, chain: null });
  await minedReceipt(wallet, hash);
}
const send = (changes: Partial<WalletCall> = {}, own: Partial<WalletCallDeps> = {}) =>
  callFromWallet({ ...deps, ...own }, order, {
    kind: 'approve',
    to: other.address,
    data: '0x12',
    value: 0n,
    signal: AbortSignal.timeout(90_000),
    ...changes,
  });
/** The same of a call for which the service gives gas: its payment is mined. */
async function sendPaid(changes: Partial<WalletCall> = {}, own: Partial<WalletCallDeps> = {}) {
  const before = await nonce(deps.serviceWallet.address);
  const result = await send(changes, own);
  await until('the payment is mined', async () => (await nonce(deps.serviceWallet.address)) > before);
  return result;
}
const payments = async () =>
  (await world.test.database.serviceTransaction.findMany({ where: { actionId: order.actionId } })).map(
    ({ purpose }) => purpose,
  );
const lastCall = async () => (await deps.calls.all(order)).at(-1)!;

/** Repeats a call as a worker does, until its transaction is sent. */
async function sent(changes: Partial<WalletCall> = {}): Promise<string> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const result = await send(changes);
    if (typeof result === 'object' && 'txHash' in result) return result.txHash;
    await mine();
  }
  throw new Error('the call was not sent');
}

it('gives a wallet gas that has only coin of others, and gives it again when that is used up', async () => {
  await setBalance(order.orderWallet, 1000n);
  await sent();
  await mine();
  expect(await payments()).toEqual(['order-gas']);
  await setBalance(order.orderWallet, 1n);
  await sent({ kind: 'invalidate' });
  expect(await payments()).toEqual(['order-gas', 'order-gas-2']);
  await mine();
  await setBalance(order.orderWallet, 1n);
  await sent({ kind: 'refund' });
  await mine();
  await setBalance(order.orderWallet, 1n);
  expect(await send()).toEqual({ obstacle: expect.stringMatching(/has used all gas/) as string });
  expect(await payments()).toHaveLength(3);
});

it('gives gas for a new order within a maximum and the budget of the customer, and for a refund at any cost, which counts', async () => {
  const { database } = world.test;
  expect(await send({ maxGasMicroUsd: 1000n })).toEqual({ obstacle: 'The gas costs more than the service pays' });
  expect(await payments()).toEqual([]);
  expect(await sendPaid({ maxGasMicroUsd: 10n ** 12n })).toBe('waiting');
  const own = { where: { actionId: order.actionId } };
  const [spent] = await database.gasSpending.findMany(own);
  const given = await rpc.client(BARE_CHAIN_ID).getBalance({ address: order.orderWallet });
  expect(spent?.kind).toBe('completion');
  expect(given).toBeGreaterThan(0n);
  expect(BigInt(spent?.wei.toFixed() ?? 0)).toBeGreaterThan(given);
  await mine();
  await setBalance(order.orderWallet, 0n);
  expect(await send({ kind: 'refund' })).toBe('waiting');
  expect(await database.gasSpending.findMany(own)).toMatchObject([{ kind: 'completion' }, { kind: 'completion' }]);
});

it('gives gas once while a node shows the balance from before the payment', async () => {
  const stale: Rpc = {
    ...rpc,
    request: (chainId, run) =>
      rpc.request(chainId, (client) => {
        const getBalance: typeof client.getBalance = (query) =>
          query.address === order.orderWallet && query.blockNumber === undefined
            ? Promise.resolve(0n)
            : client.getBalance(query);
        return run({ ...client, getBalance });
      }),
  };
  for (let attempt = 0; attempt < 5; attempt += 1) {
    expect(await (attempt === 0 ? sendPaid : send)({}, { rpc: stale })).toBe('waiting');
    expect(await payments()).toEqual(['order-gas']);
    await mine();
  }
  expect(await send()).toHaveProperty('txHash');
});

it('gives gas once while a node has the nonce of the payment, and not its receipt', async () => {
  const lagging = withoutReceipts(rpc);
  const serviceWallet = serviceWalletOn(lagging);
  const before = await nonce(serviceWallet.address);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    expect(await send({}, { rpc: lagging, serviceWallet })).toBe('waiting');
    await until('the payment is mined', async () => (await nonce(serviceWallet.address)) === before + 1);
    await setBalance(order.orderWallet, 0n);
  }
  expect(await payments()).toEqual(['order-gas']);
});

it('gives gas again once when another transaction has used the nonce of the payment for good', async () => {
  expect(await send({}, { serviceWallet: serviceWalletOn(dying()) })).toBe('waiting');
  await useNonce(privateKeyToAccount(serviceKey));
  for (let attempt = 0; attempt < 3; attempt += 1) expect(await send()).toBe('waiting');
  await mine();
  expect(await payments()).toEqual(['order-gas']);
  expect(await send()).toBe('waiting');
  expect(await payments()).toEqual(['order-gas', 'order-gas']);
  await sent();
  expect(await payments()).toEqual(['order-gas', 'order-gas']);
});

it('gives no gas again before the last payment is final, and all payments together stay within the maximum', async () => {
  expect(await sendPaid({ maxGasMicroUsd: 10n ** 12n })).toBe('waiting');
  await setBalance(order.orderWallet, 1n);
  expect(await send({ maxGasMicroUsd: 10n ** 12n })).toBe('waiting');
  const given = await deps.calls.gasGiven(order);
  expect(given).toBeGreaterThan(0n);
  await mine();
  await mine();
  // The fees of the local chain fall from block to block: a larger rest might be enough.
  expect(await send({ maxGasMicroUsd: given + 1n })).toEqual({ obstacle: 'The gas costs more than the service pays' });
  expect(await payments()).toEqual(['order-gas']);
  expect(await send({ maxGasMicroUsd: given * 3n })).toBe('waiting');
  expect(await payments()).toEqual(['order-gas', 'order-gas-2']);
});

it('sends no call that would revert, and says which', async () => {
  await setBalance(order.orderWallet, parseEther('1'));
  const result = await send({ to: REVERTS });
  expect(result).toEqual({ obstacle: 'The transaction of the order wallet would revert: approve' });
  expect(await nonce()).toBe(0);
});

it('replaces a transaction that is pending for long by one with a higher fee, before another call', async () => {
  await setBalance(order.orderWallet, parseEther('1'));
  await world.anvil.rpc.call('evm_setAutomine', [false]);
  try {
    const first = await send();
    expect(await send()).toEqual(first);
    await setBalance(order.orderWallet, 1n);
    expect(await send({}, { replaceAfterMs: -1 })).toBe('waiting');
    expect(await payments()).toEqual(['order-gas']);
    await setBalance(order.orderWallet, parseEther('1'));
    const second = await send({ kind: 'invalidate' }, { replaceAfterMs: -1 });
    expect(second).toBe('waiting');
    const { kind, raws } = await lastCall();
    const [newer, older] = raws.map((raw) => parseTransaction(raw));
    expect([kind, raws.length, newer?.nonce, newer?.data]).toEqual(['approve', 2, older?.nonce, older?.data]);
    expect(newer?.maxFeePerGas).toBeGreaterThan(older?.maxFeePerGas ?? 0n);
    await mine();
    expect(await nonce()).toBe(1);
    expect(await send({ kind: 'invalidate' })).toHaveProperty('txHash');
    await mine();
    expect(await nonce()).toBe(2);
  } finally {
    await world.anvil.rpc.call('evm_setAutomine', [true]);
  }
});

it('signs no second refund while a node does not show that the first one was mined, nor once it has succeeded', async () => {
  await setBalance(order.orderWallet, parseEther('1'));
  const first = await send({ kind: 'refund' });
  await mined(1);
  expect(await send({ kind: 'refund' }, { rpc: withoutReceipts(rpc) })).toBe('waiting');
  expect(await send({ kind: 'leftover' }, { rpc: withoutReceipts(rpc) })).toBe('waiting');
  expect(await send({ kind: 'refund' })).toBe('waiting');
  expect((await deps.calls.all(order)).map(({ raws: [raw] }) => ({ txHash: keccak256(raw) }))).toEqual([first]);
  expect(await send({ kind: 'leftover' })).toHaveProperty('txHash');
});

it('goes on when another transaction has used the nonce of a stored one for good', async () => {
  await setBalance(order.orderWallet, parseEther('1'));
  await send({ kind: 'refund' }, { rpc: dying() });
  await useNonce(orderWalletOf(SECRET, order.actionId));
  expect(await send({ kind: 'refund' })).toBe('waiting');
  await mine();
  expect(await send({ kind: 'refund' })).toHaveProperty('txHash');
  await mined(2);
});

it('sends all transactions again that a reorganisation has removed, the earliest first', async () => {
  await setBalance(order.orderWallet, parseEther('1'));
  const before = await world.anvil.rpc.call('evm_snapshot', []);
  await send();
  await mine();
  await send({ kind: 'invalidate' });
  await mined(2);
  await world.anvil.rpc.call('evm_revert', [before]);
  expect(await nonce()).toBe(0);
  expect(await send({ kind: 'refund' })).toBe('waiting');
  await mine();
  await mined(2);
  expect(await send({ kind: 'refund' })).toHaveProperty('txHash');
});

it('sends a pending transaction again also when the wallet cannot pay for one with a higher fee', async () => {
  await setBalance(order.orderWallet, parseEther('1'));
  await world.anvil.rpc.call('evm_setAutomine', [false]);
  try {
    const first = await send();
    const [raw] = (await lastCall()).raws;
    await world.anvil.rpc.call('anvil_dropTransaction', [keccak256(raw)]);
    await setBalance(order.orderWallet, maxCost(raw));
    expect(await send({}, { replaceAfterMs: -1 })).toBe('waiting');
    expect((await lastCall()).raws).toEqual([raw]);
    await mine();
    expect(await nonce()).toBe(1);
    expect(first).toEqual({ txHash: keccak256(raw) });
  } finally {
    await world.anvil.rpc.call('evm_setAutomine', [true]);
  }
});

it('sends nothing after its lease has ended, and stores a transaction before it sends it', async () => {
  await setBalance(order.orderWallet, parseEther('1'));
  await send({ kind: 'refund' }, { rpc: dying() });
  expect(await lastCall()).toMatchObject({ kind: 'refund', nonce: 0, raws: [expect.any(String)] });
  expect(await nonce()).toBe(0);
  await send({ kind: 'refund' });
  await mined(1);
  await world.test.database.stockOrder.updateMany({ data: { leasedUntil: new Date(0) } });
  expect(await send()).toBe('waiting');
  await mine();
  expect(await nonce()).toBe(1);
});

/** A node that transactions do not reach. */
const dying = (): Rpc => ({ ...rpc, client: () => ({ ...rpc.client(BARE_CHAIN_ID), sendRawTransaction: fail }) });
const fail = (): Promise<never> => Promise.reject(new Error('the process died'));
