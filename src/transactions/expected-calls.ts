import type { ExpectedCall } from './action-plan';
import type { ExecutableCalls, Executable } from './execution/executable';

/** The calls that the trackers expect on chain. All belong to the action's first step. */
export function expectedCalls(executable: Executable): readonly ExpectedCall[] {
  switch (executable.kind) {
    case 'calls':
      return expectedEvmCalls(executable);
    case 'solanaTransaction': {
      const { chainId, sender, reference } = executable;
      return [{ stepIndex: 0, chainId, form: 'REFERENCE', sender, target: reference, data: '0x', value: 0n }];
    }
    case 'deposit':
    case 'payment':
      return [];
  }
}

/** A user operation contains all calls, so the calls never appear as transactions of their own. */
function expectedEvmCalls({ approvals, swap, minNonce, userOperation }: ExecutableCalls): readonly ExpectedCall[] {
  if (userOperation !== undefined) {
    const { account, entryPoint, callData } = userOperation;
    const { chainId } = swap;
    return [
      { stepIndex: 0, chainId, form: 'USER_OPERATION', sender: account, target: entryPoint, data: callData, value: 0n },
    ];
  }
  return [...approvals, swap].map((call) => ({
    stepIndex: 0,
    form: 'CALL' as const,
    chainId: call.chainId,
    sender: call.from,
    target: call.to,
    data: call.data,
    value: call.value,
    minNonce: call === swap ? minNonce : undefined,
  }));
}
