import { hexToBytes, keccak256 } from 'viem';
import type { CustomerId } from '../auth/principal';
import { invariant } from '../errors/invariant-error';
import type { Transaction } from '../persistence/database';
import { uuidV7 } from '../persistence/uuid-v7';
import type { ExpectedCall } from '../transactions/action-plan';
import { isFinished } from './state/status-transitions';

export interface CallRegistration {
  readonly actionId: string;
  readonly customerId: CustomerId;
  readonly calls: readonly ExpectedCall[];
}

/** Selector of `approve(address,uint256)`. */
const APPROVE = '0x095ea7b3';

/**
 * Stores the calls that were issued for an action, for the trackers to match with transactions. Idempotent. Different
 * calldata for the same step, as from another request for the bytecode, is added to the first.
 */
export async function registerCalls(tx: Transaction, { actionId, customerId, calls }: CallRegistration): Promise<void> {
  // The lock keeps the action from ending between the read and the insertion.
  const [action] = await tx.$queryRaw<{ status: 'INITIAL' | 'PENDING' | 'FAILED' | 'REFUNDED' | 'SUCCESS' }[]>`
    SELECT status FROM "Action" WHERE id = ${actionId}::uuid AND "customerId" = ${customerId}::uuid FOR SHARE`;
  invariant(action, `the action ${actionId} does not exist`);
  const steps = await tx.actionStep.findMany({ where: { actionId }, select: { stepIndex: true, kind: true } });
  const kinds = new Map(steps.map((step) => [step.stepIndex, step.kind]));
  await tx.actionCall.createMany({
    data: calls.map((call) => {
      const kind = kinds.get(call.stepIndex);
      invariant(kind, `the action ${actionId} has no step ${call.stepIndex}`);
      return {
        id: uuidV7(),
        actionId,
        customerId,
        stepIndex: call.stepIndex,
        chainId: call.chainId,
        kind: call.form === 'CALL' && call.data.startsWith(APPROVE) ? 'APPROVAL' : kind,
        form: call.form,
        // Trackers compare the addresses of EVM chains in lower case.
        sender: call.form === 'REFERENCE' ? call.sender : call.sender.toLowerCase(),
        target: call.form === 'REFERENCE' ? call.target : call.target.toLowerCase(),
        dataHash: Buffer.from(hexToBytes(keccak256(call.data))),
        value: call.value.toString(),
        minNonce: call.minNonce ?? null,
        assets: call.assets?.toString() ?? null,
        ...(call.fees === undefined ? {} : { fees: call.fees.map((fee) => ({ ...fee })) }),
        open: !isFinished(action.status),
      };
    }),
    skipDuplicates: true,
  });
}
