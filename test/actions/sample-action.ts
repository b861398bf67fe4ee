import { randomUUID } from 'node:crypto';
import { type Hex, zeroAddress } from 'viem';
import type { CustomerId } from '../../src/auth/principal';
import { startAction } from '../../src/actions/start-action';
import { toBaseUnits } from '../../src/money/base-units';
import type { Database } from '../../src/persistence/database';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import type { Token } from '../../src/tokens/token';
import { actionIdForQuote } from '../../src/transactions/action-id';
import type { ActionPlan, ExpectedCall } from '../../src/transactions/action-plan';
import { usd } from '../setup/usd';

export const ALICE = '0x00000000000000000000000000000000000A11cE';
export const ROUTER = '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45';

export const newCustomer = (): CustomerId => randomUUID() as CustomerId;

export const sampleToken = (symbol: string, token: Partial<Token> = {}): Token => ({
  chainId: 31337,
  address: zeroAddress,
  symbol,
  name: symbol,
  decimals: 6,
  logoURI: undefined,
  ...token,
});

/** A quote without an action. */
export async function sampleQuote(database: Database, customerId: CustomerId): Promise<string> {
  const id = uuidV7();
  await database.quote.create({
    data: {
      id,
      customerId,
      provider: 'uniswap-v3',
      chainIdIn: 31337,
      chainIdOut: 31337,
      tokenIn: 'in',
      tokenOut: 'out',
      amountIn: '1',
      maxAmountIn: '1',
      expectedAmountOut: '1',
      minAmountOut: '1',
      request: {},
      view: {},
      execution: {},
      deadline: new Date(Date.now() + 300_000),
    },
  });
  return id;
}

/** The plan of a swap of 100 USDC for 99 BRLA on one chain. */
export const sampleAction = (
  action: { quoteId: string } & Pick<ActionPlan, 'customerId'> & Partial<ActionPlan>,
): ActionPlan => ({
  id: actionIdForQuote(action.quoteId),
  type: 'SAMECHAIN_SWAP',
  isDraft: false,
  provider: 'uniswap-v3',
  originAddress: ALICE,
  receiverAddress: ALICE,
  chainIdIn: 31337,
  chainIdOut: 31337,
  tokenIn: sampleToken('USDC'),
  tokenOut: sampleToken('BRLA'),
  amountIn: toBaseUnits(100_000_000n),
  amountOut: toBaseUnits(99_000_000n),
  minAmountOut: toBaseUnits(98_000_000n),
  amountInUsd: usd('100'),
  amountOutUsd: usd('99'),
  webhookUrl: undefined,
  expiresAt: new Date(Date.now() + 3_600_000),
  fees: { total: '0.5', currency: 'USD', breakdown: [{ type: 'gas', amount: '0.5', currency: 'USD' }] },
  steps: [{ kind: 'SWAP', operator: 'USER', protocol: 'uniswap-v3', chainId: 31337 }],
  refundAddress: undefined,
  delivery: undefined,
  calls: [],
  ...action,
});

export interface SampleActionOptions extends Partial<Omit<ActionPlan, 'calls'>> {
  /** Plain calls unless they have another form. */
  readonly calls?: readonly (Pick<ExpectedCall, 'sender' | 'target' | 'data'> &
    Partial<Pick<ExpectedCall, 'form' | 'minNonce' | 'stepIndex' | 'assets'>>)[];
  readonly value?: bigint;
}

/** Creates a quote and its action, with the calls that execute it: its first step, unless they name another. */
export async function createSampleAction(
  database: Database,
  { calls = [], value = 0n, ...overrides }: SampleActionOptions = {},
): Promise<{ readonly id: string; readonly customerId: CustomerId; readonly quoteId: string }> {
  const customerId = overrides.customerId ?? newCustomer();
  const quoteId = overrides.quoteId ?? (await sampleQuote(database, customerId));
  const chainId = overrides.chainIdIn ?? 31337;
  const expectedCalls = calls.map((call) => ({ form: 'CALL' as const, stepIndex: 0, ...call, chainId, value }));
  const action = sampleAction({ ...overrides, customerId, quoteId, calls: expectedCalls });
  await database.$transaction((tx) => startAction(tx, action));
  return { id: action.id, customerId, quoteId };
}

/** The events of an action as `FROM>TO substatus`, in order. */
export async function historyOf(database: Database, actionId: string): Promise<string[]> {
  const events = await database.actionEvent.findMany({ where: { actionId }, orderBy: { id: 'asc' } });
  return events.map(({ fromStatus, toStatus, substatus }) =>
    [`${fromStatus ?? ''}>${toStatus}`, substatus ?? []].flat().join(' '),
  );
}

/** Unique calldata. */
export const someCalldata = (): Hex => `0x04e45aaf${randomUUID().replaceAll('-', '')}`;
