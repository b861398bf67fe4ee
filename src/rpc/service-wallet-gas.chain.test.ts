import { randomUUID } from 'node:crypto';
import { concatHex, type Hex, numberToHex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { BARE_CHAIN_ID, fundedAccounts, type BareChain, openBareChain } from '../../test/actions/bare-chain';
import { someChain } from '../../test/actions/sample-transfer';
import { gasPricer, serviceTransactionStore } from '../../test/setup/gas';
import type { TestDatabase } from '../../test/setup/test-database';
import { createChainTable } from '../chains/chain-table';
import type { ServiceTransactionStore } from '../persistence/service-transaction-store';
import { createRpc, type Rpc } from './rpc';
import { maxCost } from './transaction-terms';
import { createServiceWallet, type SendRequest, type ServiceWallet, type ServiceWalletDeps } from './service-wallet';

const CHAIN_ID = BARE_CHAIN_ID;
const silent = { warn: () => undefined };

let anvil: BareChain;
let test: TestDatabase;
let close: () => Promise<void>;
let key: Hex;
let store: ServiceTransactionStore;
let rpc: Rpc;

beforeEach(async () => {
  ({ anvil, test, close } = await openBareChain());
  key = generatePrivateKey();
  store = serviceTransactionStore(test.database, { completionGasUsd: 1 });
  const table = createChainTable([someChain(CHAIN_ID)]);
  rpc = createRpc({ chains: { table, rpcUrls: new Map([[CHAIN_ID, anvil.rpcUrl]]) }, log: silent });
  await anvil.rpc.call('anvil_setBalance', [privateKeyToAddress(key), numberToHex(parseEther('1'))]);
});
afterEach(() => close());

const wallet = (changes: Partial<ServiceWalletDeps> = {}): ServiceWallet =>
  createServiceWallet({ key, rpc, store, priceGas: gasPricer(), log: silent, ...changes });
/** The wallet, while all gas has this cost in millionths of a US dollar. */
const walletAt = (microUsd: bigint | undefined, changes: Partial<ServiceWalletDeps> = {}): ServiceWallet =>
  wallet({ priceGas: () => Promise.resolve(microUsd), ...changes });

const order = (changes: Partial<SendRequest> = {}): SendRequest => ({
  customerId: randomUUID(),
  actionId: randomUUID(),
  purpose: 'completion',
  call: { chainId: CHAIN_ID, to: fundedAccounts().other.address, data: '0x', value: 0n },
  signal: new AbortController().signal,
  ...changes,
});
const rows = () => test.database.serviceTransaction.findMany({ orderBy: { nonce: 'asc' } });
const spendings = () => test.database.gasSpending.findMany({ orderBy: { id: 'asc' } });

describe('the gas of the wallet of the service', () => {
  it('is paid for a completion only when it has a price, costs at most its maximum, and fits into the budget', async () => {
    const completion = order({ maxGasMicroUsd: 10_000_000n });
    expect(await walletAt(undefined).send(completion)).toBe('unpriced');
    expect(await wallet().send({ ...completion, maxGasMicroUsd: 1n })).toBe('unaffordable');
    expect(await walletAt(1_000_001n).send(completion)).toBe('exhausted');
    expect([await rows(), await spendings()]).toEqual([[], []]);
    expect(await walletAt(1_000_000n).send(completion)).toHaveProperty('txHash');
    expect(await spendings()).toMatchObject([{ id: (await rows())[0]!.id, kind: 'completion' }]);
    // The call was sent already.
    expect(await walletAt(2_000_000n).send(completion)).toHaveProperty('txHash');
    expect(await rows()).toHaveLength(1);
  });

  it('exceeds no budget, however many completions several replicas send at a time', async () => {
    const customerId = randomUUID();
    const orders = Array.from({ length: 8 }, () => order({ customerId, maxGasMicroUsd: 1_000_000n }));
    const results = await Promise.all(orders.map((each) => walletAt(300_000n).send(each)));
    expect(results.filter((result) => result === 'exhausted')).toHaveLength(5);
    expect((await rows()).map(({ nonce }) => nonce)).toEqual([0n, 1n, 2n]);
  });

  it('is not spent on less urgent calls while many transactions are pending, and others are still sent', async () => {
    await anvil.rpc.call('evm_setAutomine', [false]);
    for (const each of [order(), order()]) await wallet().send(each);
    const first = order({ maxGasMicroUsd: 1_000_000n, maxPending: 3 });
    const second = order({ maxGasMicroUsd: 1_000_000n, maxPending: 3 });
    expect(await walletAt(1n).send(first)).toHaveProperty('txHash');
    expect(await walletAt(1n).send(second)).toBe('busy');
    expect(await walletAt(1n).send(first)).toHaveProperty('txHash');
    expect(await wallet().send(order())).toHaveProperty('txHash');
    expect(await rows()).toHaveLength(4);
    await anvil.rpc.call('evm_mine', []);
    expect(await walletAt(1n).send(second)).toHaveProperty('txHash');
  });

  it('is paid at any cost for money that the service holds, and recorded', async () => {
    await walletAt(undefined).send(order());
    await walletAt(10n ** 12n).send(order());
    expect(await rows()).toHaveLength(2);
    const costs = (await spendings()).map(({ kind, costUsd, wei }) => [kind, costUsd?.toString(), wei.gt(0)]);
    expect(costs).toEqual([
      ['ramp', undefined, true],
      ['ramp', '1000000', true],
    ]);
  });

  it('includes the L1 fee for its data on OP stack chains, with a margin', async () => {
    await wallet().send(order());
    // The predeployed oracle of the OP stack, returning 80 gwei for any data.
    const code = concatHex(['0x7f', numberToHex(80_000_000_000n, { size: 32 }), '0x5f5260205ff3']);
    await anvil.rpc.call('anvil_setCode', ['0x420000000000000000000000000000000000000F', code]);
    await wallet().send(order());
    const costs = await spendings();
    const gasCosts = (await rows()).map(({ raw }) => maxCost(raw as Hex));
    const fees = costs.map(({ wei }, index) => BigInt(wei.toFixed(0)) - gasCosts[index]!);
    expect(fees).toEqual([0n, 100_000_000_000n]);
  });

  it('is recorded at the higher cost of a replacement, also above the budget', async () => {
    await anvil.rpc.call('evm_setAutomine', [false]);
    const completion = order({ maxGasMicroUsd: 1_000_000n });
    await walletAt(900_000n).send(completion);
    expect(await walletAt(1_300_000n, { replaceAfterMs: -1 }).send(completion)).toHaveProperty('txHash');
    expect((await spendings()).map(({ costUsd }) => costUsd?.toString())).toEqual(['1.3']);
    const next = order({ customerId: completion.customerId, maxGasMicroUsd: 1_000_000n });
    expect(await walletAt(1n).send(next)).toBe('exhausted');
  });
});
