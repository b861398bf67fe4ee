import fc from 'fast-check';
import { describedEarn, scriptedStrategy } from '../../../test/strategies/described-earn';
import { applyDeltas, missingActions, type ReadPositions } from './apply-deltas';
import type { ExecutedAction } from './executed-actions';
import { shownEarn } from './earn-snapshots';

const [first, second] = [scriptedStrategy(1), scriptedStrategy(2)];
const earn = describedEarn([first, second]);
const [position, other] = [earn.positions[0]!, earn.positions[1]!];

/** Both positions as they are read at a block. */
function readAt(
  blockNumber: bigint,
  { value = 2000n, recent = [] as readonly string[], unavailable = [] as readonly string[] } = {},
): ReadPositions {
  const amount = { ...position.spotPosition.currentPosition, value: value.toString() };
  const spot = { ...position.spotPosition, blockNumber, recentTransactions: recent, currentPosition: amount };
  return { positions: [{ ...position, spotPosition: spot }, other], blocks: { 1: blockNumber }, unavailable };
}

const action = (given: Partial<ExecutedAction> = {}): ExecutedAction => ({
  id: 'a',
  strategyId: first.row.id,
  kind: 'deposit',
  assets: 500n,
  tokenOut: '0x70',
  chainId: 1,
  blockNumber: 11n,
  txHash: '0x0a',
  ...given,
});
const actionsOf = (...executed: readonly ExecutedAction[]) => ({ pendingCount: 0, executed, since: undefined });
const apply = (read: ReadPositions, ...executed: readonly ExecutedAction[]) =>
  applyDeltas(read, actionsOf(...executed));
const valueOf = ({ positions }: Pick<ReadPositions, 'positions'>) =>
  BigInt(positions[0]!.spotPosition.currentPosition.value);

describe('an executed action', () => {
  it('of a later block than the position is added to its value, its cost and the sums', () => {
    const { positions, isApplied, reason } = apply(readAt(10n), action());
    expect([isApplied, reason]).toEqual([true, 'EXECUTED_ACTIONS']);
    const { spotPosition: spot } = positions[0]!;
    expect(spot).toMatchObject({
      currentPosition: { value: '2500', humanized: '0.0025', valueUSD: '0.0025' },
      underlyingBalance: { value: '2500' },
      underlyingBalanceUSD: '0.0025',
      valueUsd: 2500n,
      principal: { value: '1500' },
      netDeposits: { value: '1500' },
      profit: { value: '1000' },
      cumulativeProfit: { value: '1000' },
      avgPurchasePrice: undefined,
      currentPositionInShares: { value: '1000' },
      availableToWithdraw: [{ value: '2000' }],
      blockNumber: 10n,
    });
    expect(positions[1]).toBe(other);
  });

  it('that withdraws leaves cost and profit uncertain, and what was gained in all as it is', () => {
    const { positions } = apply(readAt(10n), action({ kind: 'withdrawal' }));
    expect(positions[0]!.spotPosition).toMatchObject({
      currentPosition: { value: '1500' },
      availableToWithdraw: [{ value: '1500' }],
      netDeposits: { value: '500' },
      cumulativeProfit: { value: '1000' },
      avgPurchasePrice: { value: position.spotPosition.avgPurchasePrice!.value },
      principal: undefined,
      profit: undefined,
      profitInUSD: undefined,
      profitUsd: undefined,
    });
  });

  it('that claims a reward takes it from what can be claimed, and changes nothing else', () => {
    const [reward] = position.spotPosition.availableToClaim;
    const claim = action({ kind: 'claim', assets: undefined, tokenOut: reward!.asset });
    const { positions, isApplied, reason } = apply(readAt(10n), claim);
    expect([isApplied, reason]).toEqual([true, 'EXECUTED_ACTIONS']);
    const [before] = readAt(10n).positions;
    expect(positions[0]!.spotPosition).toEqual({ ...before!.spotPosition, availableToClaim: [] });
    const other = apply(readAt(10n), { ...claim, tokenOut: '0x71' });
    expect(other.positions[0]!.spotPosition.availableToClaim).toEqual([reward]);
    expect(apply(readAt(11n), claim).positions[0]!.spotPosition.availableToClaim).toEqual([reward]);
  });

  it.each([
    ['of the block of the position', { blockNumber: 10n }],
    ['of an earlier block', { blockNumber: 9n }],
    ['whose transaction was in the history before a reorganisation moved it to a later block', { txHash: '0xAB' }],
  ])('%s is not added again', (_, given) => {
    const read = readAt(10n, { recent: ['0xab'] });
    expect(apply(read, action(given))).toEqual({ positions: read.positions, isApplied: false, reason: undefined });
  });

  it.each([
    ['an unknown amount', { assets: undefined }],
    ['a request, which moves no part of the position at once', { kind: 'request', assets: 5n }],
    ['an order, whose fill states no amount', { kind: 'order', assets: undefined }],
    ['more than the position was worth at its block', { kind: 'withdrawal', assets: 2001n }],
    ['a strategy without a position, whose chain was not read', { strategyId: 'Other', chainId: 5 }],
    ['a strategy without a position at an earlier block', { strategyId: 'Other' }],
  ] as const)('with %s changes nothing, and the section says that it lacks something', (_, given) => {
    const read = readAt(10n);
    expect(apply(read, action(given))).toEqual({
      positions: read.positions,
      isApplied: false,
      reason: 'UNKNOWN_AMOUNTS',
    });
  });

  it('that has left no position at the block of its chain is contained', () => {
    expect(apply(readAt(10n), action({ strategyId: 'Other', blockNumber: 10n })).reason).toBeUndefined();
  });

  it('in a strategy that could not be read is lacking, though its chain was read', () => {
    const read = readAt(10n, { unavailable: ['Other'] });
    const deposit = action({ strategyId: 'Other', blockNumber: 9n });
    expect(apply(read, deposit)).toEqual({ positions: read.positions, isApplied: false, reason: 'UNKNOWN_AMOUNTS' });
    expect(missingActions(read, actionsOf(deposit)).executed).toEqual([deposit]);
  });

  it('with an unknown amount keeps later ones from its position, not from others', () => {
    const elsewhere = action({ strategyId: second.row.id, id: 'c' });
    const { positions, isApplied, reason } = apply(
      readAt(10n),
      action({ kind: 'withdrawal', assets: undefined }),
      action({ id: 'b', blockNumber: 12n }),
      elsewhere,
    );
    expect(positions.map(({ spotPosition: spot }) => spot.currentPosition.value)).toEqual(['2000', '2500']);
    expect([isApplied, reason]).toEqual([true, 'UNKNOWN_AMOUNTS']);
  });

  it('is not added when others since the block of the position may not have been read', () => {
    const { asOf } = position.spotPosition;
    const since = (ms: number, ...executed: readonly ExecutedAction[]) =>
      applyDeltas(readAt(10n), { ...actionsOf(...executed), since: new Date(asOf.getTime() + ms) });
    expect(since(0)).toMatchObject({ isApplied: false, reason: undefined });
    expect(since(1)).toMatchObject({ isApplied: false, reason: 'UNKNOWN_AMOUNTS' });
    expect(since(0, action())).toMatchObject({ isApplied: true, reason: 'EXECUTED_ACTIONS' });
    expect(since(1, action())).toMatchObject({ isApplied: false, reason: 'UNKNOWN_AMOUNTS' });
  });
});

describe('the section of a wallet', () => {
  it('shows the sums of the changed positions, and the count of the newest actions', () => {
    const read = { ...earn, ...readAt(10n) };
    const shown = shownEarn(read, { ...actionsOf(action()), pendingCount: 3 });
    expect(shown.summary).toEqual({ totalProfitInUSD: '0.002', totalUnderlyingBalanceUSD: '0.0045' });
    expect(shown.snapshot).toMatchObject({
      deltaApplied: true,
      deltaReason: 'EXECUTED_ACTIONS',
      pendingActionCount: 3,
    });
  });

  it('without executed actions is as it was read', () => {
    const shown = shownEarn(earn);
    expect(shown.positions).toBe(earn.positions);
    expect(shown.snapshot).toMatchObject({ deltaApplied: false, deltaReason: undefined, pendingActionCount: 0 });
  });
});

describe('the value of a position', () => {
  it('contains each executed action once, in whichever order it is seen, confirmed and read', () => {
    const executions = fc.array(
      fc.record({
        assets: fc.bigInt({ min: 1n, max: 10n ** 30n }),
        isDeposit: fc.boolean(),
        block: fc.integer({ min: 1, max: 20 }),
      }),
      { maxLength: 12 },
    );
    const orders = fc.record({
      executions,
      /** Block of the position. */
      readBlock: fc.integer({ min: 0, max: 21 }),
      /** Actions that were executed up to this block are seen when the section is computed. */
      seenAtReading: fc.integer({ min: 0, max: 21 }),
      /** The same when it is served. */
      seenAtServing: fc.integer({ min: 0, max: 21 }),
    });
    fc.assert(
      fc.property(orders, ({ executions: drawn, readBlock, seenAtReading, seenAtServing }) => {
        const start = 10n ** 32n;
        const all = drawn.map(({ assets, isDeposit, block }, index) =>
          action({
            id: String(index),
            assets,
            kind: isDeposit ? 'deposit' : 'withdrawal',
            blockNumber: BigInt(block),
            txHash: `0x${index.toString(16)}`,
          }),
        );
        const signed = ({ kind, assets = 0n }: ExecutedAction): bigint => (kind === 'deposit' ? assets : -assets);
        const sumOf = (upTo: number): bigint =>
          all.filter(({ blockNumber }) => blockNumber <= BigInt(upTo)).reduce((sum, each) => sum + signed(each), start);
        const seen = (upTo: number) => actionsOf(...all.filter(({ blockNumber }) => blockNumber <= BigInt(upTo)));
        const read = readAt(BigInt(readBlock), { value: sumOf(readBlock) });
        // Served as it was computed, and old with the actions of now.
        const computed = applyDeltas(read, missingActions(read, seen(seenAtReading)));
        expect(valueOf(computed)).toBe(sumOf(Math.max(readBlock, seenAtReading)));
        const old = applyDeltas(read, seen(seenAtServing));
        expect(valueOf(old)).toBe(sumOf(Math.max(readBlock, seenAtServing)));
        // The sections of the next reading are computed from positions without deltas.
        expect(valueOf(read)).toBe(sumOf(readBlock));
        expect(old.isApplied).toBe(all.some(({ blockNumber: at }) => at > readBlock && at <= seenAtServing));
      }),
    );
  });
});
