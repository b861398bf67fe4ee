import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import type { Demo } from './demo';
import { sendAndFollow } from './follow-action';
import { callsSchema } from './wallet';

const amountSchema = z.object({ value: z.string(), humanized: z.string(), symbol: z.string(), asset: z.string() });
const operationSchema = z.object({
  id: z.string(),
  strategyId: z.string(),
  feeCharged: z.string(),
  quote: z.object({ provider: z.string(), minimumOutputAmount: amountSchema }).nullable(),
  expected: amountSchema,
  bytecode: callsSchema,
});
const actionSchema = z.object({
  status: z.string(),
  strategyId: z.string(),
  /** A claim takes nothing, and a request brings nothing yet. */
  amounts: z.object({ assetIn: amountOfAction().nullable(), assetOut: amountOfAction().nullable() }),
  steps: z.array(z.object({ status: z.string(), legs: z.array(z.object({ kind: z.string() })) })),
});

function amountOfAction() {
  return z.object({ amountHumanized: z.string(), token: z.object({ symbol: z.string() }) });
}

const textOf = (amount: z.infer<ReturnType<typeof amountOfAction>> | null): string =>
  amount === null ? 'nothing' : `${amount.amountHumanized} ${amount.token.symbol}`;

export const SLUG = 'devnet';
/** The strategy of the demos, unless their argument names another one. */
export const DEFAULT_STRATEGY = 'Aave-USDC-devnet';

/** Requests the transactions of an operation on the chain `slug`, sends them, follows the action to SUCCESS and prints what was moved. */
export async function operate(
  demo: Demo,
  { strategyId, slug = SLUG }: { readonly strategyId: string; readonly slug?: string },
  query: Readonly<Record<string, string>>,
): Promise<Pick<z.infer<typeof operationSchema>, 'expected' | 'feeCharged'>> {
  const { api } = demo;
  const wallet = demo.wallet(slug);
  const path = `/strategies/${encodeURIComponent(strategyId)}/bytecode`;
  const operation = operationSchema.parse(await api.get(path, { wallet: wallet.address, ...query }));
  const { id, bytecode, quote, expected, feeCharged } = operation;
  if (quote !== null) {
    const { humanized, symbol } = quote.minimumOutputAmount;
    console.log(`  swap by ${quote.provider}: at least ${humanized} ${symbol}`);
  }
  console.log(`  action ${id}: ${String(bytecode.length)} transaction(s)`);
  console.log(`  expected at the time of the request: ${expected.humanized} ${expected.symbol}`);
  await sendAndFollow({ api, id }, () => wallet.send(bytecode));
  const { amounts, steps } = actionSchema.parse(await api.get(`/actions/${id}`, {}));
  const { assetIn, assetOut } = amounts;
  const kinds = steps.flatMap(({ legs }) => legs.map(({ kind }) => kind)).join(', ');
  console.log(`  executed ${kinds}: ${textOf(assetIn)} → ${textOf(assetOut)}`);
  const pending = z.object({ hasPending: z.boolean() });
  const status = pending.parse(
    await api.get(`/strategies/${encodeURIComponent(strategyId)}/status`, { wallet: wallet.address }),
  );
  if (status.hasPending) throw new InvariantError('the action is still pending');
  return { expected, feeCharged };
}
