import { substatusBefore } from './next-step';

type Step = Parameters<typeof substatusBefore>[0];
const FIRST: Step = { stepIndex: 0, status: 'PENDING', kind: 'SWAP', operator: 'USER', originStep: undefined };
const step = (change: Partial<Step>): Step => ({ ...FIRST, ...change });

describe('what an action waits for', () => {
  it.each([
    ['the origin, before its first step', step({}), 'WAITING_ORIGIN'],
    ['confirmations, once a step was sent', step({ status: 'SUBMITTED' }), 'WAITING_CONFIRMATIONS'],
    ['confirmations, also of a later step', step({ status: 'SUBMITTED', stepIndex: 2 }), 'WAITING_CONFIRMATIONS'],
    ['the origin, up to the step that pays the provider', step({ stepIndex: 1, originStep: 1 }), 'WAITING_ORIGIN'],
    ['the destination, after a step without a transfer', step({ stepIndex: 1 }), 'WAITING_DESTINATION'],
    ['the mint of its wallet', step({ stepIndex: 1, kind: 'BRIDGE' }), 'DESTINATION_MINT_REQUIRED'],
    ['a mint of another sender', step({ stepIndex: 1, kind: 'BRIDGE', operator: 'PROVIDER' }), 'WAITING_DESTINATION'],
    ['the deposit of its wallet', step({ stepIndex: 2, originStep: 1, kind: 'DEPOSIT' }), 'DEPOSIT_REQUIRED'],
    ['a transfer of its wallet', step({ stepIndex: 2, originStep: 1, kind: 'TRANSFER' }), 'WAITING_DESTINATION'],
    ['what the delivery states', step({ stepIndex: 2, originStep: 1, kind: 'SWAP' }), undefined],
    [
      'what the delivery states of a deposit',
      step({ stepIndex: 1, originStep: 0, kind: 'DEPOSIT', operator: 'PROVIDER' }),
      undefined,
    ],
  ])('is %s', (_, next, substatus) => {
    expect(substatusBefore(next)).toBe(substatus);
  });
});
