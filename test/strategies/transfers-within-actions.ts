import { type Execution, recordExecution } from '../../src/actions/state/record-execution';
import { type MovedAmounts, settleConfirmedStep } from '../../src/actions/state/settle-confirmed-step';
import { toBaseUnits } from '../../src/money/base-units';
import type { StepStatus } from '../../src/persistence/client/enums';
import { FEE_PROTOCOL, type PlannedStep } from '../../src/transactions/action-plan';
import { ALICE, sampleToken } from '../actions/sample-action';
import { BRIDGE, createSampleTransfer, type SampleTransfer, someHash } from '../actions/sample-transfer';
import type { TestDatabase } from '../setup/test-database';
import { usd } from '../setup/usd';

export const [ORIGIN, DESTINATION] = [31337, 31338];
export const STRATEGY = 'Aave-USDC-devnet-l2';
/** Base units that the transfer takes, and the least that it brings. */
export const [SOLD, MINIMUM] = [100_000_000n, 98_000_000n];
export const USDC = sampleToken('USDC', { chainId: DESTINATION });
const RECEIPT = sampleToken('aUSDC', { chainId: DESTINATION, address: ALICE });

const user = { operator: 'USER' as const };
const provider = { operator: 'PROVIDER' as const, protocol: BRIDGE };
const TRANSFER = [
  { kind: 'BRIDGE', ...user, protocol: BRIDGE, chainId: ORIGIN },
  { kind: 'BRIDGE', ...provider, chainId: DESTINATION },
] as const;
const LEND = [...TRANSFER, { kind: 'DEPOSIT', ...user, protocol: 'aave-v3', chainId: DESTINATION }] as const;
const WITHDRAW = { kind: 'WITHDRAW', ...user, protocol: 'aave-v3', chainId: ORIGIN } as const;
const STEPS = {
  lend: LEND,
  lendWithFee: [...LEND, { kind: 'TRANSFER', ...user, protocol: FEE_PROTOCOL, chainId: DESTINATION }],
  withdraw: [WITHDRAW, ...TRANSFER],
  withdrawWithFee: [WITHDRAW, { kind: 'TRANSFER', ...user, protocol: FEE_PROTOCOL, chainId: ORIGIN }, ...TRANSFER],
} as const satisfies Record<string, readonly PlannedStep[]>;

/** A transaction of the last block that carries out a step. */
export const someExecution = (actionId: string, stepIndex: number, chainId: number): Execution => ({
  actionId,
  stepIndex,
  chainId,
  txHash: someHash(),
  block: { number: 1n, hash: someHash(), timestamp: BigInt(Math.floor(Date.now() / 1000)) },
});

/** Actions with a transfer between two chains as one part, in a database of tests. */
export function transfersWithinActions(open: () => TestDatabase) {
  /** A pending deposit of tokens of another chain, or withdrawal to one, with these states of its steps. */
  async function pendingAction(kind: keyof typeof STEPS, statuses: readonly StepStatus[], expiresInMs = 3_600_000) {
    const { database } = open();
    const isLend = kind === 'lend' || kind === 'lendWithFee';
    const originStep = isLend ? 0 : STEPS[kind].length - 2;
    const destinationStep = originStep + 1;
    const terms = {
      tokenIn: sampleToken('USDC', { chainId: ORIGIN }),
      tokenOut: USDC,
      amountIn: SOLD,
      amountInUsd: usd('100'),
      amountOut: 99_000_000n,
      minAmountOut: MINIMUM,
      receiverAddress: ALICE,
    };
    const sample = await createSampleTransfer(database, {
      type: isLend ? 'CROSSCHAIN_INVESTMENT_DEPOSIT' : 'CROSSCHAIN_INVESTMENT_WITHDRAW',
      strategy: { id: STRATEGY, slug: STRATEGY.toLowerCase() },
      steps: STEPS[kind],
      ...(isLend ? { tokenOut: RECEIPT, amountOut: toBaseUnits(1n), minAmountOut: toBaseUnits(1n) } : {}),
      expiresAt: new Date(Date.now() + expiresInMs),
      delivery: { provider: BRIDGE, part: { originStep, destinationStep, terms } },
    });
    await database.action.update({ where: { id: sample.id }, data: { status: 'PENDING' } });
    for (const [stepIndex, status] of statuses.entries()) await setStep(sample.id, stepIndex, { status });
    return sample;
  }

  const setStep = (actionId: string, stepIndex: number, data: { readonly status: StepStatus }) =>
    open().database.actionStep.updateMany({ where: { actionId, stepIndex }, data });

  /** Settles a step of an action of the customer. */
  const settle = (
    action: Pick<SampleTransfer, 'id' | 'customerId'>,
    stepIndex: number,
    moved: Partial<MovedAmounts> = {},
  ) => {
    const step = { actionId: action.id, customerId: action.customerId, stepIndex, txHash: undefined };
    return open().database.$transaction((tx) =>
      settleConfirmedStep(tx, step, { spent: undefined, received: undefined, ...moved }),
    );
  };

  /** Records a transaction that carries out a step, or a user operation in it. */
  async function execute(actionId: string, stepIndex: number, userOperationHash?: string): Promise<boolean> {
    const { database } = open();
    const { chainId } = await database.actionStep.findFirstOrThrow({ where: { actionId, stepIndex } });
    const execution = {
      ...someExecution(actionId, stepIndex, Number.parseInt(chainId.toString(), 10)),
      userOperationHash,
    };
    return database.$transaction((tx) => recordExecution(tx, execution));
  }

  async function stateOf(id: string) {
    const include = { steps: { orderBy: { stepIndex: 'asc' as const } }, delivery: true };
    const action = await open().database.action.findUniqueOrThrow({ where: { id }, include });
    const { status, substatus, failureReason, steps, delivery, amountOut } = action;
    return {
      state: [status, substatus],
      failureReason,
      steps: steps.map((step) => step.status),
      protocols: steps.map(({ protocol }) => protocol),
      delivery,
      amountOut: BigInt(amountOut.toFixed()),
    };
  }

  return { pendingAction, setStep, settle, execute, stateOf };
}
