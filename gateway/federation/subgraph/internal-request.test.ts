import path from 'node:path';
import type { CustomerId, Principal } from '../../../src/auth/principal';
import { PROJECT_ROOT } from '../../../src/config/project-root';
import {
  INTERNAL_HEADER_PREFIX,
  type InternalRequest,
  refusalReason,
  signInternalRequest,
  verifyInternalRequest,
} from './internal-request';

const internalSecret = 'c'.repeat(64);
const body = '{"query":"{x}"}';
const customerId = 'c1' as CustomerId;
const bearer: Principal = { kind: 'bearer', customerId, subject: 'zoë\n"', role: 'viewer' };

const at = (now: number) => ({ internalSecret, now: () => now });
const signed = (request: InternalRequest, now = 1_000_000): Record<string, string> =>
  signInternalRequest(at(now), request, body);

describe('headers between gateway and subgraphs', () => {
  it.each([undefined, { kind: 'apiKey', customerId, keyId: 'k' }, bearer] as const)(
    'carry the principal: %j',
    (principal) => {
      const headers = signed({ requestId: 'räq 1', principal });
      expect(Object.keys(headers).every((name) => name.startsWith(INTERNAL_HEADER_PREFIX))).toBe(true);
      expect(verifyInternalRequest(at(1_000_000), headers, Buffer.from(body))).toEqual({
        requestId: 'räq 1',
        principal,
      });
    },
  );

  it('are refused when any part was changed or signed with another secret', () => {
    const headers = signed({ requestId: 'r', principal: bearer });
    const forged = signInternalRequest(
      at(1_000_000),
      { requestId: 'r2', principal: { ...bearer, role: 'admin' } },
      body,
    );
    const verify = (given: Record<string, unknown>, text = body) => verifyInternalRequest(at(1_000_000), given, text);
    for (const name of Object.keys(headers)) {
      expect(verify({ ...headers, [name]: name.endsWith('timestamp') ? '1000001' : forged[name] })).toBeUndefined();
      expect(verify({ ...headers, [name]: undefined })).toBeUndefined();
      expect(verify({ ...headers, [name]: [headers[name]] })).toBeUndefined();
      expect(verify({ ...headers, [name]: '' })).toBeUndefined();
    }
    expect(verify(headers, `${body} `)).toBeUndefined();
    expect(verifyInternalRequest({ ...at(1_000_000), internalSecret: 'd'.repeat(64) }, headers, body)).toBeUndefined();
    expect(verify({})).toBeUndefined();
  });

  it('are refused when they are more than a minute old or in the future', () => {
    const headers = signed({ requestId: 'r', principal: undefined });
    for (const [now, valid] of [
      [1_060_000, true],
      [1_060_001, false],
      [940_000, true],
      [939_999, false],
    ] as const) {
      expect(verifyInternalRequest(at(now), headers, body) !== undefined).toBe(valid);
    }
  });

  it('are refused with a reason, which states the difference of the clocks to a sender with the secret', () => {
    const headers = signed({ requestId: 'r', principal: undefined });
    const reason = (given: Record<string, string>, now: number) => refusalReason(at(now), given, body);
    const forged = { ...headers, 'x-afluente-signature': '0'.repeat(64) };
    expect(reason({}, 1_000_000)).toEqual({ forLog: 'not signed', forSender: 'not signed' });
    for (const now of [1_000_000, 1_075_000]) {
      expect(reason(forged, now)).toEqual({ forLog: 'signed with another secret', forSender: 'not signed' });
    }
    expect(reason(headers, 1_075_000)).toEqual({ forLog: 'signed 75 s ago', forSender: 'signed 75 s ago' });
    expect(reason(headers, 910_000).forLog).toBe('signed 90 s in the future');
    for (const principal of [{ kind: 'other' }, { ...bearer, role: 'guest' }]) {
      const foreign = signed({ requestId: 'r', principal: principal as Principal });
      expect(verifyInternalRequest(at(1_000_000), foreign, body)).toBeUndefined();
      const text = 'signed, with an invalid principal';
      expect(reason(foreign, 1_000_000)).toEqual({ forLog: text, forSender: text });
    }
  });

  it('can be made by another router, as the example of the documentation does', async () => {
    const file = path.join(PROJECT_ROOT, 'docs/examples/subgraph-headers.cjs');
    const { subgraphHeaders } = (await import(file)) as {
      readonly subgraphHeaders: (secret: string, request: object, body: string) => Record<string, string>;
    };
    for (const principal of [null, bearer]) {
      const headers = subgraphHeaders(internalSecret, { requestId: 'r', principal }, body);
      expect(verifyInternalRequest({ internalSecret }, headers, body)).toEqual({
        requestId: 'r',
        principal: principal ?? undefined,
      });
    }
  });
});
