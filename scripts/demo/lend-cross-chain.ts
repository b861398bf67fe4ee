import { z } from 'zod';
import { sleep } from '../../src/async/sleep';
import { InvariantError } from '../../src/errors/invariant-error';
import type { Demo } from './demo';
import { sendAndFollow } from './follow-action';
import { operate } from './strategy-operation';
import { callsSchema } from './wallet';

const [ORIGIN, DESTINATION] = ['devnet', 'devnet-l2'];
const PATIENCE_MS = 120_000;

const operationSchema = z.object({ id: z.string(), bytecode: callsSchema });
const actionSchema = z.object({ status: z.string(), substatus: z.string().nullish() });

/**
 * Deposits 100 USDC of one chain into a strategy on another one, and withdraws everything back to the first. The argument is the id
 * of the strategy, which must be on `devnet-l2`.
 */
export async function demonstrateLendCrossChain(
  demo: Demo,
  [strategyId = 'Aave-USDC-devnet-l2']: readonly string[],
): Promise<void> {
  const { api } = demo;
  const [wallet, there] = [demo.wallet(ORIGIN), demo.wallet(DESTINATION)];
  const usdc = demo.evmToken(ORIGIN, 'USDC');
  console.log(`\nDepositing 100 USDC of ${ORIGIN} into ${strategyId}`);
  const path = `/strategies/${encodeURIComponent(strategyId)}/bytecode`;
  const owner = { action: 'lend', wallet: wallet.address };
  const sold = { amount: '100000000', fromChainId: ORIGIN, fromTokenAddress: usdc };
  const { id, bytecode } = operationSchema.parse(await api.get(path, { ...owner, ...sold }));
  console.log(`  action ${id}: ${String(bytecode.length)} transaction(s) on ${ORIGIN}`);
  await sendAndFollow({ api, id }, async () => {
    await wallet.send(bytecode);
    await untilArrived(demo, id);
    const deposit = operationSchema.parse(await api.get(path, { ...owner, actionId: id }));
    console.log(`  ${String(deposit.bytecode.length)} transaction(s) on ${DESTINATION}`);
    await there.send(deposit.bytecode);
  });
  console.log(`  withdrawing to ${ORIGIN}`);
  const before = await wallet.balanceOf(usdc);
  const back = { action: 'withdraw', amount: 'max', toChainId: ORIGIN, toTokenAddress: usdc };
  await operate(demo, { strategyId, slug: DESTINATION }, back);
  if ((await wallet.balanceOf(usdc)) <= before) throw new InvariantError('the withdrawal brought nothing');
}

/** Resolves when the tokens of the action have arrived in the wallet. */
async function untilArrived({ api }: Demo, id: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const { status, substatus } = actionSchema.parse(await api.get(`/actions/${id}`, {}));
    if (substatus === 'DEPOSIT_REQUIRED') return;
    if (status !== 'INITIAL' && status !== 'PENDING') throw new InvariantError(`the action ended in ${status}`);
    await sleep(500);
  }
  throw new InvariantError('the tokens did not arrive in time');
}
