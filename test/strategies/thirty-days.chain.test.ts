import { type Hex, parseUnits } from 'viem';
import { createJsonRpc } from '../../devnet/json-rpc';
import { getAction } from '../../src/actions/get-action';
import { readPosition, readPositions } from '../../src/strategies/positions/read-positions';
import { trackUntil } from '../actions/local-tracker';
import { haltBlocks } from '../setup/universe-of-tests';
import { strategyChain, type StrategyChain } from './local-strategies';
import { openOperationDesk, type OperationDesk, problemOf } from './operation-desk';

const DAY = 86_400;
/** Seconds from a quote to its transaction. */
const DELAY = 240;
const YEAR = 31_536_000n;
const AAVE = 'Aave-USDC-devnet';
const COMET = 'Compound-USDC-devnet';

/** Each deposit, and the most interest that its market pays in a year, in basis points. */
const DEPOSITS = [
  [AAVE, 'USDC', parseUnits('1000', 6), 410n],
  ['Aave-WETH-devnet', 'WETH', parseUnits('10', 18), 270n],
  [COMET, 'USDC', parseUnits('1000', 6), 385n],
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
    const { bytecode } = await desk.operate(strategyId, { action: 'lend', amount: amount.toString() });
    expect(await desk.send(bytecode)).not.toContain('reverted');
  }
  // Between a quote and its transaction only the delay passes.
  resumeBlocks = await haltBlocks(desk.devnet);
  await local.wait(30 * DAY);
});
afterAll(async () => {
  await resumeBlocks();
  await desk.close();
});

const secondsNow = async (): Promise<bigint> => (await local.client.getBlock({ blockTag: 'latest' })).timestamp;

/** Withdraws some minutes after the quote. */
async function withdrawLate(strategyId: string, symbol: string, fields: Readonly<Record<string, string>>) {
  const quotedAt = await secondsNow();
  const operation = await desk.operate(strategyId, { action: 'withdraw', ...fields });
  await createJsonRpc(desk.devnet.rpcUrl).call('evm_increaseTime', [DELAY]);
  const before = await desk.balanceOf(desk.token(symbol));
  expect(await desk.send(operation.bytecode)).toEqual(['success']);
  const withdrawn = (await desk.balanceOf(desk.token(symbol))) - before;
  return { quoted: BigInt(operation.expected.value), withdrawn, seconds: (await secondsNow()) - quotedAt };
}

describe('after thirty days', () => {
  it.each(DEPOSITS)('withdrawals from %s pay their quote, and the interest since then', async (...deposit) => {
    const [strategyId, symbol, amount, yearlyBps] = deposit;
    /** A quote with the interest since then, and one unit. */
    const withInterest = (quoted: bigint, seconds: bigint): bigint =>
      quoted + (quoted * yearlyBps * seconds) / (10_000n * YEAR) + 1n;
    const { strategies, deps, customerId, wallet } = desk;
    const strategy = strategies.get(strategyId);
    const read = { owner: { customerId, wallet }, strategy, signal: AbortSignal.timeout(90_000) };
    const shownAt = await secondsNow();
    const { holding } = await readPosition(deps.positions, read);

    const part = await withdrawLate(strategyId, symbol, { amountInShares: (holding.shares / 3n).toString() });
    expect(part.withdrawn).toBeGreaterThanOrEqual(part.quoted);
    expect(part.withdrawn).toBeLessThanOrEqual(withInterest(part.quoted, part.seconds));

    const fixed = await withdrawLate(strategyId, symbol, { amount: (amount / 4n).toString() });
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

/** The reward of each market for a day, and the number of parts of the market: the deposit is one of them. */
const REWARDS = [
  [AAVE, 'lAAVE', 100n, 10_001n],
  [COMET, 'lCOMP', 70n, 5001n],
] as const;

describe('after everything was withdrawn', () => {
  beforeAll(() => resumeBlocks());

  const heldIn = async (strategyId: string) => {
    const { deps, customerId, wallet, strategies } = desk;
    const signal = AbortSignal.timeout(90_000);
    const owner = { customerId, wallet };
    const request = { owner, strategies: [strategies.get(strategyId)], includeEmpty: false, signal };
    return (await readPositions(deps.positions, request)).positions;
  };
  const claim = (strategyId: string, fields: Readonly<Record<string, string>> = {}) =>
    desk.operate(strategyId, { action: 'claim', ...fields });

  it.each(REWARDS)('the rewards of %s are shown, and claimed to the unit', async (...reward) => {
    const [strategyId, symbol, daily, parts] = reward;
    const [position] = await heldIn(strategyId);
    const { value, rewards } = position!.holding;
    expect([value, rewards?.map(({ token }) => token.symbol)]).toEqual([0n, [symbol]]);
    const { token, amount } = rewards![0]!;
    const expected = (daily * 30n * 10n ** 18n) / parts;
    expect(amount * 100n).toBeGreaterThan(expected * 99n);
    expect(amount * 100n).toBeLessThan(expected * 101n);

    const asOperation = await claim(strategyId, { output: 'userOperation', toTokenAddress: token.address });
    expect(asOperation.userOperation).toMatchObject({ sender: desk.wallet, calls: 1 });
    const { operation, action } = await desk.execute(strategyId, { action: 'claim' });
    expect(operation).toMatchObject({
      type: 'REWARD_CLAIM',
      feeCharged: '0',
      quote: null,
      expected: { asset: token.address, symbol, value: amount.toString() },
      simulation: { status: 'SUCCESS' },
    });
    expect(operation.bytecode).toHaveLength(1);
    expect(await desk.balanceOf(token.address)).toBe(amount);
    expect([action.amountIn, action.amountOut, action.steps.map(({ kind }) => kind)]).toEqual([0n, amount, ['CLAIM']]);
    const { world, deps, customerId } = desk;
    const reference = { customerId, actionId: operation.id };
    const { amounts } = await getAction({ database: world.database, chains: deps.chains }, reference);
    expect(amounts).toMatchObject({
      assetIn: null,
      assetOut: { token: { symbol }, amountRaw: amount.toString() },
      breakdown: [{ type: 'CLAIM', description: `Claim ${symbol} on ${desk.chain.name}.` }],
    });

    expect(await heldIn(strategyId)).toEqual([]);
    expect((await problemOf(claim(strategyId))).slice(0, 2)).toEqual(['LENDING_BAD_REQUEST', 'NO_REWARDS']);
  });

  it('a claim that another account has made for the wallet meanwhile fails, with what it has brought', async () => {
    const { bytecode } = await desk.operate(COMET, { action: 'lend', amount: '1000000000' });
    await desk.send(bytecode);
    await local.wait(DAY);
    const late = await claim(COMET);
    const { to, data } = late.bytecode[0]!;
    await local.send(desk.universe.accounts[6]!.privateKey, { to: to as Hex, data });
    expect(await desk.send(late.bytecode)).toEqual(['success']);
    await trackUntil(desk.tracker, { actionId: late.id, chainId: desk.devnet.chainId, status: 'FAILED' });
    expect((await desk.readAction(late.id)).failureReason).toContain('lCOMP arrived, less than the minimum');
  });
});
