import {
  ARRIVED,
  other,
  OTHER_TX_HASH,
  parametersOf,
  swapRequest,
  transfer,
  sold,
  TX_HASH,
} from '../../../../test/contract/lifi-samples';
import { json, type ScriptedUpstream, startScriptedUpstream } from '../../../../test/contract/scripted-upstream';
import { rejection } from '../../../../test/swaps/swap-world';
import { createHttpClient, type HttpClient } from '../../../http/http-client';
import type { BridgeTransfer } from '../../delivery-source';
import { createLifiProvider } from './lifi';

let upstream: ScriptedUpstream;
let http: HttpClient;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
  http = createHttpClient({ baseUrl: upstream.url });
});
afterAll(async () => {
  await http.close();
  upstream.close();
});

const HOUR = 3_600_000;
let clock = 1_000 * HOUR;
const follow = (given: BridgeTransfer = transfer()) =>
  createLifiProvider({ http, rpc: { serves: () => true }, now: () => clock }).deliveries.follow(
    given,
    AbortSignal.timeout(5000),
  );

const receiving = (changes: object) => ({ receiving: { ...ARRIVED.receiving, ...changes } });
const backHome = receiving({ chainId: 1, token: sold, amount: '99750000' });

describe('a transfer of LI.FI', () => {
  it('is swapRequest for by its transaction, chains and bridge', async () => {
    upstream.play(json(ARRIVED));
    await follow();
    expect(upstream.requests).toMatchObject([
      { path: '/v1/status', query: { txHash: TX_HASH, bridge: 'stargateV2', fromChain: '1', toChain: '8453' } },
    ]);
    await follow(transfer({ quote: { ...transfer().quote, execution: null } }));
    expect(Object.keys(upstream.requests[1]!.query)).not.toContain('bridge');
  });

  it('is not swapRequest for before it has a transaction', async () => {
    upstream.play(json(ARRIVED));
    expect(await follow(transfer({ originTxHash: undefined }))).toMatchObject({ status: 'inFlight' });
    expect(upstream.requests).toHaveLength(0);
  });

  it.each([
    ['PENDING', 'WAIT_SOURCE_CONFIRMATIONS', { status: 'inFlight', waitingFor: 'CONFIRMATIONS' }],
    ['PENDING', 'WAIT_DESTINATION_TRANSACTION', { status: 'inFlight', waitingFor: 'DESTINATION' }],
    ['PENDING', 'BRIDGE_NOT_AVAILABLE', { status: 'inFlight', waitingFor: 'DESTINATION' }],
    ['PENDING', 'CHAIN_NOT_AVAILABLE', { status: 'inFlight', waitingFor: 'DESTINATION' }],
    ['PENDING', 'UNKNOWN_ERROR', { status: 'inFlight', waitingFor: 'DESTINATION' }],
    ['PENDING', 'INTENT_CREATED', { status: 'inFlight', waitingFor: 'DESTINATION' }],
    ['PENDING', undefined, { status: 'inFlight', waitingFor: 'DESTINATION' }],
    ['PENDING', 'REFUND_IN_PROGRESS', { status: 'refunding', reason: expect.stringContaining('refund') }],
    ['FAILED', 'INSUFFICIENT_ALLOWANCE', { status: 'failed', reason: expect.stringContaining('allowance') }],
    ['FAILED', 'INSUFFICIENT_BALANCE', { status: 'failed', reason: expect.stringContaining('balance') }],
    ['FAILED', 'OUT_OF_GAS', { status: 'failed', reason: expect.stringContaining('gas') }],
    ['FAILED', 'EXPIRED', { status: 'failed', reason: expect.stringContaining('expired') }],
    ['FAILED', 'SLIPPAGE_EXCEEDED', { status: 'failed', reason: expect.stringContaining('slippage') }],
    ['FAILED', 'UNKNOWN_FAILED_ERROR', { status: 'failed', reason: expect.stringContaining('unknown reason') }],
    ['FAILED', '<script>', { status: 'failed', reason: expect.stringContaining('unknown reason') }],
    ['FAILED', undefined, { status: 'failed', reason: expect.stringContaining('unknown reason') }],
  ])('is, when LI.FI says %s and %s, where that means', async (status, substatus, state) => {
    upstream.play(json({ ...ARRIVED, receiving: { chainId: 8453 }, status, substatus }));
    expect(await follow()).toEqual(state);
  });

  const delivered = { status: 'delivered', txHash: OTHER_TX_HASH, amount: 99_650_000n, partial: false };
  it.each<[string, object, object]>([
    ['as it was bought', {}, delivered],
    ['with what LI.FI calls partial', { substatus: 'PARTIAL' }, { ...delivered, partial: true }],
    ['in another token', receiving({ token: other }), { ...delivered, amount: undefined, partial: true }],
    [
      'in another token and partial',
      { ...receiving({ token: other }), substatus: 'PARTIAL' },
      { ...delivered, amount: undefined, partial: true },
    ],
    ['below the minimum', receiving({ amount: '99201499' }), { ...delivered, amount: 99_201_499n, partial: true }],
    ['at the minimum', receiving({ amount: '99201500' }), { ...delivered, amount: 99_201_500n }],
    ['with an unreported amount', receiving({ amount: null, token: null }), { ...delivered, amount: undefined }],
  ])('is delivered %s', async (_, changes, state) => {
    upstream.play(json({ ...ARRIVED, ...changes }));
    expect(await follow()).toEqual(state);
  });

  const refunded = { status: 'refunded', chainId: 1, txHash: OTHER_TX_HASH, amount: 99_750_000n };
  it.each<[string, object, object]>([
    ['is paid back', { ...backHome, substatus: 'REFUNDED' }, refunded],
    ['failed and is paid back', { ...backHome, status: 'FAILED', substatus: 'REFUNDED' }, refunded],
    ['is called complete on the chain where it came from', backHome, refunded],
    [
      'is paid back in another token',
      { ...receiving({ chainId: 1, token: other }), substatus: 'REFUNDED' },
      { ...refunded, amount: undefined },
    ],
    [
      'is paid back on the destination',
      { ...receiving({ chainId: 8453, token: other }), substatus: 'REFUNDED' },
      { ...refunded, chainId: 8453, amount: undefined },
    ],
  ])('that %s is no delivery', async (_, changes, state) => {
    upstream.play(json({ ...ARRIVED, ...changes }));
    expect(await follow()).toEqual({ ...state, reason: expect.any(String) });
  });

  it('is refunding while the refund transaction is not reported', async () => {
    upstream.play(json({ ...ARRIVED, substatus: 'REFUNDED', receiving: { chainId: 1 } }));
    expect(await follow()).toMatchObject({ status: 'refunding' });
  });

  it.each([
    ['a delivery by no transaction', { receiving: { chainId: 8453 } }],
    ['a delivery by something that is no transaction', receiving({ txHash: '0x1234' })],
    ['a delivery to a third chain', receiving({ chainId: 10 })],
    ['a refund on a third chain', { ...receiving({ chainId: 10 }), substatus: 'REFUNDED' }],
    ['an end of another kind', { substatus: 'ALMOST' }],
    ['an end of no kind', { substatus: null }],
    ['an unknown status', { status: 'LOST' }],
    ['no status', { status: undefined }],
    ['an amount that is none', receiving({ amount: 'NaN' })],
    ['a negative amount', receiving({ amount: '-1' })],
  ])('is polled again later when the response is %s', async (_, changes) => {
    upstream.play(json({ ...ARRIVED, ...changes }));
    expect(await rejection(follow())).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  });

  it.each([400, 401, 429, 500, 503])('is polled again later when LI.FI responds with %s', async (status) => {
    upstream.play(json({ message: 'no', code: 1000 }, status));
    expect(await rejection(follow())).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  });

  it.each([
    ['does not find it', json({ status: 'NOT_FOUND', receiving: {} })],
    ['calls it invalid', json({ status: 'INVALID' })],
    ['responds with 404', json({ message: 'Not found', code: 1003 }, 404)],
  ])('is in flight for a day while LI.FI %s, and then fails', async (_, response) => {
    upstream.play(response);
    clock = 1_000 * HOUR;
    const first = await follow();
    expect(first).toMatchObject({ status: 'inFlight', waitingFor: 'CONFIRMATIONS' });
    const stored = JSON.parse(JSON.stringify(first.checkpoint)) as unknown;
    clock += 23 * HOUR;
    const later = await follow(transfer({ checkpoint: stored }));
    expect(later).toEqual(first);
    clock += 2 * HOUR;
    expect(await follow(transfer({ checkpoint: later.checkpoint }))).toMatchObject({ status: 'failed' });
    // Found after all.
    upstream.play(json(ARRIVED));
    expect(await follow(transfer({ checkpoint: later.checkpoint }))).toMatchObject({ status: 'delivered' });
  });

  it('within one chain is delivered by its own transaction', async () => {
    const request = swapRequest({ destination: swapRequest().origin, tokenOut: swapRequest().tokenIn });
    upstream.play(json({ ...ARRIVED, ...receiving({ chainId: 1, txHash: TX_HASH, token: sold }) }));
    const { quote } = parametersOf(request);
    expect(await follow(transfer({ request, quote }))).toMatchObject({ status: 'delivered', txHash: TX_HASH });
  });
});
