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
import { readAtOneBlock } from './read-at-one-block';

const CHAIN_ID = 31337;

/** What a contract does when it is read. `burns` makes the whole call fail, and fails alone as well. */
type Behaviour = 'returns' | 'burns' | 'reverts' | 'starves' | 'returns a byte';

interface ScriptedNode {
  readonly client: PublicClient;
  readonly calls: { readonly block: string; readonly targets: number }[];
}

const word = (value: bigint | number): Hex => pad(numberToHex(value), { size: 32 });
const addressOf = (index: number): Address => getAddress(pad(numberToHex(index + 1), { size: 20 }));
const indexOf = (address: Address): number => Number.parseInt(address, 16) - 1;

/** A node that executes `aggregate3`. `head` returns the number of its latest block at each call. */
function scriptedNode(behaviours: readonly Behaviour[], head: (call: number) => number = () => 100): ScriptedNode {
  const calls: { block: string; targets: number }[] = [];
  const request = ({ params }: { params: [{ data: Hex }, string] }): Promise<Hex> => {
    const [{ data }, block] = params;
    const { args } = decodeFunctionData({ abi: multicall3Abi, data });
    const targets = (args as unknown as readonly (readonly { target: Address }[])[])[0]!.slice(2);
    calls.push({ block, targets: targets.length });
    const number = block === 'latest' ? head(calls.length) : Number.parseInt(block, 16);
    const own = targets.map(({ target }) => behaviours[indexOf(target)]!);
    if (own.includes('burns')) return Promise.reject(executionFailure());
    const results = own.map((behaviour, position) => {
      if (behaviour === 'reverts') return { success: false, returnData: '0x08c379a0' as Hex };
      // Reads behind one that uses up the gas of the call have none left.
      const isStarved = own.slice(0, position).includes('starves');
      if (behaviour === 'starves' || isStarved) return { success: false, returnData: '0x' as Hex };
      if (behaviour === 'returns a byte') return { success: true, returnData: '0x01' as Hex };
      return { success: true, returnData: word(number * 1000 + indexOf(targets[position]!.target)) };
    });
    const all = [word(number), word(1_700_000_000)].map((returnData) => ({ success: true, returnData }));
    return Promise.resolve(
      encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: [...all, ...results] }),
    );
  };
  return { client: { request } as unknown as PublicClient, calls };
}

const executionFailure = () =>
  new RpcRequestError({ body: {}, url: 'http://node', error: { code: -32000, message: 'out of gas' } });

const readOf = (index: number): ContractRead<bigint> => ({
  to: addressOf(index),
  data: '0x70a08231',
  decode(data) {
    if (size(data) !== 32) throw new InvariantError('not one word');
    return hexToBigInt(data);
  },
});
const read = (node: ScriptedNode, count: number) =>
  readAtOneBlock(node.client, { chainId: CHAIN_ID, reads: Array.from({ length: count }, (_, index) => readOf(index)) });

describe('reads of one block', () => {
  it('take one call that also reads the block', async () => {
    const node = scriptedNode(['returns', 'reverts', 'returns a byte']);
    expect(await read(node, 3)).toEqual({
      block: { number: 100n, timestamp: 1_700_000_000n },
      outcomes: [
        { status: 'read', value: 100_000n },
        { status: 'reverted', brokeMulticall: false },
        { status: 'invalid', bytes: 1 },
      ],
    });
    expect(node.calls).toEqual([{ block: 'latest', targets: 3 }]);
  });

  it('find every contract that makes calls fail, and read all others', async () => {
    const contracts = fc
      .array(fc.constant<Behaviour>('returns'), { minLength: 2, maxLength: 600 })
      .chain((all) => fc.tuple(fc.constant(all), fc.uniqueArray(fc.nat(all.length - 1), { maxLength: 3 })));
    await fc.assert(
      fc.asyncProperty(contracts, async ([all, broken]) => {
        const behaviours = all.map((behaviour, index): Behaviour => (broken.includes(index) ? 'burns' : behaviour));
        const { outcomes } = await read(scriptedNode(behaviours), all.length);
        for (const [index, outcome] of outcomes.entries()) {
          const expected = broken.includes(index)
            ? { status: 'reverted', brokeMulticall: true }
            : { status: 'read', value: 100_000n + BigInt(index) };
          expect(outcome).toEqual(expected);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('never blame or misread a contract, and make a bounded number of calls, however many contracts are broken', async () => {
    const behaviour = fc.constantFrom<Behaviour>('returns', 'burns', 'reverts', 'starves', 'returns a byte');
    await fc.assert(
      fc.asyncProperty(fc.array(behaviour, { minLength: 1, maxLength: 300 }), async (behaviours) => {
        const node = scriptedNode(behaviours);
        const { outcomes } = await read(node, behaviours.length);
        expect(node.calls.length).toBeLessThanOrEqual(1 + 1 + 1 + 64 + 2);
        for (const [index, outcome] of outcomes.entries()) {
          if (outcome.status === 'read') {
            expect([behaviours[index], outcome.value]).toEqual(['returns', 100_000n + BigInt(index)]);
          }
          if (outcome.status === 'invalid') expect(behaviours[index]).toBe('returns a byte');
          if (outcome.status === 'reverted' && outcome.brokeMulticall) {
            expect(['burns', 'reverts', 'starves']).toContain(behaviours[index]);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('do not take a read for reverted that had no gas because of another', async () => {
    const { outcomes } = await read(scriptedNode(['returns', 'starves', 'returns']), 3);
    expect(outcomes.map(({ status }) => status)).toEqual(['read', 'reverted', 'read']);
  });

  it('are all of the earliest block that a call saw', async () => {
    const node = scriptedNode(Array<Behaviour>(900).fill('returns'), (call) => (call === 2 ? 99 : 100 + call));
    const { block, outcomes } = await read(node, 900);
    expect(block.number).toBe(99n);
    expect(outcomes).toEqual(outcomes.map((_, index) => ({ status: 'read', value: 99_000n + BigInt(index) })));
    expect(node.calls.map(({ block: at }) => at)).toEqual(['latest', 'latest', 'latest', '0x63', '0x63']);
  });

  it('find the contract that makes calls fail although the chain grows meanwhile', async () => {
    const behaviours = Array.from({ length: 64 }, (_, index): Behaviour => (index === 40 ? 'starves' : 'returns'));
    const failing = scriptedNode(behaviours, (call) => 100 + call);
    const client = {
      request(given: { params: [{ data: Hex }, string] }) {
        const { args } = decodeFunctionData({ abi: multicall3Abi, data: given.params[0].data });
        const targets = (args as unknown as readonly (readonly { target: Address }[])[])[0]!;
        // The contract leaves too little gas for a call with other reads.
        const isStarved = targets.length > 3 && targets.some(({ target }) => target === addressOf(40));
        if (isStarved) return Promise.reject(executionFailure());
        return (failing.client.request as unknown as (all: unknown) => Promise<Hex>)(given);
      },
    } as unknown as PublicClient;
    const { block, outcomes } = await read({ ...failing, client }, 64);
    expect(outcomes[40]).toEqual({ status: 'reverted', brokeMulticall: true });
    for (const [index, outcome] of outcomes.entries()) {
      if (index !== 40) expect(outcome).toEqual({ status: 'read', value: block.number * 1000n + BigInt(index) });
    }
  });

  it('count as unread when the node does not have the earliest block', async () => {
    const node = scriptedNode(Array<Behaviour>(450).fill('returns'), (call) => 98 + call);
    const client = {
      request: (given: { params: [{ data: Hex }, string] }) =>
        given.params[1] === 'latest'
          ? (node.client.request as unknown as (all: unknown) => Promise<Hex>)(given)
          : Promise.reject(new Error('header not found')),
    } as unknown as PublicClient;
    const { outcomes } = await read({ ...node, client }, 450);
    expect(outcomes.filter(({ status }) => status === 'read')).toHaveLength(398);
    expect(outcomes.filter(({ status }) => status === 'unread')).toHaveLength(52);
  });

  it('fail when the node cannot execute a call without reads: no contract is at fault', async () => {
    const client = { request: () => Promise.reject(executionFailure()) } as unknown as PublicClient;
    await expect(read({ client, calls: [] }, 5)).rejects.toThrow('out of gas');
  });

  it('read the number of an Arbitrum block from its precompile', async () => {
    const targets: Address[] = [];
    const node = scriptedNode(['returns']);
    const client = {
      request(given: { params: [{ data: Hex }, string] }) {
        const { args } = decodeFunctionData({ abi: multicall3Abi, data: given.params[0].data });
        targets.push(
          ...(args as unknown as readonly (readonly { target: Address }[])[])[0]!.map(({ target }) => target),
        );
        return (node.client.request as unknown as (all: unknown) => Promise<Hex>)(given);
      },
    } as unknown as PublicClient;
    await readAtOneBlock(client, { chainId: 42161, reads: [readOf(0)] });
    expect(targets).toEqual(['0x0000000000000000000000000000000000000064', MULTICALL3, addressOf(0)]);
  });
});
