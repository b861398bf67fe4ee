import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { rejectOnAbort } from '../../src/async/race-abort';
import type { HttpClient } from '../../src/http/http-client';
import { UpstreamError } from '../../src/http/upstream-error';
import { createPrimaryRamp } from '../../src/ramps/providers/primary/primary-ramp';
import type { TicketRequest } from '../../src/ramps/ramp-provider';
import { ticketByExternalId } from '../../src/ramps/providers/primary/ramp-api';
import { devnet, units } from '../swaps/swap-world';
import { ANA, EVIDENCE } from './primary-ramp-people';
import { account as holder, NOW, routeOf, scriptedApi, WALLET } from './scripted-ramp-api';

const timeout = (): AbortSignal => AbortSignal.timeout(10_000);
const unreachable = () => Promise.reject(new UpstreamError('it is unreachable', { kind: 'unreachable' }));
const UNREACHABLE: HttpClient = {
  call: unreachable,
  get: unreachable,
  post: unreachable,
  close: () => Promise.resolve(),
};

describe('tickets of the primary ramp', () => {
  const TICKET = { id: 'ramp-id', externalId: 'another', status: 'PAID' };
  const lookUp = async (response: object) => {
    const http: HttpClient = { ...UNREACHABLE, get: () => Promise.resolve(response) };
    const holder = { accountId: 'account', signal: timeout() };
    return ticketByExternalId(
      { http, apiUrl: '', networks: {}, now: Date.now, checkedPayouts: new Map() },
      'movement',
      holder,
    );
  };

  it('count as absent only when the ramp has listed all of them', async () => {
    expect(await lookUp({ tickets: [], cursor: '' })).toBeUndefined();
    expect(await lookUp({ tickets: [TICKET], cursor: '' })).toBeUndefined();
    await expect(lookUp({ tickets: [TICKET], cursor: 'more' })).rejects.toThrow('filter');
  });

  it('are an error when one movement has two of them', async () => {
    const ticket = { ...TICKET, externalId: 'movement' };
    expect(await lookUp({ tickets: [ticket], cursor: '' })).toMatchObject({ id: 'ramp-id' });
    await expect(lookUp({ tickets: [ticket, { ...ticket, id: 'twin' }] })).rejects.toThrow('several');
  });
});

it.each([
  ['the back of a document', 'ID', { uploadErrorBack: 'too dark' }, 'documents'],
  ['the front of a document', 'ID', { uploadErrorFront: 'too dark' }, 'documents'],
  ['a face', 'SELFIE', { uploadErrorFront: 'too dark' }, 'liveness'],
] as const)('%s that the primary ramp refuses has a code', async (...[, refusedDocument, error, field]) => {
  const storage = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(storage, 'listening');
  const apiUrl = `http://127.0.0.1:${String((storage.address() as AddressInfo).port)}`;
  const opened = { uploadURLFront: `${apiUrl}/front`, uploadURLBack: `${apiUrl}/back` };
  const http: HttpClient = {
    ...UNREACHABLE,
    call: ({ body }) => {
      const { documentType } = body as { documentType: string };
      return Promise.resolve({ ...opened, id: documentType === 'SELFIE' ? 'SELFIE' : 'ID' });
    },
    get: (path) =>
      Promise.resolve(
        path.includes('attempts')
          ? { attempts: [] }
          : { document: path.endsWith(refusedDocument) ? { ready: false, ...error } : { ready: true } },
      ),
  };
  const { submitEvidence } = createPrimaryRamp({ http, apiUrl, networks: {} });
  const account = { accountId: 'account', kycUserId: 'user' };
  await expect(submitEvidence({ account, person: ANA, evidence: EVIDENCE }, timeout())).rejects.toMatchObject({
    code: 'KYC_PROFILE_INCOMPLETE_FOR_RAMP',
    message: expect.stringMatching(new RegExp(`: ${field}$`)) as unknown,
  });
  storage.close();
});

it('a look-up that does not respond delays a payout of the primary ramp for two seconds, and opens one ticket', async () => {
  const sides = { inputCurrency: 'USDC', outputCurrency: 'BRL', inputAmount: '10', outputAmount: '10.00' };
  const responses = {
    'GET /v2/account/tickets/': { tickets: [] },
    'GET /v2/account/balances': { balances: { USDC: '10' } },
    'GET /v2/account/quote/fixed-rate': { ...sides, quoteToken: 'token', basePrice: '1', appliedFees: [] },
    'POST /v2/account/tickets/': { id: 'ticket' },
  };
  const { http, bodies } = scriptedApi(responses);
  const get: HttpClient['get'] = (path, query, given) =>
    path.endsWith('/pix-info') ? rejectOnAbort(new Promise(() => undefined), given) : http.get(path, query, given);
  const networks = { [devnet.chainId]: 'POLYGON' } as const;
  const ramp = createPrimaryRamp({ http: { ...http, get }, apiUrl: '', networks, clock: () => NOW });
  const quote = { amountIn: units(10_000_000n), amountOut: units(1000n), fees: [], execution: {} };
  const request: TicketRequest = {
    route: routeOf({ currency: 'BRL', rail: 'PIX' }),
    account: holder,
    externalId: 'payout',
    walletAddress: WALLET,
    payout: { rail: 'PIX', pixKey: 'ana@example.com', thirdParty: false },
    quote: { ...quote, expiresAt: new Date(NOW + 15_000) },
  };
  expect(await ramp.ticketState('payout', { ...holder, request }, timeout())).toEqual({ status: 'processing' });
  expect(bodies('/v2/account/tickets/')).toHaveLength(1);
});

it('errors and their causes contain no text of the primary ramp', async () => {
  const text = 'InvalidFieldError: taxIdNumber 12345678909 is invalid';
  const refusal = new UpstreamError('it responded with 400', { kind: 'status', status: 400, body: { error: text } });
  const http: HttpClient = { ...UNREACHABLE, get: () => Promise.reject(refusal), call: () => Promise.reject(refusal) };
  const ramp = createPrimaryRamp({ http, apiUrl: 'https://ramp.example', networks: {} });
  const account = { accountId: 'account', kycUserId: 'user', attemptId: undefined };
  const failures = await Promise.allSettled([
    ramp.lookUpPixKey!('12345678909', timeout()),
    ramp.accountLimits(account, timeout()),
    ramp.openAccount(ANA, { kycUserId: 'user', requestedSince: new Date() }, timeout()),
    ramp.submitEvidence({ account, person: ANA, evidence: EVIDENCE }, timeout()),
    ramp.verificationState(account, timeout()),
    ramp.unlockCurrency!(account, 'USD', timeout()),
    ramp.ticketState('ticket', account, timeout()),
  ]);
  for (const failure of failures) {
    expect(failure.status).toBe('rejected');
    expect(inspect(failure, { depth: 20 })).not.toContain('12345678909');
  }
});
