import {
  AMOUNT,
  buildWith,
  OUTPUT,
  providerWith,
  quoteWith,
  reason,
  request,
  signal,
} from '../../../../test/contract/across-responses';
import { UpstreamError } from '../../../http/upstream-error';

describe('a quote of Across', () => {
  it('lists the fees and applies the slippage to the minimum', async () => {
    expect(await quoteWith({})).toMatchObject({
      amountIn: AMOUNT,
      expectedAmountOut: OUTPUT,
      minAmountOut: 994_005n,
      estimatedDurationSeconds: 2,
      fees: [
        { label: 'Across relayer fee', asset: 'tokenIn', amount: 100n },
        { label: 'Across destination gas', asset: 'tokenIn', amount: 100n },
      ],
    });
  });

  const apiError = (status: number, body: unknown) => (path: string) => {
    if (path === '/limits') return { minDeposit: '500000', maxDeposit: '7000000' };
    throw new UpstreamError(`it answered ${status}`, { kind: 'status', status, body });
  };
  const coded = (status: number, code: string) => apiError(status, { type: 'AcrossApiError', code, message: 'why' });

  it.each([
    ['AMOUNT_TOO_LOW', coded(400, 'AMOUNT_TOO_LOW'), 'AMOUNT_IN_TOO_LOW', 'QUOTE_EXPIRED'],
    ['AMOUNT_TOO_HIGH', coded(400, 'AMOUNT_TOO_HIGH'), 'AMOUNT_IN_TOO_HIGH', 'QUOTE_EXPIRED'],
    ['ROUTE_NOT_ENABLED', coded(400, 'ROUTE_NOT_ENABLED'), undefined, 'QUOTE_EXPIRED'],
    ['SWAP_LIQUIDITY_INSUFFICIENT', coded(400, 'SWAP_LIQUIDITY_INSUFFICIENT'), undefined, 'QUOTE_EXPIRED'],
    ['SWAP_QUOTE_UNAVAILABLE', coded(400, 'SWAP_QUOTE_UNAVAILABLE'), undefined, 'QUOTE_EXPIRED'],
    ['SWAP_TYPE_NOT_GUARANTEED', coded(400, 'SWAP_TYPE_NOT_GUARANTEED'), undefined, 'QUOTE_EXPIRED'],
    ['an unknown token', apiError(404, { type: 'AcrossApiError', message: 'why' }), undefined, 'QUOTE_EXPIRED'],
    ['INVALID_PARAM', coded(400, 'INVALID_PARAM'), 'QUOTE_GENERATION_FAILED', 'BYTECODE_GENERATION_FAILED'],
    ['SIMULATION_ERROR', coded(400, 'SIMULATION_ERROR'), 'QUOTE_GENERATION_FAILED', 'BYTECODE_GENERATION_FAILED'],
    ['a apiError in other words', apiError(400, 'no'), 'QUOTE_GENERATION_FAILED', 'BYTECODE_GENERATION_FAILED'],
    ['UPSTREAM_RPC_ERROR', coded(502, 'UPSTREAM_RPC_ERROR'), 'PROVIDER_UNAVAILABLE', 'BRIDGE_API_ERROR'],
    ['UPSTREAM_HTTP_ERROR as 400', coded(400, 'UPSTREAM_HTTP_ERROR'), 'PROVIDER_UNAVAILABLE', 'BRIDGE_API_ERROR'],
    ['a wrong key', apiError(401, { message: 'Unauthorized' }), 'PROVIDER_UNAVAILABLE', 'BRIDGE_API_ERROR'],
    ['too many requests', apiError(429, {}), 'PROVIDER_UNAVAILABLE', 'BRIDGE_API_ERROR'],
    ['a response of another shape', () => ({ mood: 'odd' }), 'PROVIDER_UNAVAILABLE', 'BRIDGE_API_ERROR'],
  ])('translates %s', async (_, get, ...codes) => {
    const quoted = await providerWith(get).quote(request, signal).catch(reason);
    const built = await buildWith(get).catch(reason);
    expect([quoted, built]).toEqual(codes);
  });

  it('removes control characters from messages of the API', async () => {
    const odd = apiError(400, { code: 'INVALID_PARAM', message: 'a\u202Ewhy\u0000' });
    const message = await providerWith(odd).quote(request, signal).catch(String);
    expect(message).toContain('Across: a');
    expect(message).not.toContain('\u202E');
  });

  it('reports the bound of a rejected amount', async () => {
    const messages = ['AMOUNT_TOO_LOW', 'AMOUNT_TOO_HIGH'].map((code) =>
      providerWith(coded(400, code)).quote(request, signal).catch(String),
    );
    expect(await Promise.all(messages)).toEqual([
      expect.stringContaining('min ~0.5 T'),
      expect.stringContaining('max ~7 T'),
    ]);
  });
});
