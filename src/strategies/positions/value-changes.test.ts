import { createPublicClient, custom, RpcRequestError } from 'viem';
import { sampleStrategy, WALLET } from '../../../test/strategies/sample-strategy';
import type { StrategyHolding, MarketState, PositionChange, Protocol, ProtocolRead } from '../protocols/protocol';
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
const holding = (shares: bigint): StrategyHolding => ({
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

  it('takes from earlier changes what their rounding has too much, so that dust leaves none of them unknown', async () => {
    // Three times 12 units are 10 shares each by their amounts; the rounded principal of the chain grew by 9 twice.
    const dust = [change('transferIn', { assets: 12n }), change('transferIn', { assets: 12n })];
    const changes = [...dust, change('transferIn', { assets: 1n })];
    expect(await value(changes, { sharesBefore: 100n, sharesAfter: 118n })).toEqual([
      [9n, 12n],
      [9n, 12n],
      [0n, 1n],
    ]);
    expect(await value(changes, { sharesBefore: 100n, sharesAfter: 117n })).toEqual([
      [undefined, 12n],
      [undefined, 12n],
      [undefined, 1n],
    ]);
  });

  it('leaves changes unknown when the node lacks the state, and fails for any other error, which may pass', async () => {
    const failing = (code: number, message: string) => {
      const fail = () =>
        Promise.reject(new RpcRequestError({ body: {}, url: 'http://localhost', error: { code, message } }));
      const node = createPublicClient({ transport: custom({ request: fail }, { retryCount: 0 }) });
      const sent = change('transferOut', { shares: 7n });
      return valueChanges(node, {
        strategy,
        wallet: WALLET,
        changes: [sent],
        block: { number: 7n, timestamp: 9n },
        sharesBefore: 10n,
        signal: AbortSignal.timeout(1000),
        protocol: PROTOCOLS['compound-v3'],
      });
    };
    for (const message of [
      'missing trie node 12ab (path ) state 0x12 is not available',
      'state at block #7 is pruned',
      'required historical state unavailable (reexec=128)',
      'distance to target block exceeds maximum proof window',
      'BlockOutOfRangeError: block height is 351 but requested was 77',
    ]) {
      expect(await failing(-32_000, message)).toMatchObject([{ shares: 7n, assets: undefined }]);
    }
    const ahead = 'BlockOutOfRangeError: block height is 7 but requested was 8';
    await expect(failing(-32_602, ahead)).rejects.toThrow('requested was 8');
    await expect(failing(-32_603, 'internal error')).rejects.toThrow('internal error');
    await expect(failing(-32_005, 'rate limit: archive requests')).rejects.toThrow();
  });

  it('values a transfer at the share price of its block, rounded down', async () => {
    const sent = change('transferOut', { shares: 7n });
    expect(await value([sent], { sharesBefore: 10n, sharesAfter: 3n })).toEqual([[7n, 7n]]);
  });
});
