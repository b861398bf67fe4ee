import { decodeFunctionData, erc20Abi } from 'viem';
import { ALICE, devnet, ROUTER, USDC } from '../../../../test/swaps/swap-world';
import { serviceError } from '../../../errors/service-error';
import type { SimulatedCall, SimulatedTransaction, SimulationOptions } from '../../../rpc/simulate';
import { type SwapSimulationRequest, simulateSwap } from './simulate-swap';

const swap = { chainId: devnet.chainId, from: ALICE, to: ROUTER, data: '0xdeadbeef', value: 0n } as const;
const approval = { chainId: devnet.chainId, owner: ALICE, token: USDC.address, spender: ROUTER, amount: 700n };
const swapRequest = (changes: Partial<SwapSimulationRequest> = {}): SwapSimulationRequest => ({
  swap,
  approval: undefined,
  hasAllowance: false,
  shortage: undefined,
  callsWrappedNative: false,
  watched: [],
  signal: AbortSignal.timeout(1000),
  ...changes,
});

const succeeded = (gasUsed: bigint): SimulatedCall => ({
  ok: true,
  gasUsed,
  returnData: '0x',
  logs: [],
  revertReason: undefined,
});
const reverted = (revertReason: string): SimulatedCall => ({ ...succeeded(1n), ok: false, revertReason });

/** A node that returns one result per simulation, and records the simulated calls. */
function node(...results: readonly (readonly SimulatedCall[])[]) {
  const simulated: (readonly SimulatedTransaction[])[] = [];
  const overrides: SimulationOptions['stateOverrides'][] = [];
  return {
    simulated,
    overrides,
    simulate: (_: number, calls: readonly SimulatedTransaction[], options: SimulationOptions) => {
      simulated.push(calls);
      overrides.push(options.stateOverrides);
      return Promise.resolve(results[simulated.length - 1]!);
    },
  };
}

const approved = (call: { data: `0x${string}` } | undefined) =>
  call === undefined ? undefined : decodeFunctionData({ abi: erc20Abi, data: call.data }).args;

describe('simulating a swap', () => {
  it('sends no approval when the allowance is enough, and adds a margin to the gas', async () => {
    const simulated = await simulateSwap(node([succeeded(100_000n)]), swapRequest());
    expect(simulated).toMatchObject({ approvals: [], simulation: { status: 'SUCCESS' }, gasLimit: 120_000n });
  });

  it('approves exactly the input amount, and simulates both together', async () => {
    const rpc = node([succeeded(50_000n), succeeded(100_000n)]);
    const { approvals, simulation } = await simulateSwap(rpc, swapRequest({ approval }));
    expect(simulation.status).toBe('SUCCESS');
    expect(approvals.map(approved)).toEqual([[ROUTER, 700n]]);
    expect(approvals[0]).toMatchObject({ to: USDC.address, from: ALICE, value: 0n });
    expect(rpc.simulated[0]).toHaveLength(2);
    expect(rpc.simulated[0]?.[1]?.data).toBe('0xdeadbeef');
  });

  it('resets the allowance only when the token refuses to change it', async () => {
    const rpc = node([reverted('no'), reverted('no')], [succeeded(1n), succeeded(1n), succeeded(10n)]);
    const { approvals, simulation, gasLimit } = await simulateSwap(rpc, swapRequest({ approval, hasAllowance: true }));
    expect(approvals.map(approved)).toEqual([
      [ROUTER, 0n],
      [ROUTER, 700n],
    ]);
    expect(simulation).toEqual({ status: 'SUCCESS', reason: undefined });
    expect(gasLimit).toBe(12n);
  });

  it('does not reset a zero allowance, nor for a swap that fails', async () => {
    const never = node([reverted('paused'), reverted('paused')]);
    expect(await simulateSwap(never, swapRequest({ approval }))).toMatchObject({
      simulation: { status: 'REVERTED', reason: 'the approval: paused' },
    });
    const fails = node([succeeded(1n), reverted('too late')]);
    expect(await simulateSwap(fails, swapRequest({ approval, hasAllowance: true }))).toMatchObject({
      simulation: { status: 'REVERTED', reason: 'the swap: too late' },
      gasLimit: undefined,
    });
    expect([never.simulated.length, fails.simulated.length]).toEqual([1, 1]);
  });

  it('keeps the plain approval when a reset does not help either', async () => {
    const rpc = node([reverted('a'), reverted('b')], [reverted('c'), reverted('d'), reverted('e')]);
    const { approvals, simulation } = await simulateSwap(rpc, swapRequest({ approval, hasAllowance: true }));
    expect(approvals).toHaveLength(1);
    expect(simulation).toEqual({ status: 'REVERTED', reason: 'the approval: a' });
  });

  it('removes the code of the sender for a call of the wrapped native coin, and for no other', async () => {
    const rpc = node([succeeded(1n)], [succeeded(1n)]);
    await simulateSwap(rpc, swapRequest({ callsWrappedNative: true }));
    await simulateSwap(rpc, swapRequest());
    expect(rpc.overrides).toEqual([{ [ALICE]: { code: '0x' } }, undefined]);
  });

  it('reports the shortage of funds instead of the revert', async () => {
    const shortage = 'the sender holds 1 USDC of 2 needed';
    const expected = { simulation: { status: 'INSUFFICIENT_BALANCE', reason: shortage } };
    expect(await simulateSwap(node([reverted('STF')]), swapRequest({ shortage }))).toMatchObject(expected);
    const unavailableNode = { simulate: () => Promise.reject(unavailable()) };
    expect(await simulateSwap(unavailableNode, swapRequest({ shortage, approval }))).toMatchObject({
      ...expected,
      approvals: [{}],
    });
  });

  it('reports that the node cannot simulate, and keeps the approval', async () => {
    const unavailableNode = { simulate: () => Promise.reject(unavailable()) };
    expect(await simulateSwap(unavailableNode, swapRequest({ approval, hasAllowance: true }))).toMatchObject({
      approvals: [{}],
      gasLimit: undefined,
      simulation: { status: 'UNAVAILABLE', reason: expect.stringContaining('devnet RPC') },
    });
  });

  it('propagates bugs', async () => {
    const buggy = { simulate: () => Promise.reject(new TypeError('bug')) };
    await expect(simulateSwap(buggy, swapRequest())).rejects.toThrow(TypeError);
  });
});

const unavailable = () => serviceError('PROVIDER_UNAVAILABLE', { provider: 'devnet RPC', reason: 'it is down' });
