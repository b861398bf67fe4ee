import { isServiceError } from '../../src/errors/service-error';
import type { HttpCall, HttpClient } from '../../src/http/http-client';
import { UpstreamError } from '../../src/http/upstream-error';
import type { RampRoute } from '../../src/ramps/ramp-provider';
import { devnet, USDC } from '../swaps/swap-world';

export const WALLET = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';
export const NOW = Date.parse('2026-05-01T12:00:00.000Z');
const chain = { ...devnet, tokens: [USDC] };
export const account = { accountId: 'ana', kycUserId: 'ana' };
export const verifiableAccount = { ...account, attemptId: undefined };
export const signal = (): AbortSignal => AbortSignal.timeout(10_000);
export const routeOf = (changes: Partial<RampRoute> = {}): RampRoute => ({
  direction: 'offRamp',
  currency: 'USD',
  rail: 'WIRE',
  token: USDC,
  chain,
  ...changes,
});
export const refusal = (status: number) =>
  new UpstreamError(`it responded with HTTP ${String(status)}`, { kind: 'status', status });
export const unreachable = () => new UpstreamError('it is unreachable', { kind: 'unreachable' });

/** A third party with a table of responses, by method and path. Errors are thrown. */
export function scriptedApi(responses: Readonly<Record<string, unknown>>) {
  const requests: HttpCall[] = [];
  const call = (request: HttpCall): Promise<unknown> => {
    requests.push(request);
    const response = responses[`${request.method} ${request.path}`] ?? refusal(404);
    return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
  };
  const http: HttpClient = {
    call,
    get: (path, query, given) => call({ method: 'GET', path, query, signal: given }),
    post: (path, body, given) => call({ method: 'POST', path, body, signal: given }),
    close: () => Promise.resolve(),
  };
  const bodies = (path: string): any[] =>
    requests
      .filter((each) => each.method === 'POST' && each.path === path)
      .map(({ body, content }) => body ?? JSON.parse(String(content?.bytes)));
  return { http, bodies };
}

export const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ resolved: value }),
    (error: unknown) => (isServiceError(error) ? error.code : error),
  );
