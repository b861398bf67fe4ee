import { encodeAbiParameters, type Hex, pad, toEventSelector } from 'viem';
import { ALICE, BOB, DAI, USDC } from '../../../test/swaps/swap-world';
import { serviceError } from '../../errors/service-error';
import type { SimulatedCall, SimulatedLog, SimulatedTransaction } from '../../rpc/simulate';
import type { OperationPart } from './operation-part';
import { type StrategySimulationRequest, simulateStrategyOperation } from './simulate-strategy-operation';

const VAULT = '0xBEEF01735c132Ada46AA9aA4c54623cAA92A64CB';
const call = (data: Hex) => ({ chainId: 31337, from: ALICE, to: VAULT, data, value: 0n });
const [APPROVE, RESET, DEPOSIT] = [call('0x0a'), call('0x0b'), call('0x0c')];
const PART: OperationPart = {
  kind: 'DEPOSIT',
  protocol: 'erc4626',
  approvals: [APPROVE],
  call: DEPOSIT,
  access: { token: USDC.address, spender: VAULT },
};
const units = (amount: bigint): Hex => encodeAbiParameters([{ type: 'uint256' }], [amount]);
const ok = (changes: Partial<SimulatedCall> = {}): SimulatedCall => ({
  ok: true,
  gasUsed: 100n,
  returnData: '0x',
  logs: [],
  revertReason: undefined,
  ...changes,
});
const reverted = (revertReason: string): SimulatedCall => ok({ ok: false, returnData: '0xdead', revertReason });
const log = (token: string, event: string, to: string): SimulatedLog => ({
  address: token as Hex,
  topics: [toEventSelector(`${event}(address,address,uint256)`), pad(ALICE), pad(to as Hex)],
  data: units(5n),
});

interface Script {
  readonly results?: Readonly<Record<string, SimulatedCall>>;
  /** Balance of USDC before and after. */
  readonly balances?: readonly [bigint, bigint];
}

/** A node that returns scripted results for calls and balances. */
function nodeOf({ results = {}, balances = [100n, 90n] }: Script) {
  const sent: Hex[][] = [];
  const simulate = (_: number, calls: readonly SimulatedTransaction[]): Promise<readonly SimulatedCall[]> => {
    sent.push(calls.map(({ data }) => data));
    const isRead = ({ data }: SimulatedTransaction): boolean => data.length > 10;
    return Promise.resolve(
      calls.map((each, index) =>
        isRead(each) ? ok({ returnData: units(balances[index === 0 ? 0 : 1]) }) : (results[each.data] ?? ok()),
      ),
    );
  };
  return { simulate, sent };
}

const request = (changes: Partial<StrategySimulationRequest> = {}): StrategySimulationRequest => ({
  chainId: 31337,
  sender: ALICE,
  parts: [PART],
  expected: [{ token: USDC, owner: ALICE, atLeast: -10n }],
  explainRevert: (reason) => (reason === '51' ? 'the supply cap is reached' : undefined),
  signal: AbortSignal.timeout(1000),
  ...changes,
});
const simulate = (script: Script, changes: Partial<StrategySimulationRequest> = {}) =>
  simulateStrategyOperation(nodeOf(script), request(changes));
const refusal = (kind: string, reason: unknown) =>
  expect.objectContaining({
    code: 'LENDING_BAD_REQUEST',
    status: 400,
    details: expect.objectContaining({ kind, reason }),
  });

describe('the simulation of an operation', () => {
  it('succeeds when the balances change as expected, with the gas of all calls and a margin', async () => {
    await expect(simulate({})).resolves.toMatchObject({
      parts: [PART],
      simulation: { status: 'SUCCESS' },
      gasLimit: 240n,
    });
  });

  it('uses a reset of the allowance only when the token refuses the plain approval', async () => {
    const part = { ...PART, approvalsWithReset: [RESET, APPROVE] };
    await expect(simulate({}, { parts: [part] })).resolves.toMatchObject({ parts: [{ approvals: [APPROVE] }] });
    const node = nodeOf({});
    const refuses = { ...node, simulate: refusesPlainApproval(node.simulate) };
    await expect(simulateStrategyOperation(refuses, request({ parts: [part] }))).resolves.toMatchObject({
      parts: [{ approvals: [RESET, APPROVE] }],
    });
  });

  it('explains a revert of the protocol in its own words, and any other by its reason', async () => {
    await expect(simulate({ results: { [DEPOSIT.data]: reverted('51') } })).rejects.toEqual(
      refusal('REVERTED', 'the deposit would revert: the supply cap is reached'),
    );
    await expect(simulate({ results: { [DEPOSIT.data]: reverted('paused') } })).rejects.toEqual(
      refusal('REVERTED', 'the deposit would revert: paused'),
    );
    await expect(
      simulate({ results: { [DEPOSIT.data]: reverted('51') } }, { parts: [{ ...PART, kind: 'CLAIM' }] }),
    ).rejects.toEqual(refusal('REVERTED', 'the claim would revert: the supply cap is reached'));
    await expect(simulate({ results: { [APPROVE.data]: reverted('no') } })).rejects.toEqual(
      refusal('REVERTED', 'the approval for the deposit would revert: no'),
    );
  });

  it('refuses an operation that takes more than expected', async () => {
    await expect(simulate({ balances: [100n, 89n] })).rejects.toEqual(
      refusal('UNEXPECTED_EFFECTS', 'the operation takes 0.000011 USDC where 0.00001 USDC were expected'),
    );
  });

  it('refuses an operation that brings less than expected', async () => {
    const expected = [{ token: USDC, owner: BOB, atLeast: 10n }];
    await expect(simulate({ balances: [0n, 9n] }, { expected })).rejects.toEqual(
      refusal('UNEXPECTED_EFFECTS', 'the operation brings 0.000009 USDC where 0.00001 USDC were expected'),
    );
  });

  it.each([
    ['takes another token of the wallet', log(DAI.address, 'Transfer', VAULT)],
    ['lets others spend another token of the wallet', log(DAI.address, 'Approval', VAULT)],
    ['lets others spend the token of the wallet', log(USDC.address, 'Approval', BOB)],
  ])('refuses an operation that %s', async (_, event) => {
    await expect(simulate({ results: { [DEPOSIT.data]: ok({ logs: [event] }) } })).rejects.toEqual(
      refusal('UNEXPECTED_EFFECTS', expect.stringMatching(/(from|of) the sender/)),
    );
  });

  it('is unavailable on a node that cannot simulate, which is no refusal', async () => {
    const broken = {
      simulate: () => Promise.reject(serviceError('PROVIDER_UNAVAILABLE', { provider: 'x', reason: 'y' })),
    };
    await expect(simulateStrategyOperation(broken, request())).resolves.toMatchObject({
      simulation: { status: 'UNAVAILABLE' },
      gasLimit: undefined,
    });
  });
});

type Simulate = ReturnType<typeof nodeOf>['simulate'];

/** A token that refuses to change an allowance above zero. */
const refusesPlainApproval =
  (simulateCalls: Simulate): Simulate =>
  async (chainId, calls) => {
    const results = await simulateCalls(chainId, calls);
    const isReset = calls.some(({ data }) => data === RESET.data);
    return results.map((result, index) =>
      calls[index]?.data === APPROVE.data && !isReset ? reverted('allowance is not zero') : result,
    );
  };
