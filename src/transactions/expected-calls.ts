import type { HandedOutCall } from './action-plan';
import type { ExecutableCalls, ExecutableSwap } from './execution/executable';

/** What the trackers look for on chain: what was handed out for signature belongs to the first step. */
export function handedOutCalls(executable: ExecutableSwap): readonly HandedOutCall[] {
  switch (executable.kind) {
    case 'calls':
      return callsOf(executable);
    case 'program': {
      const { chainId, sender, reference } = executable;
      return [{ stepIndex: 0, chainId, form: 'REFERENCE', sender, target: reference, data: '0x', value: 0n }];
    }
    case 'deposit':
    case 'payment':
      return [];
  }
}

/** A user operation makes all calls at once, so that none of them is ever a transaction. */
function callsOf({ approvals, swap, userOperation }: ExecutableCalls): readonly HandedOutCall[] {
  if (userOperation !== undefined) {
    const { account, entryPoint, callData } = userOperation;
    const { chainId } = swap;
    return [
      { stepIndex: 0, chainId, form: 'USER_OPERATION', sender: account, target: entryPoint, data: callData, value: 0n },
    ];
  }
  return [...approvals, swap].map(({ chainId, from, to, data, value }) => ({
    stepIndex: 0,
    form: 'CALL' as const,
    chainId,
    sender: from,
    target: to,
    data,
    value,
  }));
}
