import { recordExecution } from '../../src/actions/state/record-execution';
import type { CustomerId } from '../../src/auth/principal';
import type { ActionPlan } from '../../src/transactions/action-plan';
import { createSampleAction, ROUTER, someCalldata } from '../actions/sample-action';
import type { TestDatabase } from '../setup/test-database';
import { addressOf } from './scripted-catalog';

/** Wallet and strategy of the operations. */
export const OPERATOR = addressOf(77);
export const OPERATED = { id: 'Vault-1-ethereum', slug: 'vault-1-ethereum' };

interface SampleOperation extends Partial<Omit<ActionPlan, 'calls'>> {
  readonly customerId: CustomerId;
  /** What its call states. */
  readonly assets?: bigint;
  readonly kind?: 'DEPOSIT' | 'WITHDRAW' | 'CLAIM' | 'ORDER' | 'TRANSFER';
  readonly protocol?: string;
}

/** Creates an action in a strategy on Ethereum, with the call of its step. */
export async function createOperation(
  { database }: Pick<TestDatabase, 'database'>,
  { assets, kind = 'DEPOSIT', protocol = 'erc4626', ...plan }: SampleOperation,
): Promise<string> {
  const { id } = await createSampleAction(database, {
    type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
    originAddress: OPERATOR,
    receiverAddress: OPERATOR,
    chainIdIn: 1,
    chainIdOut: 1,
    strategy: OPERATED,
    steps: [{ kind, operator: 'USER', protocol, chainId: 1 }],
    calls: [{ sender: OPERATOR, target: ROUTER, data: someCalldata(), ...(assets === undefined ? {} : { assets }) }],
    ...plan,
  });
  return id;
}

let transactions = 0;

/** Records a transaction of the action in a block. Returns its hash. */
export async function executeOperation(
  { database }: Pick<TestDatabase, 'database'>,
  actionId: string,
  { number = 100n, reverted = false } = {},
): Promise<string> {
  const { id: callId } = await database.actionCall.findFirstOrThrow({ where: { actionId } });
  const txHash = `0x${(transactions += 1).toString(16).padStart(64, '0')}`;
  const block = { number, hash: '0x01', timestamp: 1_700_000_000n };
  await database.$transaction((tx) =>
    recordExecution(tx, { actionId, stepIndex: 0, chainId: 1, txHash, callId, reverted, block }),
  );
  return txHash;
}
