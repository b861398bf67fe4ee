import { parseUnits } from 'viem';
import { createJsonRpc } from '../../devnet/json-rpc';
import { readPosition } from '../../src/strategies/positions/read-positions';
import { haltBlocks } from '../setup/universe-of-tests';
import { strategyChain, type StrategyChain } from './local-strategies';
import { openOperationDesk, type OperationDesk } from './operation-desk';

const DAY = 86_400;
/** Seconds from a quote to its transaction. */
const DELAY = 240;
const YEAR = 31_536_000n;

/** Each deposit, and the most interest that its market pays in a year, in basis points. */
const DEPOSITS = [
  ['Aave-USDC-devnet', 'USDC', parseUnits('1000', 6), 410n],
  ['Aave-WETH-devnet', 'WETH', parseUnits('10', 18), 270n],
  ['Compound-USDC-devnet', 'USDC', parseUnits('1000', 6), 385n],
  ['Steady-USDC-devnet', 'USDC', parseUnits('1000', 6), 500n],
  ['Gated-USDC-devnet', 'USDC', parseUnits('1000', 6), 600n],
  ['ExitFee-USDC-devnet', 'USDC', parseUnits('1000', 6), 800n],
] as const;

let desk: OperationDesk;
let local: StrategyChain;
let resumeBlocks: () => Promise<void>;
beforeAll(async () => {
  desk = await openOperationDesk();
  local = strategyChain(desk.universe, desk.devnet);
  for (const [strategyId, , amount] of DEPOSITS) {
    const { bytecode } = await desk.operate(strategyId, {
      action: 'lend',
      amount: amount.toString(),
    });
    expect(await desk.send(bytecode)).not.toContain('reverted');
  }
  // Between a quote and its transaction only the delay passes.
  resumeBlocks = await haltBlocks(desk.devnet);
  await local.wait(30 * DAY);
}, 60_000);
afterAll(async () => {
  await resumeBlocks();
  await desk.close();
});

const secondsNow = async (): Promise<bigint> => (await local.client.getBlock({ blockTag: 'latest' })).timestamp;

/** Withdraws some minutes after the quote. */
async function withdrawLate(strategyId: string, symbol: string, fields: Readonly<Record<string, string>>) {
  const quotedAt = await secondsNow();
  const operation = await desk.operate(strategyId, {
    action: 'withdraw',
    ...fields,
  });
  await createJsonRpc(desk.devnet.rpcUrl).call('evm_increaseTime', [DELAY]);
  const before = await desk.balanceOf(desk.token(symbol));
  expect(await desk.send(operation.bytecode)).toEqual(['success']);
  const withdrawn = (await desk.balanceOf(desk.token(symbol))) - before;
  return {
    quoted: BigInt(operation.expected.value),
    withdrawn,
    seconds: (await secondsNow()) - quotedAt,
  };
}

describe('after thirty days', () => {
  it.each(DEPOSITS)('withdrawals from %s pay their quote, and the interest since then', async (...deposit) => {
    const [strategyId, symbol, amount, yearlyBps] = deposit;
    /** A quote with the interest since then, and one unit. */
    const withInterest = (quoted: bigint, seconds: bigint): bigint =>
      quoted + (quoted * yearlyBps * seconds) / (10_000n * YEAR) + 1n;
    const { strategies, deps, customerId, wallet } = desk;
    const strategy = strategies.get(strategyId);
    const read = {
      owner: { customerId, wallet },
      strategy,
      signal: AbortSignal.timeout(20_000),
    };
    const shownAt = await secondsNow();
    const { holding } = await readPosition(deps.positions, read);

    const part = await withdrawLate(strategyId, symbol, {
      amountInShares: (holding.shares / 3n).toString(),
    });
    expect(part.withdrawn).toBeGreaterThanOrEqual(part.quoted);
    expect(part.withdrawn).toBeLessThanOrEqual(withInterest(part.quoted, part.seconds));

    const fixed = await withdrawLate(strategyId, symbol, {
      amount: (amount / 4n).toString(),
    });
    expect([fixed.quoted, fixed.withdrawn]).toEqual([amount / 4n, amount / 4n]);

    const rest = await withdrawLate(strategyId, symbol, { amount: 'max' });
    expect(rest.withdrawn).toBeGreaterThan(rest.quoted);
    expect(rest.withdrawn).toBeLessThanOrEqual(withInterest(rest.quoted, rest.seconds));
    expect(await desk.balanceOf(strategy.receipt.address)).toBe(0n);

    // Each of the three withdrawals is rounded by itself.
    const total = part.withdrawn + fixed.withdrawn + rest.withdrawn;
    expect(total).toBeGreaterThan(amount);
    expect(total + 3n).toBeGreaterThanOrEqual(holding.value);
    expect(total).toBeLessThanOrEqual(withInterest(holding.value, (await secondsNow()) - shownAt) + 3n);
  });
});
