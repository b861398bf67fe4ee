import {
  encodeAbiParameters,
  type Hex,
  HttpRequestError,
  pad,
  type PublicClient,
  RpcRequestError,
  toEventSelector,
} from 'viem';
import { NATIVE_TOKEN } from '../../chains/addresses';
import { serviceError } from '../../errors/service-error';
import { ENTRY_POINT } from '../../smart-accounts/safe-contracts';
import { type MinedEffects, readMined } from './mined-effects';
import { readBought } from './read-received';
import { readSpent } from './read-spent';

const [WETH, ALICE, BOB, ROUTER, BUNDLER] = ['0x22', '0x33', '0x44', '0x55', '0x66'].map((each) =>
  pad(each as Hex, { size: 20 }),
) as [Hex, Hex, Hex, Hex, Hex];
const BLOCK = 100n;
const GAS = 21n;

const word = (value: bigint): Hex => encodeAbiParameters([{ type: 'uint256' }], [value]);
const wrapper = (event: 'Deposit' | 'Withdrawal', amount: bigint) => ({
  address: WETH,
  topics: [toEventSelector(`${event}(address,uint256)`), pad(ROUTER)] as [Hex, ...Hex[]],
  data: word(amount),
});
const mined = (changes: Partial<MinedEffects> = {}): MinedEffects => ({
  txHash: '0x01',
  to: ROUTER,
  value: 0n,
  logs: [],
  blockNumber: BLOCK,
  from: ALICE,
  sentBy: ALICE,
  gas: { payer: ALICE, cost: GAS },
  entryPoint: undefined,
  ...changes,
});

interface Changes {
  /** Change of the balance in the block. */
  readonly coin: bigint;
  /** Change of the deposit at the EntryPoint. */
  readonly deposit?: bigint;
  readonly nonce?: number;
  /** Other transactions of the block. */
  readonly payments?: readonly Payment[];
}

interface Payment {
  readonly hash: Hex;
  readonly to: Hex;
  readonly value: bigint;
  readonly status?: 'success' | 'reverted';
}

/** A node with the state of one account before and after the block. */
const nodeWith = ({ coin, deposit = 0n, nonce = 1, payments = [] }: Changes): PublicClient => {
  const isAfter = ({ blockNumber }: { readonly blockNumber: bigint }): boolean => {
    expect([BLOCK - 1n, BLOCK]).toContain(blockNumber);
    return blockNumber === BLOCK;
  };
  return {
    getBalance: (at: never) => Promise.resolve(10_000n + (isAfter(at) ? coin : 0n)),
    getTransactionCount: (at: never) => Promise.resolve(7 + (isAfter(at) ? nonce : 0)),
    call: (at: never) => Promise.resolve({ data: word(5000n + (isAfter(at) ? deposit : 0n)) }),
    getBlock: () => Promise.resolve({ transactions: [{ hash: '0x01', to: ALICE, value: 1n }, ...payments] }),
    getTransactionReceipt: ({ hash }: { readonly hash: Hex }) =>
      Promise.resolve({ status: payments.find((each) => each.hash === hash)?.status ?? 'success' }),
  } as unknown as PublicClient;
};
const failing = (error: Error): PublicClient => {
  const fail = () => Promise.reject(error);
  return { getBalance: fail, getTransactionCount: fail, call: fail } as unknown as PublicClient;
};
const pruned = failing(
  new RpcRequestError({ body: {}, url: 'http://localhost', error: { code: -32_000, message: 'missing trie node' } }),
);

const sold = { token: NATIVE_TOKEN, owner: ALICE, wrappedNative: WETH, quoted: 0n };
const bought = (owner: Hex) => ({ token: NATIVE_TOKEN, owner, wrappedNative: WETH });

/** Sells 400 of coin at a venue that wraps 399 and keeps 1. */
const sale = mined({ value: 400n, logs: [wrapper('Deposit', 399n)] });

describe('the spent amount of the native coin', () => {
  it('is what the balance lost, without gas', async () => {
    expect(await readSpent(nodeWith({ coin: -400n - GAS }), sale, sold)).toBe(400n);
    const partly = mined({ value: 900n, logs: [wrapper('Deposit', 399n)] });
    expect(await readSpent(nodeWith({ coin: -399n - GAS }), partly, sold)).toBe(399n);
    expect(await readSpent(nodeWith({ coin: -500n - GAS }), mined({ value: 900n }), sold)).toBe(500n);
  });

  it('is at most the value of the call, whatever else a chain charges', async () => {
    expect(await readSpent(nodeWith({ coin: -400n - GAS - 3n }), sale, sold)).toBe(400n);
  });

  it('does not lack what other transactions of the block paid to the wallet', async () => {
    const payment = { hash: '0x02', to: ALICE, value: 300n } as const;
    const spent = (...payments: readonly Payment[]) =>
      readSpent(nodeWith({ coin: -100n - GAS, payments }), mined({ value: 400n }), { ...sold, quoted: 1n });
    expect(await spent(payment)).toBe(400n);
    expect(await spent({ ...payment, value: 250n })).toBe(350n);
    expect(await spent({ ...payment, to: BOB })).toBe(100n);
    expect(await spent({ ...payment, status: 'reverted' })).toBe(100n);
  });

  it('is that of the events when very many transactions of the block paid to the wallet', async () => {
    const payments = Array.from({ length: 11 }, (_, index): Payment => ({ hash: `0x1${index}`, to: ALICE, value: 1n }));
    expect(await readSpent(nodeWith({ coin: -389n - GAS, payments }), sale, sold)).toBe(399n);
  });

  it('of a smart account contains neither its own gas nor that of a paymaster', async () => {
    const operation = { ...sale, sentBy: BUNDLER, entryPoint: ENTRY_POINT };
    const own = { ...operation, gas: { payer: ALICE, cost: GAS } };
    // The account pays more than the gas into its deposit, and the first operation creates the account.
    expect(await readSpent(nodeWith({ coin: -450n, deposit: 50n - GAS }), own, sold)).toBe(400n);
    const sponsored = { ...operation, gas: { payer: BOB, cost: GAS } };
    expect(await readSpent(nodeWith({ coin: -400n, nonce: 0 }), sponsored, sold)).toBe(400n);
  });

  it.each<[string, PublicClient, MinedEffects]>([
    ['the node has pruned the balances', pruned, sale],
    ['the account sent other transactions in the block', nodeWith({ coin: -900n, nonce: 2 }), sale],
    ['the account also received coin in the block', nodeWith({ coin: -100n - GAS }), sale],
    ['the gas was paid in another currency', nodeWith({ coin: -400n }), { ...sale, gas: undefined }],
  ])('is the quoted amount that was sent, or else that of the events, when %s', async (_, node, transaction) => {
    expect(await readSpent(node, transaction, { ...sold, quoted: 400n })).toBe(400n);
    expect(await readSpent(node, transaction, { ...sold, quoted: 398n })).toBe(399n);
  });

  it('ignores coin that the route wrapped beyond the value of the call', async () => {
    const route = mined({ value: 400n, logs: [wrapper('Deposit', 500n)] });
    expect(await readSpent(nodeWith({ coin: -400n - GAS }), route, sold)).toBe(400n);
    expect(await readSpent(pruned, route, sold)).toBe(400n);
  });

  it('is the quoted amount when the node refuses old state with an HTTP status, and responds otherwise', async () => {
    const refusal = new HttpRequestError({ url: 'http://localhost', status: 403 });
    const refuse = () => Promise.reject(refusal);
    const getBalance = ({ blockNumber }: { readonly blockNumber?: bigint }) =>
      blockNumber === undefined ? Promise.resolve(1n) : Promise.reject(refusal);
    const node = { getBalance, getTransactionCount: refuse, call: refuse } as unknown as PublicClient;
    expect(await readSpent(node, sale, { ...sold, quoted: 400n })).toBe(400n);
    await expect(readSpent(failing(refusal), sale, sold)).rejects.toBe(refusal);
  });

  it('is read again later when the chain does not respond', async () => {
    const outage = failing(serviceError('PROVIDER_UNAVAILABLE', { provider: 'devnet RPC', reason: 'it is down' }));
    await expect(readSpent(outage, sale, sold)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    await expect(readBought(outage, sale, bought(BOB))).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  });
});

describe('the bought amount of the native coin', () => {
  const purchase = mined({ logs: [wrapper('Withdrawal', 400n)] });

  it('is the growth of the balance, at most the unwrapped amount', async () => {
    const growths = [
      [398n, 398n],
      [400n, 400n],
      [450n, 400n],
    ] as const;
    for (const [growth, amount] of growths) {
      expect(await readBought(nodeWith({ coin: growth, nonce: 0 }), purchase, bought(BOB))).toBe(amount);
      expect(await readBought(nodeWith({ coin: growth - GAS }), purchase, bought(ALICE))).toBe(amount);
    }
    expect(await readBought(nodeWith({ coin: 398n, nonce: 0 }), mined(), bought(BOB))).toBe(398n);
  });

  it('does not lack the native fee that the buyer paid with the call', async () => {
    const withFee = { ...purchase, value: 7n };
    expect(await readBought(nodeWith({ coin: 391n - GAS }), withFee, bought(ALICE))).toBe(398n);
  });

  it('is that of the events when the balance does not show it', async () => {
    for (const node of [pruned, nodeWith({ coin: 398n, nonce: 1 }), nodeWith({ coin: -1n, nonce: 0 })])
      expect(await readBought(node, purchase, bought(BOB))).toBe(400n);
    expect(await readBought(nodeWith({ coin: 0n, nonce: 0 }), mined(), bought(BOB))).toBeUndefined();
  });
});

describe('a mined transaction', () => {
  const client = { getTransaction: () => Promise.resolve({ value: 5n }) } as unknown as PublicClient;
  const receipt = {
    transactionHash: '0x01',
    from: ALICE,
    to: ROUTER,
    logs: [],
    blockNumber: BLOCK,
    type: 'eip1559',
    gasUsed: 3n,
    effectiveGasPrice: 7n,
  };
  const gasOf = async (changes: object) => (await readMined(client, { ...receipt, ...changes } as never)).gas;

  it('has the value and the cost of its gas, with blobs and data on the L1', async () => {
    expect(await readMined(client, receipt as never)).toEqual(mined({ value: 5n }));
    expect(await gasOf({ l1Fee: '0x10' })).toEqual({ payer: ALICE, cost: 37n });
    expect(await gasOf({ type: 'eip4844', blobGasUsed: 2n, blobGasPrice: 5n })).toEqual({ payer: ALICE, cost: 31n });
  });

  it.each([{ type: '0x7b' }, { effectiveGasPrice: null }])('has no cost of gas with %p', async (changes) => {
    expect(await gasOf(changes)).toBeUndefined();
  });
});
