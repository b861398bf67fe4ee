import { describedEarn, scriptedStrategy } from '../../../test/strategies/described-earn';
import { decodeEarn, encodeEarn, earnWorth } from './earn-snapshots';
import { keepUnavailablePositions } from './keep-unavailable-positions';
import { restorePositions } from './stored-positions';

const [first, second] = [scriptedStrategy(1), scriptedStrategy(2)];
const catalog = [first, second].map(({ row }) => row.id);
const strategiesOf = (all = [first, second]) => ({ strategies: { all: () => all } });

describe('the stored positions of a wallet', () => {
  it('are restored with the strategies of the process that reads them', () => {
    const earn = describedEarn([first, second]);
    const { value: restored, isServable } = decodeEarn(strategiesOf(), encodeEarn(earn));
    expect([restored, isServable]).toEqual([earn, true]);
    expect(restored.positions[1]?.strategy.strategy).toBe(second);
    expect(restored.positions[1]?.strategy.marketData?.strategy).toBe(second);
  });

  it('have the metadata of the strategies of the process that reads them: the text has none, however long it is', () => {
    const text = encodeEarn(describedEarn([first]));
    expect(text).not.toContain('metadata');
    const renamed = { ...first, row: { ...first.row, metadata: { displayName: 'New' } } };
    const [position] = decodeEarn(strategiesOf([renamed]), text).value.positions;
    expect(position?.strategy).toMatchObject({ metadata: { displayName: 'New' }, marketData: { detail: 'FULL' } });
  });

  it('are not served by a process that does not know one of the strategies, which keeps those that it does not know', () => {
    const earn = describedEarn([first, second]);
    const { value, isServable } = decodeEarn(strategiesOf([first]), encodeEarn(earn));
    expect([value.positions, isServable]).toEqual([earn.positions.slice(0, 1), false]);
    const again = decodeEarn(strategiesOf(), encodeEarn(value));
    expect(again.value.unread.map(({ view }) => view.id)).toEqual([second.row.id]);
    expect(again.isServable).toBe(true); // that process has added an error
    expect(restorePositions([first, second], again.value.unread).positions).toEqual(earn.positions.slice(1));
  });
});

describe('the value of positions', () => {
  const { snapshot, ...earn } = describedEarn([first]);
  const error = { code: 'LENDING_SERVICE_UNAVAILABLE', message: 'm', strategyId: undefined } as const;

  it('counts what could not be read, and does not exist when nothing could be', () => {
    expect(earnWorth({ ...earn, snapshot })).toMatchObject({ usd: 2000n, unread: 0 });
    expect(earnWorth({ ...earn, snapshot, errors: [error] })).toMatchObject({ usd: 2000n, unread: 1 });
    expect(earnWorth({ ...earn, snapshot: { ...snapshot, state: 'failed' }, errors: [error] })).toBeUndefined();
  });

  it('is incomplete while they lack an executed action, whose tokens the wallet may have already', () => {
    const withdrawal = {
      id: 'a',
      strategyId: first.row.id,
      kind: 'withdrawal',
      assets: 500n,
      tokenOut: '0x70',
      chainId: 1,
      blockNumber: 2n,
      txHash: '0x0a',
    } as const;
    const unreadWith = (actions: Partial<typeof earn.actions>) =>
      earnWorth({ ...earn, snapshot, actions: { ...earn.actions, ...actions } });
    expect(unreadWith({ executed: [withdrawal] })).toMatchObject({ usd: 2000n, unread: 1 });
    expect(unreadWith({ executed: [{ ...withdrawal, blockNumber: 1n }] })).toMatchObject({ usd: 2000n, unread: 0 });
    expect(unreadWith({ since: new Date(1_700_000_000_001) })).toMatchObject({ usd: 2000n, unread: 1 });
  });
});

describe('the value of an empty position with rewards', () => {
  it('is nothing, also without a price', () => {
    const earn = describedEarn([first, second]);
    const [held, empty] = earn.positions;
    const spot = held!.spotPosition;
    const unpriced = { ...spot, valueUsd: undefined };
    const nothing = { ...unpriced, currentPosition: { ...spot.currentPosition, value: '0' } };
    const worth = (spotPosition: typeof unpriced) =>
      earnWorth({ ...earn, positions: [held!, { ...empty!, spotPosition }] });
    expect(worth(nothing)).toMatchObject({ usd: 2000n, unpriced: 0 });
    expect(worth(unpriced)).toMatchObject({ usd: 2000n, unpriced: 1 });
  });
});

describe('the value of a deposit that was requested', () => {
  it('counts beside that of the position, and needs a price', () => {
    const earn = describedEarn([first]);
    const [held] = earn.positions;
    const requestedUsd = held!.spotPosition.valueUsd;
    const worth = (changes: Partial<NonNullable<typeof held>['spotPosition']>) =>
      earnWorth({ ...earn, positions: [{ ...held!, spotPosition: { ...held!.spotPosition, ...changes } }] });
    const alone = worth({})!.usd;
    expect(worth({ requestedUsd })).toMatchObject({ usd: alone * 2n, unpriced: 0 });
    expect(worth({ requestedUsd: undefined })).toMatchObject({ unpriced: 1 });
  });
});

describe('the positions of a chain that is unavailable', () => {
  const now = new Date(2_000_000_000_000);
  const positionsAt = (ageMs: number) => describedEarn([first], new Date(now.getTime() - ageMs)).positions;
  const others = describedEarn([second], now).positions;
  const keep = (previous: ReturnType<typeof positionsAt>, unavailable: readonly string[]) =>
    keepUnavailablePositions(others, previous, { unavailable: new Set(unavailable), catalog, now });

  it('are the last known ones, with the time of their block, marked as stale, in the order of the catalog', () => {
    const [known] = positionsAt(3_600_000);
    expect(keep(positionsAt(3_600_000), [first.row.id])).toEqual([
      { ...known, spotPosition: { ...known!.spotPosition, stale: true, staleReason: 'CHAIN_UNAVAILABLE' } },
      ...others,
    ]);
  });

  it('are left out once they are older than six hours, and when the chain responds', () => {
    expect(keep(positionsAt(6 * 3_600_000 + 1), [first.row.id])).toEqual(others);
    expect(keep(positionsAt(1), [])).toEqual(others);
  });
});
