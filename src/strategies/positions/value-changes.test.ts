import { createPublicClient, custom } from 'viem';
import { sampleStrategy, WALLET } from '../../../test/strategies/sample-strategy';
import type { Holding, MarketState, PositionChange, Protocol, ProtocolRead } from '../protocols/protocol';
import { PROTOCOLS } from '../protocols/protocols';
import { valueChanges } from './value-changes';

const RAY = 10n ** 27n;
const PRICE = (RAY * 11n) / 10n;
const strategy = sampleStrategy('compound-v3');
const request = () => Promise.reject(new TypeError('no request is expected'));
const client = createPublicClient({ transport: custom({ request }) });

const known = <Result>(value: Result): ProtocolRead<Result> => ({ reads: [], decode: () => value });
const market: MarketState = {
  sharePriceRay: PRICE,
  yearlyRateRay: undefined,
  tvl: 0n,
  liquidity: undefined,
  depositLimit: undefined,
  acceptsDeposits: true,
  allowsWithdrawals: true,
};
const holding = (shares: bigint): Holding => ({
  shares,
  value: 0n,
  receiptBalance: 0n,
  availableToWithdraw: 0n,
  isAvailableTrusted: true,
  debt: 0n,
});
const protocol = (sharesAfter: bigint): Protocol => ({
  ...PROTOCOLS['compound-v3'],
  market: () => known(market),
  holding: () => known(holding(sharesAfter)),
});

const change = (kind: PositionChange['kind'], values: Partial<PositionChange>): PositionChange => ({
  kind,
  shares: undefined,
  assets: undefined,
  sharePriceRay: undefined,
  txHash: '0x1',
  blockNumber: 7n,
  blockHash: '0x2',
  logIndex: 0,
  ...values,
});

const value = async (
  changes: readonly PositionChange[],
  { sharesBefore, sharesAfter }: { readonly sharesBefore: bigint | undefined; readonly sharesAfter: bigint },
) => {
  const block = { number: 7n, timestamp: 9n };
  const context = { strategy, wallet: WALLET, block, sharesBefore, signal: AbortSignal.timeout(1000) };
  const valued = await valueChanges(client, { ...context, protocol: protocol(sharesAfter), changes });
  return valued.map(({ shares, assets }) => [shares, assets]);
};

describe('the completion of changes', () => {
  it('takes the shares of a single change from the chain, so that their sum is exact', async () => {
    const deposit = change('deposit', { assets: 1100n });
    expect(await value([deposit], { sharesBefore: 10n, sharesAfter: 1009n })).toEqual([[999n, 1100n]]);
  });

  it('lets several changes of a block lead to the shares on the chain', async () => {
    const changes = [change('deposit', { assets: 1100n }), change('withdrawal', { assets: 110n })];
    expect(await value(changes, { sharesBefore: 0n, sharesAfter: 899n })).toEqual([
      [1000n, 1100n],
      [101n, 110n],
    ]);
  });

  it('leaves changes unknown when the shares before them are, or when the chain contradicts their direction', async () => {
    const deposit = change('deposit', { assets: 1100n });
    expect(await value([deposit], { sharesBefore: undefined, sharesAfter: 1000n })).toEqual([[undefined, 1100n]]);
    expect(await value([deposit], { sharesBefore: 2000n, sharesAfter: 1000n })).toEqual([[undefined, 1100n]]);
  });

  it('values a transfer at the share price of its block, rounded down', async () => {
    const sent = change('transferOut', { shares: 7n });
    expect(await value([sent], { sharesBefore: 10n, sharesAfter: 3n })).toEqual([[7n, 7n]]);
  });
});
