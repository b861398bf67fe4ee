import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  keccak256,
  type Log,
  zeroAddress,
} from 'viem';
import {
  COLLECTION_REGISTRY_ABI as abi,
  collectableRead,
  collectCall,
  collectedEvents,
  controllerRead,
  enrolCall,
  entryKey,
  entryRead,
  lastPeriodRead,
  leaveCall,
  markRead,
  recordCall,
  setEntryCall,
} from './registry-contract';

const REGISTRY = '0x00000000000000000000000000000000000C011e';
const WALLET = '0x00000000000000000000000000000000000A11cE';
const VAULT = '0x00000000000000000000000000000000000000A1';
const KEY: Hex = `0x${'ab'.repeat(32)}`;
const ENTRY = {
  vault: VAULT,
  performanceCollector: WALLET,
  markupRecipient: zeroAddress,
  performanceBps: 1000,
  markupBps: 0,
  live: true,
} as const;

describe('the key of an entry', () => {
  it('is the hash of the customer and of the strategy in lower case', () => {
    const encoded = encodeAbiParameters([{ type: 'string' }, { type: 'string' }], ['c-1', 'steady-usdc-devnet']);
    expect(entryKey('c-1', 'Steady-USDC-devnet')).toBe(keccak256(encoded));
  });

  it('differs between customers, also where customer and strategy join to the same text', () => {
    expect(new Set([entryKey('a', 'bc'), entryKey('ab', 'c'), entryKey('A', 'bc'), entryKey('abc', '')]).size).toBe(4);
  });
});

describe('calls of the registry', () => {
  it('set an entry at the expected version', () => {
    const { to, data } = setEntryCall(REGISTRY, { key: KEY, entry: ENTRY, expectedVersion: 7n });
    expect(to).toBe(REGISTRY);
    expect(decodeFunctionData({ abi, data })).toEqual({
      functionName: 'setEntry',
      args: [KEY, { ...ENTRY, version: 7n }, 7n],
    });
  });

  it('collect shares of a wallet for a period', () => {
    const { to, data } = collectCall(REGISTRY, { key: KEY, wallet: WALLET, periodId: 3n, shares: 12n });
    expect(to).toBe(REGISTRY);
    expect(decodeFunctionData({ abi, data })).toEqual({ functionName: 'collect', args: [KEY, WALLET, 3n, 12n] });
  });
});

describe('calls of a wallet', () => {
  it('consent to a maximum, record the balance, and end the consent', () => {
    const calls = [
      enrolCall(REGISTRY, { key: KEY, maxBps: 1500 }),
      recordCall(REGISTRY, KEY),
      leaveCall(REGISTRY, KEY),
    ];
    expect(calls.map(({ to }) => to)).toEqual([REGISTRY, REGISTRY, REGISTRY]);
    expect(calls.map(({ data }) => decodeFunctionData({ abi, data }))).toEqual([
      { functionName: 'enrol', args: [KEY, 1500] },
      { functionName: 'record', args: [KEY] },
      { functionName: 'leave', args: [KEY] },
    ]);
  });
});

describe('reads of the registry', () => {
  it('return the entry of a key', () => {
    const read = entryRead(REGISTRY, KEY);
    const entry = { ...ENTRY, version: 4n };
    expect(decodeFunctionData({ abi, data: read.data })).toEqual({ functionName: 'entryOf', args: [KEY] });
    expect(read.decode(encodeFunctionResult({ abi, functionName: 'entryOf', result: entry }))).toEqual(entry);
  });

  it('return the controller', () => {
    const read = controllerRead(REGISTRY);
    expect(read.decode(encodeFunctionResult({ abi, functionName: 'controller', result: WALLET }))).toBe(WALLET);
  });

  it('return the mark of a wallet', () => {
    const read = markRead(REGISTRY, KEY, WALLET);
    const result = encodeFunctionResult({ abi, functionName: 'markOf', result: [10n ** 27n, 5n, 1500] });
    expect(read).toMatchObject({ to: REGISTRY });
    expect(read.decode(result)).toEqual({ markRay: 10n ** 27n, shares: 5n, maxBps: 1500 });
  });

  it('return the last period that was collected', () => {
    const read = lastPeriodRead(REGISTRY, KEY, WALLET);
    expect(decodeFunctionData({ abi, data: read.data })).toMatchObject({ functionName: 'lastPeriodOf' });
    expect(read.decode(encodeFunctionResult({ abi, functionName: 'lastPeriodOf', result: 7n }))).toBe(7n);
  });

  it('return what is collectable', () => {
    const read = collectableRead(REGISTRY, KEY, WALLET);
    expect(read.decode(encodeFunctionResult({ abi, functionName: 'collectable', result: 9n }))).toBe(9n);
  });
});

describe('collections among logs', () => {
  const amounts = [2n, 1n, 10n ** 27n, 2n * 10n ** 27n] as const;
  const log = (address: string, data: Hex): Log => ({
    address: address as Hex,
    topics: encodeEventTopics({
      abi,
      eventName: 'Collected',
      args: { key: KEY, wallet: WALLET, periodId: 3n },
    }) as Log['topics'],
    data,
    blockHash: KEY,
    blockNumber: 1n,
    blockTimestamp: 1n,
    logIndex: 0,
    transactionHash: KEY,
    transactionIndex: 0,
    removed: false,
  });
  const uint256 = { type: 'uint256' } as const;
  const data = encodeAbiParameters([uint256, uint256, uint256, uint256], amounts);

  it('are decoded', () => {
    expect(collectedEvents(REGISTRY, [log(REGISTRY, data)])).toEqual([
      {
        key: KEY,
        wallet: WALLET,
        periodId: 3n,
        performanceShares: 2n,
        markupShares: 1n,
        markRay: 10n ** 27n,
        priceRay: 2n * 10n ** 27n,
      },
    ]);
  });

  it('are those of the registry alone, and whole', () => {
    expect(collectedEvents(REGISTRY, [log(WALLET, data), log(REGISTRY, '0x')])).toEqual([]);
  });
});
