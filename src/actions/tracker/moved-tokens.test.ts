import { bringsOutput, isDelivery, spendsInput } from './moved-tokens';
import type { SubmittedStep } from './submitted-steps';

type Step = Parameters<typeof spendsInput>[0];
const step = (
  changes: Partial<Omit<Step, 'action'>>,
  chains: Pick<SubmittedStep['action'], 'chainIdIn' | 'chainIdOut'> = { chainIdIn: 1, chainIdOut: 1 },
): Step => ({
  stepIndex: 0,
  kind: 'SWAP',
  chainId: 1,
  isLast: true,
  ...changes,
  action: { ...chains } as SubmittedStep['action'],
});

describe('a step', () => {
  it('that is the only one takes what the action spends, and brings what it buys', () => {
    const only = step({});
    expect([spendsInput(only), bringsOutput(only), isDelivery(only)]).toEqual([true, true, false]);
  });

  it('before another one on the same chain brings nothing yet', () => {
    const swap = step({ isLast: false });
    expect([spendsInput(swap), bringsOutput(swap)]).toEqual([true, false]);
    const deposit = step({ stepIndex: 1, kind: 'DEPOSIT' });
    expect([spendsInput(deposit), bringsOutput(deposit), isDelivery(deposit)]).toEqual([false, true, false]);
  });

  it('that pays a fee before another one on the same chain takes only a part of the amount', () => {
    expect(spendsInput(step({ kind: 'TRANSFER', isLast: false }))).toBe(false);
    expect(spendsInput(step({ kind: 'TRANSFER', isLast: false }, { chainIdIn: 1, chainIdOut: 0 }))).toBe(true);
    expect(spendsInput(step({ kind: 'TRANSFER' }))).toBe(true);
  });

  it('on the destination chain is a delivery', () => {
    const arrival = step({ stepIndex: 1, kind: 'BRIDGE', chainId: 2 }, { chainIdIn: 1, chainIdOut: 2 });
    expect([spendsInput(arrival), bringsOutput(arrival), isDelivery(arrival)]).toEqual([false, true, true]);
  });
});
