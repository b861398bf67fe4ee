import {
  type Address,
  createPublicClient,
  custom,
  type Hex,
  type Log,
  numberToHex,
  ResponseBodyTooLargeError,
} from 'viem';
import { logsOfTransaction, STRATEGY_EVENTS } from '../../../test/strategies/event-logs';
import {
  addressOf,
  OTHER,
  POOL,
  RECEIPT,
  sampleStrategy,
  UNDERLYING,
  WALLET,
  ZERO,
} from '../../../test/strategies/sample-strategy';
import { PROTOCOLS } from '../protocols/protocols';
import { findRange, readRange } from './read-range';

const RAY = 10n ** 27n;
const REWARDS = addressOf('d');
const sample = sampleStrategy('aave-v3');
const strategy = { ...sample, contracts: { ...sample.contracts, rewards: REWARDS } };
const tooLarge = () => Promise.reject(new ResponseBodyTooLargeError({ maxSize: 8, size: 9 }));

const event = (address: Address, name: string, args: Record<string, Address | bigint | number>) => ({
  address,
  abi: STRATEGY_EVENTS,
  name,
  args,
});
/** A deposit of 100, and an event of another contract. */
const deposit = logsOfTransaction([
  event(RECEIPT, 'Transfer', { from: ZERO, to: WALLET, value: 100n }),
  event(RECEIPT, 'Mint', { caller: POOL, onBehalfOf: WALLET, value: 100n, balanceIncrease: 0n, index: RAY }),
  event(POOL, 'Supply', { reserve: UNDERLYING, user: OTHER, onBehalfOf: WALLET, amount: 100n, referralCode: 0 }),
  event(OTHER, 'Transfer', { from: ZERO, to: WALLET, value: 7n }),
]);

const hashOf = (block: number): Hex => numberToHex(block, { size: 32 });
const rawLog = (log: Log, block: number) => ({
  ...log,
  blockNumber: numberToHex(block),
  blockHash: hashOf(block),
  transactionHash: hashOf(block),
  transactionIndex: '0x0',
  logIndex: numberToHex(log.logIndex ?? 0),
});
const logsOf = (block: number) => deposit.map((log) => rawLog(log, block));

interface Responses {
  /** Blocks with one deposit each. */
  readonly blocks: readonly number[];
  readonly receipt?: (block: number) => Promise<unknown>;
  readonly logsOfBlock?: (block: number, addresses: readonly string[]) => Promise<unknown>;
}

function nodeWith({ blocks, receipt = receiptOf, logsOfBlock = tooLarge }: Responses) {
  const request = ({ method, params }: { method: string; params: readonly [unknown] }) => {
    const [first] = params;
    if (method === 'eth_getBlockByHash') return Promise.resolve({ number: '0x1', timestamp: '0x10', transactions: [] });
    if (method === 'eth_getTransactionReceipt') return receipt(Number(first));
    const { blockHash, address, topics } = first as { blockHash?: Hex; address: string[]; topics: readonly unknown[] };
    if (blockHash !== undefined) return logsOfBlock(Number(blockHash), address);
    return Promise.resolve(topics.length === 3 ? blocks.flatMap((block) => logsOf(block).slice(0, 1)) : []);
  };
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
}

const receiptOf = (block: number) =>
  Promise.resolve({ transactionHash: hashOf(block), blockHash: hashOf(block), logs: logsOf(block) });

async function read(responses: Responses) {
  const client = nodeWith(responses);
  const followed = [{ strategy, protocol: PROTOCOLS['aave-v3'], shares: 0n }];
  const request = { chain: strategy.chain, wallet: WALLET, followed, fromBlock: 1n, toBlock: 99n };
  const context = { ...request, signal: AbortSignal.timeout(5000) };
  const { toBlock, entries } = await readRange(client, context, await findRange(client, context));
  return { toBlock, entries: (entries[0] ?? []).map(({ kind, shares, assets }) => [kind, shares, assets]) };
}

describe('the changes in a range', () => {
  it('are read from the logs of the contracts of their block when a receipt is too large', async () => {
    const requested: string[][] = [];
    const logsOfBlock = (block: number, addresses: readonly string[]) => {
      requested.push(addresses.map((address) => address.toLowerCase()));
      return Promise.resolve([
        ...logsOf(block),
        ...logsOf(block).map((log) => ({ ...log, transactionHash: hashOf(77) })),
      ]);
    };
    expect(await read({ blocks: [5], receipt: tooLarge, logsOfBlock })).toEqual({
      toBlock: 99n,
      entries: [['deposit', 100n, 100n]],
    });
    expect(requested).toEqual([expect.arrayContaining([RECEIPT.toLowerCase(), POOL.toLowerCase()])]);
    expect(requested[0]).not.toContain(OTHER.toLowerCase());
    expect(requested[0]).not.toContain(REWARDS.toLowerCase()); // with events of all markets
  });

  it('are of unknown worth, and stop nothing, when those logs are too large as well', async () => {
    const receipt = (block: number) => (block === 5 ? tooLarge() : receiptOf(block));
    expect(await read({ blocks: [5, 6], receipt })).toEqual({
      toBlock: 99n,
      entries: [
        ['transferIn', undefined, undefined],
        ['deposit', 100n, 100n],
      ],
    });
  });

  it('are kept up to the block before a failure', async () => {
    const blocks = Array.from({ length: 45 }, (_, index) => index + 1);
    const receipt = (block: number) => (block === 42 ? Promise.reject(new TypeError('no response')) : receiptOf(block));
    const { toBlock, entries } = await read({ blocks, receipt });
    expect([toBlock, entries.length]).toEqual([40n, 40]);
    const first = (block: number) => (block === 3 ? Promise.reject(new TypeError('no response')) : receiptOf(block));
    await expect(read({ blocks, receipt: first })).rejects.toThrow('no response');
  });

  it('end when the logs of their contracts are too many to keep', async () => {
    const many = (block: number) =>
      Promise.resolve({
        transactionHash: hashOf(block),
        blockHash: hashOf(block),
        logs: Array.from({ length: 300 }, () => logsOf(block).slice(2, 3)).flat(),
      });
    const blocks = Array.from({ length: 45 }, (_, index) => index + 1);
    expect((await read({ blocks, receipt: many })).toBlock).toBe(20n);
  });
});
