import { setTimeout as wait } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { createPublicClient, type Hex, http, numberToHex, parseEther, parseTransaction } from 'viem';
import { TransactionReceiptNotFoundError } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { BARE_CHAIN_ID, fundedAccounts, type BareChain, openBareChain } from '../../test/actions/bare-chain';
import { someChain } from '../../test/actions/sample-transfer';
import { gasPricer, serviceTransactionStore } from '../../test/setup/gas';
import type { TestDatabase } from '../../test/setup/test-database';
import { createChainTable } from '../chains/chain-table';
import type { ServiceTransactionStore } from '../persistence/service-transaction-store';
import { createRpc, type Rpc } from './rpc';
import { createServiceWallet, type SendRequest, type ServiceWallet, type ServiceWalletDeps } from './service-wallet';

const { other } = fundedAccounts();
const CHAIN_ID = BARE_CHAIN_ID;
/** Reverts every call: PUSH0 PUSH0 REVERT. */
const REVERTS = '0x00000000000000000000000000000000000bad01';
/** A contract whose code the test replaces, so that a call reverts after its simulation succeeded. */
const FICKLE = '0x00000000000000000000000000000000000bad02';

let anvil: BareChain;
let test: TestDatabase;
let close: () => Promise<void>;
let key: Hex;
let store: ServiceTransactionStore;
let rpc: Rpc;

beforeEach(async () => {
  ({ anvil, test, close } = await openBareChain());
  key = generatePrivateKey();
  store = serviceTransactionStore(test.database);
  rpc = rpcOfChain();
  await fund(parseEther('1'));
});
afterEach(() => close());

const silent = { warn: () => undefined };
const rpcOfChain = (): Rpc => {
  const table = createChainTable([someChain(CHAIN_ID)]);
  return createRpc({ chains: { table, rpcUrls: new Map([[CHAIN_ID, anvil.rpcUrl]]) }, log: silent });
};
const fund = (wei: bigint) => anvil.rpc.call('anvil_setBalance', [privateKeyToAddress(key), numberToHex(wei)]);
const automine = (on: boolean) => anvil.rpc.call('evm_setAutomine', [on]);
const mine = (blocks = 1) => anvil.rpc.call('anvil_mine', [numberToHex(blocks)]);
const forget = (hash: string) => anvil.rpc.call('anvil_dropTransaction', [hash]);
const reader = () => createPublicClient({ transport: http(anvil.rpcUrl) });
const transactionPool = () => anvil.rpc.call('txpool_status', []) as Promise<{ readonly pending: Hex }>;
/** Balance of the recipient after all accepted transactions: a node responds before it has mined them. */
async function balance(): Promise<bigint> {
  while (BigInt((await transactionPool()).pending) > 0n) await wait(20);
  return reader().getBalance({ address: other.address });
}
const rows = () => test.database.serviceTransaction.findMany({ orderBy: { nonce: 'asc' } });

const order = (changes: Partial<SendRequest> = {}): SendRequest => ({
  customerId: randomUUID(),
  actionId: randomUUID(),
  purpose: 'completion',
  call: { chainId: CHAIN_ID, to: other.address, data: '0x', value: 1000n },
  signal: new AbortController().signal,
  ...changes,
});

/** The wallet of another replica. */
const wallet = (changes: Partial<ServiceWalletDeps> = {}): ServiceWallet =>
  createServiceWallet({ key, rpc, store, priceGas: gasPricer(), log: silent, ...changes });

/** An RPC client that drops sent transactions, like a process that dies between storing and sending. */
const withoutSending = (): Rpc => ({
  ...rpc,
  client: (chainId) =>
    Object.assign(Object.create(rpc.client(chainId)) as ReturnType<Rpc['client']>, {
      sendRawTransaction: () => Promise.reject(new Error('the process died')),
    }),
});

/** An RPC client that records sent transactions. */
const counting = (sent: Hex[]): Rpc => ({
  ...rpc,
  client: (chainId) => {
    const client = rpc.client(chainId);
    return Object.assign(Object.create(client) as typeof client, {
      sendRawTransaction: (raw: { readonly serializedTransaction: Hex }) => {
        sent.push(raw.serializedTransaction);
        return client.sendRawTransaction(raw);
      },
    });
  },
});

describe('the wallet of the service', () => {
  it('sends a call once for any number of orders and replicas', async () => {
    const before = await balance();
    const wanted = order();
    const results = await Promise.all(Array.from({ length: 6 }, () => wallet().send(wanted)));
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(await wallet().send(wanted)).toEqual(results[0]);
    expect((await balance()) - before).toBe(1000n);
    expect(await rows()).toHaveLength(1);
  });

  it('uses a different nonce for every order, across replicas', async () => {
    const before = await balance();
    const orders = Array.from({ length: 12 }, () => order());
    await Promise.all(orders.map((each) => wallet().send(each)));
    expect((await rows()).map(({ nonce }) => nonce)).toEqual(orders.map((_, index) => BigInt(index)));
    await Promise.all(orders.map((each) => wallet().send(each)));
    expect((await balance()) - before).toBe(12_000n);
  });

  it('sends the same transaction after a crash between storing and sending', async () => {
    const wanted = order();
    const sent = await wallet({ rpc: withoutSending() }).send(wanted);
    const [written] = await rows();
    expect(sent).toEqual({ txHash: written!.txHash });
    const before = await balance();
    expect(await wallet().send(wanted)).toEqual(sent);
    expect((await balance()) - before).toBe(1000n);
    expect(await rows()).toMatchObject([{ raw: written!.raw }]);
  });

  it('leaves no nonce gap when the order of a crashed process is not repeated', async () => {
    await wallet({ rpc: withoutSending() }).send(order());
    const before = await balance();
    await wallet().send(order());
    expect((await balance()) - before).toBe(2000n);
  });

  it('sends many pending transactions again from the first, a few at a time, until all are sent', async () => {
    const orders = Array.from({ length: 25 }, () => order());
    for (const each of orders) await wallet({ rpc: withoutSending() }).send(each);
    const before = await balance();
    const sent: Hex[] = [];
    const last = orders.at(-1)!;
    await wallet({ rpc: counting(sent) }).send(last);
    expect(sent).toHaveLength(10);
    expect((await balance()) - before).toBe(10_000n);
    for (let round = 0; round < 2; round += 1) await wallet().send(last);
    expect((await balance()) - before).toBe(25_000n);
  });

  it('replaces a transaction that is pending too long by one with a higher fee and the same nonce, and counts it once', async () => {
    await automine(false);
    const had = await balance();
    const wanted = order();
    const first = await wallet().send(wanted);
    const [written] = await rows();
    const second = await wallet({ replaceAfterMs: -1 }).send(wanted);
    expect(second).not.toEqual(first);
    const [replaced] = await rows();
    const [newest, ...before] = replaced!.raw.split(' ');
    expect(before).toEqual([written!.raw]);
    const [cheap, dear] = [parseTransaction(written!.raw as Hex), parseTransaction(newest as Hex)];
    expect(dear).toMatchObject({ nonce: cheap.nonce, to: cheap.to, value: cheap.value });
    expect(dear.maxFeePerGas!).toBeGreaterThanOrEqual((cheap.maxFeePerGas! * 9n) / 8n);
    await mine();
    expect((await balance()) - had).toBe(1000n);
    expect(await wallet().send(wanted)).toEqual(second);
  });

  it('recognizes a replaced transaction that was mined after all, and repeats nothing', async () => {
    await automine(false);
    const [had, wanted] = [await balance(), order()];
    const first = await wallet().send(wanted);
    // The replacement is signed and stored, but never reaches a node.
    const second = await wallet({ replaceAfterMs: -1, rpc: withoutSending() }).send(wanted);
    expect(second).not.toEqual(first);
    await mine();
    for (let round = 0; round < 4; round += 1) {
      expect(await wallet().send(wanted)).toEqual(first);
      await mine();
    }
    expect((await balance()) - had).toBe(1000n);
    expect(await wallet().sentFor({ ...wanted, chainId: CHAIN_ID })).toMatchObject({ attempts: 1, call: first });
  });

  it('sends transactions again that the nodes have dropped', async () => {
    await automine(false);
    const wanted = order();
    const sent = await wallet().send(wanted);
    if (typeof sent === 'string') throw new Error(sent);
    await forget(sent.txHash);
    await mine();
    await wallet().send(wanted);
    await mine();
    expect((await reader().getTransactionReceipt({ hash: sent.txHash })).status).toBe('success');
  });

  it('reports that it is unfunded before it signs anything', async () => {
    await fund(0n);
    expect(await wallet().send(order())).toBe('unfunded');
    await fund(21_000n);
    expect(await wallet().send(order())).toBe('unfunded');
    expect(await rows()).toEqual([]);
    await fund(parseEther('1'));
    expect(await wallet().send(order())).toMatchObject({ txHash: expect.stringMatching(/^0x/) });
  });

  it('rejects a call that would revert', async () => {
    await anvil.rpc.call('anvil_setCode', [REVERTS, '0x5f5ffd']);
    const call = { chainId: CHAIN_ID, to: REVERTS, data: '0x', value: 0n } as const;
    expect(await wallet().send(order({ call }))).toBe('refused');
    expect(await rows()).toEqual([]);
  });

  it('repeats a reverted call only for a new order, and a limited number of times', async () => {
    const call = { chainId: CHAIN_ID, to: FICKLE, data: '0x', value: 0n } as const;
    const wanted = order({ call });
    await automine(false);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await anvil.rpc.call('anvil_setCode', [FICKLE, '0x00']);
      const sent = await wallet().send(wanted);
      await anvil.rpc.call('anvil_setCode', [FICKLE, '0x5f5ffd']);
      await mine();
      await anvil.rpc.call('anvil_setCode', [FICKLE, '0x00']);
      expect(await wallet().send(wanted)).toEqual(sent);
      expect(await rows()).toHaveLength(attempt);
    }
    expect(await wallet().send(wanted)).toBe('refused');
  });

  describe('for calls that move money held for others', () => {
    const FINAL = 2;
    const fickle = { chainId: CHAIN_ID, to: FICKLE, data: '0x', value: 0n } as const;
    const wanted = () => order({ call: fickle, confirmations: FINAL });
    const another = { ...fickle, to: other.address, value: 1000n };
    const reverted = async (sent: SendRequest) => {
      await automine(false);
      await anvil.rpc.call('anvil_setCode', [FICKLE, '0x00']);
      const result = await wallet().send(sent);
      await anvil.rpc.call('anvil_setCode', [FICKLE, '0x5f5ffd']);
      await mine();
      return result;
    };

    it('sends another transaction for a purpose only when the revert of the first is final', async () => {
      const first = wanted();
      const sent = await reverted(first);
      const instead = { ...first, call: another };
      for (let poll = 0; poll < 3; poll += 1) expect(await wallet().send(instead)).toEqual(sent);
      await mine();
      expect(await wallet().send(instead)).toEqual(sent);
      await mine();
      expect(await wallet().sentFor({ ...first, chainId: CHAIN_ID })).toEqual({ attempts: 1, call: undefined });
      const had = await balance();
      const replacing = await wallet().send(instead);
      expect(replacing).not.toEqual(sent);
      await mine(3);
      expect(await wallet().send(first)).toEqual(replacing);
      expect((await balance()) - had).toBe(1000n);
      const { call } = await wallet().sentFor({ ...first, chainId: CHAIN_ID });
      expect(call).toMatchObject({
        ...(replacing as object),
        to: expect.stringMatching(new RegExp(`^${other.address}$`, 'i')),
      });
    });

    it('sends no replacement for a transaction without a receipt, although its nonce is used', async () => {
      const blind: Rpc = {
        ...rpc,
        request: (chainId, query) =>
          rpc.request(chainId, (client) =>
            query(
              Object.assign(Object.create(client) as typeof client, {
                getTransactionReceipt: ({ hash }: { readonly hash: Hex }) =>
                  Promise.reject(new TransactionReceiptNotFoundError({ hash })),
              }),
            ),
          ),
      };
      const paying = order({ confirmations: FINAL });
      const sent = await wallet().send(paying);
      await mine();
      const had = await balance();
      for (let poll = 0; poll < 4; poll += 1) {
        expect(await wallet({ rpc: blind }).send(paying)).toEqual(sent);
        await mine();
      }
      expect((await balance()) - had).toBe(0n);
      expect(await rows()).toHaveLength(1);
    });

    it('sends one call for a purpose when two replicas compete', async () => {
      const first = order({ confirmations: FINAL });
      const [had, calls] = [await balance(), [first.call, { ...first.call, value: 7n }]];
      const results = await Promise.all(calls.map((call) => wallet().send({ ...first, call })));
      expect(results[0]).toEqual(results[1]);
      expect(await rows()).toHaveLength(1);
      expect([1000n, 7n]).toContain((await balance()) - had);
    });
  });

  it('throws when the chain is unavailable, and signs nothing', async () => {
    await anvil.stop();
    await expect(wallet().send(order())).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(await rows()).toEqual([]);
  });
});
