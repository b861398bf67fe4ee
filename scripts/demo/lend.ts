import { InvariantError } from '../../src/errors/invariant-error';
import type { Demo } from './demo';
import { DEFAULT_STRATEGY, operate, SLUG } from './strategy-operation';

/** Deposits 100 USDC into a strategy. The argument is its id. */
export async function demonstrateLend(demo: Demo, [strategyId = DEFAULT_STRATEGY]: readonly string[]): Promise<void> {
  console.log(`\nDepositing 100 USDC into ${strategyId}`);
  const [usdc, wallet] = [demo.evmToken(SLUG, 'USDC'), demo.wallet(SLUG)];
  const before = await wallet.balanceOf(usdc);
  await operate(demo, { strategyId }, { action: 'lend', amount: '100000000' });
  if (before - (await wallet.balanceOf(usdc)) !== 100_000_000n) throw new InvariantError('another amount was taken');
}

/** Withdraws 25 USDC, then everything. The argument is the id of the strategy. */
export async function demonstrateWithdraw(
  demo: Demo,
  [strategyId = DEFAULT_STRATEGY]: readonly string[],
): Promise<void> {
  console.log(`\nDepositing 100 USDC into ${strategyId}, then withdrawing 25 USDC, then the rest`);
  const [usdc, wallet] = [demo.evmToken(SLUG, 'USDC'), demo.wallet(SLUG)];
  await operate(demo, { strategyId }, { action: 'lend', amount: '100000000' });
  const before = await wallet.balanceOf(usdc);
  await operate(demo, { strategyId }, { action: 'withdraw', amount: '25000000' });
  if ((await wallet.balanceOf(usdc)) - before !== 25_000_000n) throw new InvariantError('another amount was paid');
  const { expected } = await operate(demo, { strategyId }, { action: 'withdraw', amount: 'max' });
  const paid = (await wallet.balanceOf(usdc)) - before - 25_000_000n;
  if (paid < BigInt(expected.value)) throw new InvariantError(`only ${paid.toString()} of ${expected.value} were paid`);
}

/** Swaps WETH into USDC, deposits it, and withdraws everything as WETH. The argument is the id of the strategy. */
export async function demonstrateLendAnyToken(
  demo: Demo,
  [strategyId = DEFAULT_STRATEGY]: readonly string[],
): Promise<void> {
  console.log(`\nDepositing 0.1 WETH into ${strategyId}, and withdrawing it as WETH`);
  const weth = demo.evmToken(SLUG, 'WETH');
  const amount = '100000000000000000';
  await operate(demo, { strategyId }, { action: 'lend', amount, fromChainId: SLUG, fromTokenAddress: weth });
  await operate(demo, { strategyId }, { action: 'withdraw', amount: 'max', toTokenAddress: weth });
}
