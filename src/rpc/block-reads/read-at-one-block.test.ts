import fc from 'fast-check';
import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  getAddress,
  type Hex,
  hexToBigInt,
  multicall3Abi,
  numberToHex,
  pad,
  type PublicClient,
  RpcRequestError,
  size,
} from 'viem';
import { InvariantError } from '../../errors/invariant-error';
import type { ContractRead } from '../contract-read';
import { MULTICALL3 } from '../multicall';
import { readAtBlock, readLatest } from './read-at-one-block';

const CHAIN = { chainId: 31337 };
const BLOCK = { number: 100n, timestamp: 1_700_000_000n };
const { signal } = new AbortController();

/** What a contract does when it is read. `burns` makes the whole call fail; `starves` leaves no gas for the reads behind it. */
type Behaviour = 'returns' | 'burns' | 'reverts' | 'reverts without data' | 'starves' | 'returns a byte';

interface ScriptedNode {
  readonly client: PublicClient;
  /** Contracts of each call, without the reads of the block and the witnesses. */
  readonly calls: { readonly block: string; readonly targets: readonly Address[] }[];
  /** Calls that begin at once are one round. */
  readonly rounds: () => number;
}

interface NodeOptions {
  /** Number of the block that contracts see. */
  readonly head?: (block: string) => bigint;
  /** An error of the node in place of executing its call number `call`, from 1. */
  readonly failure?: (call: number) => Error | undefined;
}

const word = (value: bigint | number): Hex => pad(numberToHex(value), { size: 32 });
const addressOf = (index: number): Address => getAddress(pad(numberToHex(index + 1), { size: 20 }));
const indexOf = (address: Address): number => Number.parseInt(address, 16) - 1;
const executionFailure = () =>
  new RpcRequestError({ body: {}, url: 'http://node', error: { code: -32000, message: 'out of gas' } });

type CallRequest = { params: [{ data: Hex }, string] };

/** A node that executes `aggregate3`. */
function scriptedNode(behaviours: readonly Behaviour[], { head, failure }: NodeOptions = {}): ScriptedNode {
  const calls: { block: string; targets: readonly Address[] }[] = [];
  const gate = { rounds: 0, next: undefined as Promise<void> | undefined };
  const round = () =>
    (gate.next ??= new Promise((resolve) =>
      setImmediate(() => {
        gate.rounds += 1;
        gate.next = undefined;
        resolve();
      }),
    ));
  const request = async ({ params: [{ data }, block] }: CallRequest): Promise<Hex> => {
    const { args } = decodeFunctionData({ abi: multicall3Abi, data });
    const all = (args as unknown as readonly (readonly { target: Address }[])[])[0]!.slice(2);
    const own = all.map(({ target }) => target).filter((target) => target !== MULTICALL3);
    calls.push({ block, targets: own });
    const error = failure?.(calls.length);
    await round();
    if (error !== undefined) throw error;
    const number = head?.(block) ?? 100n;
    const does = own.map((target) => behaviours[indexOf(target)]!);
    if (does.includes('burns')) throw executionFailure();
    const results = all.map(({ target }, position): { success: boolean; returnData: Hex } => {
      if (does.slice(0, position).includes('starves')) return { success: false, returnData: '0x' };
      return target === MULTICALL3
        ? { success: true, returnData: word(0) }
        : resultOf(does[position]!, word(number * 1000n + BigInt(indexOf(target))));
    });
    const ofBlock = [word(number), word(BLOCK.timestamp)].map((returnData) => ({ success: true, returnData }));
    return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: [...ofBlock, ...results] });
  };
  return { client: { request } as unknown as PublicClient, calls, rounds: () => gate.rounds };
}

function resultOf(behaviour: Behaviour, value: Hex): { success: boolean; returnData: Hex } {
  if (behaviour === 'reverts') return { success: false, returnData: '0x08c379a0' };
  if (behaviour === 'reverts without data' || behaviour === 'starves') return { success: false, returnData: '0x' };
  return { success: true, returnData: behaviour === 'returns a byte' ? '0x01' : value };
}

const readOf = (index: number): ContractRead<bigint> => ({
  to: addressOf(index),
  data: '0x70a08231',
  decode(data) {
    if (size(data) !== 32) throw new InvariantError('not one word');
    return hexToBigInt(data);
  },
});
const readsOf = (count: number) => Array.from({ length: count }, (_, index) => readOf(index));
const latest = ({ client }: ScriptedNode, count: number, certain = count) =>
  readLatest(client, { chain: CHAIN, reads: readsOf(count), signal }, certain);
const atBlock = ({ client }: ScriptedNode, count: number, change: { signal?: AbortSignal } = {}) =>
  readAtBlock(client, { chain: CHAIN, reads: readsOf(count), block: BLOCK, signal, ...change });
const valueOf = (index: number) => ({ status: 'read', value: 100_000n + BigInt(index) });
const REVERTED = { status: 'reverted', brokeMulticall: false };
const BROKEN = { status: 'reverted', brokeMulticall: true };
const repeat = (behaviour: Behaviour, count: number) => Array<Behaviour>(count).fill(behaviour);

describe('the latest block', () => {
  it('is read together with contracts in one call', async () => {
    const node = scriptedNode(['returns', 'reverts', 'returns a byte']);
    expect(await latest(node, 3)).toEqual({
      block: BLOCK,
      outcomes: [valueOf(0), REVERTED, { status: 'invalid', bytes: 1 }],
    });
    expect(node.calls).toEqual([{ block: 'latest', targets: [0, 1, 2].map(addressOf) }]);
  });

  it('is read with what cannot fail when a contract makes the call fail', async () => {
    const node = scriptedNode(['returns', 'returns', 'burns', 'returns']);
    const { block, outcomes } = await latest(node, 4, 2);
    expect([block, outcomes]).toEqual([BLOCK, [valueOf(0), valueOf(1), undefined, undefined]]);
    expect(node.calls).toHaveLength(2);
  });

  it('has no reverts that may be due to another contract', async () => {
    const { outcomes } = await latest(scriptedNode(['returns', 'reverts', 'starves', 'returns']), 4, 1);
    expect(outcomes).toEqual([valueOf(0), undefined, undefined, undefined]);
  });

  it('is not read from a node that cannot execute a call', async () => {
    await expect(latest(scriptedNode(['burns']), 1)).rejects.toThrow('out of gas');
    const node = scriptedNode(['returns', 'returns'], { failure: () => new Error('connection refused') });
    await expect(latest(node, 2, 1)).rejects.toThrow('connection refused');
    expect(node.calls).toHaveLength(1);
  });

  it.each([
    [{ chainId: 42161 }, '0x0000000000000000000000000000000000000064'],
    [{ chainId: 31337, isNitro: true }, '0x0000000000000000000000000000000000000064'],
    [{ chainId: 31337 }, MULTICALL3],
  ])('has the number of the chain itself: on %j from %s', async (chain, expected) => {
    const targets: Address[] = [];
    const { client } = scriptedNode(['returns']);
    const request = (given: CallRequest) => {
      const { args } = decodeFunctionData({ abi: multicall3Abi, data: given.params[0].data });
      targets.push((args as unknown as readonly (readonly { target: Address }[])[])[0]![0]!.target);
      return (client.request as unknown as (all: unknown) => Promise<Hex>)(given);
    };
    await readLatest({ request } as unknown as PublicClient, { chain, reads: readsOf(1), signal }, 1);
    expect(targets).toEqual([expected]);
  });
});

describe('reads at a block', () => {
  it('find every contract that makes calls fail, and read all others', async () => {
    const contracts = fc
      .array(fc.constant<Behaviour>('returns'), { minLength: 2, maxLength: 600 })
      .chain((all) => fc.tuple(fc.constant(all), fc.uniqueArray(fc.nat(all.length - 1), { maxLength: 3 })));
    await fc.assert(
      fc.asyncProperty(contracts, fc.constantFrom<Behaviour>('burns', 'starves'), async ([all, broken], how) => {
        const behaviours = all.map((behaviour, index): Behaviour => (broken.includes(index) ? how : behaviour));
        const outcomes = await atBlock(scriptedNode(behaviours), all.length);
        expect(outcomes).toEqual(all.map((_, index) => (broken.includes(index) ? BROKEN : valueOf(index))));
      }),
      { numRuns: 60 },
    );
  });

  it('find one that uses up the gas of 398 reads in four rounds of calls', async () => {
    const node = scriptedNode([...repeat('returns', 397), 'burns']);
    expect((await atBlock(node, 398))[397]).toEqual(BROKEN);
    expect(node.rounds()).toBeLessThanOrEqual(4);
  });

  it('find some of a hundred that use up the gas, so that these are in quarantine the next time', async () => {
    const outcomes = await atBlock(scriptedNode(repeat('burns', 100)), 100);
    expect(outcomes.filter((outcome) => outcome !== undefined).length).toBeGreaterThanOrEqual(30);
    expect(outcomes.slice(0, 30)).toEqual(Array(30).fill(BROKEN));
  });

  it('never blame or misread a contract, and make a bounded number of calls, however many contracts are broken', async () => {
    const behaviour = fc.constantFrom<Behaviour>(
      ...(['returns', 'burns', 'reverts', 'reverts without data', 'starves', 'returns a byte'] as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(behaviour, { minLength: 1, maxLength: 300 }), async (behaviours) => {
        const node = scriptedNode(behaviours);
        const outcomes = await atBlock(node, behaviours.length);
        expect(node.calls.length).toBeLessThanOrEqual(1 + 64 + 1);
        for (const [index, outcome] of outcomes.entries()) {
          if (outcome === undefined) continue;
          const does = behaviours[index]!;
          if (outcome.status === 'read') expect([does, outcome]).toEqual(['returns', valueOf(index)]);
          if (outcome.status === 'invalid') expect(does).toBe('returns a byte');
          if (outcome.status === 'reverted') {
            const causes = outcome.brokeMulticall ? ['burns', 'starves'] : ['reverts', 'reverts without data'];
            expect(causes).toContain(does);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('that the calls do not suffice for have no result, rather than a wrong one', async () => {
    const behaviours = [...repeat('reverts without data', 200), ...repeat('reverts', 50)];
    const outcomes = await atBlock(scriptedNode(behaviours), 250);
    const found = outcomes.filter((outcome) => outcome !== undefined);
    expect(found.length).toBeGreaterThan(20);
    expect(found.length).toBeLessThan(250);
    for (const outcome of found) expect(outcome).toEqual(REVERTED);
  });

  it('of another block than the requested one are dropped', async () => {
    // An Orbit chain that the deployment does not mark: contracts see the parent chain's number.
    const node = scriptedNode(repeat('returns', 3), { head: () => 99n });
    expect(await atBlock(node, 3)).toEqual([undefined, undefined, undefined]);
  });

  it('of another block are read again once: the next block may have arrived in the meantime', async () => {
    let calls = 0;
    const node = scriptedNode(repeat('returns', 3), { head: () => (calls++ === 0 ? 101n : 100n) });
    expect(await atBlock(node, 3)).toEqual([0, 1, 2].map(valueOf));
    expect(node.calls).toHaveLength(2);
  });

  it('of listed contracts have certain reverts without data, as long as the call has gas left', async () => {
    const behaviours = Array.from({ length: 900 }, (_, index): Behaviour =>
      index % 3 === 0 ? 'reverts without data' : 'returns',
    );
    const expected = behaviours.map((behaviour, index) => (behaviour === 'returns' ? valueOf(index) : REVERTED));
    const node = scriptedNode(behaviours);
    const request = { chain: CHAIN, reads: readsOf(900), signal, areListed: true };
    expect(await readAtBlock(node.client, { ...request, block: BLOCK })).toEqual(expected);
    expect(node.calls).toHaveLength(2);
    const { outcomes } = await readLatest(node.client, request, 0);
    expect(outcomes).toEqual(expected.map((outcome, index) => (index < 450 ? outcome : undefined)));
    const starved = scriptedNode(['reverts without data', 'starves', 'returns']);
    const atBlockOf = { ...request, reads: readsOf(3), block: BLOCK };
    expect(await readAtBlock(starved.client, atBlockOf)).toEqual([REVERTED, BROKEN, valueOf(2)]);
  });

  it('are repeated once, because another node may have the block', async () => {
    const missing = (calls: number) => ({
      failure: (call: number) => (call <= calls ? new Error('header not found') : undefined),
    });
    expect(await atBlock(scriptedNode(['returns'], missing(1)), 1)).toEqual([valueOf(0)]);
    const node = scriptedNode(['returns'], missing(9));
    expect(await atBlock(node, 1)).toEqual([undefined]);
    expect(node.calls).toHaveLength(2);
  });

  it('blame no contract when the node fails to execute a call without reads as well', async () => {
    const node = scriptedNode(repeat('returns', 9), { failure: () => executionFailure() });
    expect(await atBlock(node, 9)).toEqual(Array(9).fill(undefined));
  });

  it('keep what was read, and which contracts are broken, when the time is over', async () => {
    const controller = new AbortController();
    const node = scriptedNode([...repeat('burns', 40), ...repeat('returns', 360)]);
    const request = (given: CallRequest) => {
      if (node.calls.length >= 30) controller.abort();
      return (node.client.request as unknown as (all: unknown) => Promise<Hex>)(given);
    };
    const client = { request } as unknown as PublicClient;
    const outcomes = await atBlock({ ...node, client }, 398, { signal: controller.signal });
    expect(outcomes.slice(0, 7)).toEqual(Array(7).fill(BROKEN));
    expect(outcomes.slice(300)).toEqual(Array.from({ length: 98 }, (_, index) => valueOf(300 + index)));
    expect(outcomes).toContain(undefined);
    expect(node.calls.length).toBeLessThan(45);
  });
});
