import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { DevnetChain } from '../../devnet/universe';
import { createHttpClient } from '../../src/http/http-client';
import { isServiceError } from '../../src/errors/service-error';
import { toBaseUnits } from '../../src/money/base-units';
import { readCallback } from '../../src/ramps/providers/secondary/callback';
import { createSecondaryRamp } from '../../src/ramps/providers/secondary/secondary-ramp';
import type { RampAccount, Ticket, TicketRequest, TicketState } from '../../src/ramps/ramp-provider';
import { type Charge, newBrCode } from '../ramps/new-br-code';
import { chainNamed, snapshotOf, universeOfTests } from '../setup/universe-of-tests';
import type { ServedRamp } from './ramp-under-test';
import { type LocalSecondaryRamp, quoteIdOf, servedRamps, startLocalSecondaryRamp } from './secondary-ramp-world';

const WALLET = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';

let chain: DevnetChain;
let local: LocalSecondaryRamp;
let account: RampAccount;
let revert: () => Promise<void>;
let pixIn: ServedRamp, pixOut: ServedRamp, wireOut: ServedRamp;
beforeAll(async () => {
  chain = chainNamed(await universeOfTests(), 'devnet');
  revert = await snapshotOf(chain);
  local = await startLocalSecondaryRamp({ chain });
  account = await local.approvedAccount();
  [pixIn, , pixOut, wireOut] = servedRamps(chain, WALLET) as [ServedRamp, ServedRamp, ServedRamp, ServedRamp];
});
afterAll(async () => {
  await local.stop();
  await revert();
});
afterEach(async () => {
  local.upstream.injectFault(undefined);
  await local.steer({ loseResponses: 0, minimum: 1, daily: 1_000_000 });
});

const signal = () => AbortSignal.timeout(10_000);
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ resolved: value }),
    (error: unknown) => (isServiceError(error) ? error.code : error),
  );
let tickets = 0;
const requestOf = async (served: ServedRamp, holder = account): Promise<TicketRequest> => {
  const { route, amountIn: amount, walletAddress, payout } = served;
  const quote = await local.ramp.quote({ route, side: 'in', amount, account: holder, thirdParty: false }, signal());
  return { route, quote, account: holder, externalId: String((tickets += 1)), walletAddress, payout };
};
const open = (request: TicketRequest) => local.ramp.openTicket(request, signal());
const transactionsOf = async (request: TicketRequest): Promise<any[]> =>
  (await local.control(`/_control/transactions?quote_id=${quoteIdOf(request)}`)) as any[];
const move = ({ ticketId }: Ticket, status: string) => local.control(`/__control/transactions/${ticketId}`, { status });
const stateOf = ({ ticketId }: Ticket, holder: RampAccount = account): Promise<TicketState> =>
  local.ramp.ticketState(ticketId, holder, signal());

describe('a ticket of the secondary ramp', () => {
  it('contains payer, wallet and quote', async () => {
    const request = await requestOf(pixIn);
    const { ticketId } = await open(request);
    expect(await transactionsOf(request)).toMatchObject([
      {
        id: ticketId,
        quote_id: quoteIdOf(request),
        customer_id: account.accountId,
        status: 'awaiting_deposit',
        sender: { currency: 'BRL', payment_rail: 'pix', amount: 100.01, name: 'Ana Lima', document: '12345678909' },
        receiver: { currency: 'USDC', payment_rail: 'polygon', address: WALLET },
      },
    ]);
  });

  it('pays Pix to the key, with the document of the account holder', async () => {
    const request = await requestOf(pixOut);
    await open(request);
    expect(await transactionsOf(request)).toMatchObject([
      {
        sender: { currency: 'USDC', payment_rail: 'polygon', address: WALLET, amount: 30.000001 },
        receiver: { currency: 'BRL', pix_key: 'ana@example.com', document: '12345678909' },
      },
    ]);
  });

  it('pays the key of a static BR Code for its amount, and refuses a dynamic one', async () => {
    const request = await requestOf(pixOut);
    const to = (charge: Partial<Charge>): TicketRequest => {
      const pixKey = newBrCode({ pixKey: 'shop@example.com', ...charge });
      return { ...request, payout: { rail: 'PIX', pixKey, thirdParty: false } };
    };
    const cents = request.quote.amountOut;
    expect(await codeOf(open(to({ cents: cents + 1n })))).toBe('PIX_BRCODE_REQUOTE_REQUIRED');
    expect(await codeOf(open(to({ url: 'pix.example/fiat-amount' })))).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
    expect(await transactionsOf(request)).toEqual([]);
    await open(to({ cents }));
    expect(await transactionsOf(request)).toMatchObject([{ receiver: { pix_key: 'shop@example.com' } }]);
  });

  it('is opened once under repeated use of its quote', async () => {
    const request = await requestOf(pixIn);
    const ticket = await open(request);
    expect(await open(request)).toEqual(ticket);
    expect(await local.ramp.findTicket(request, signal())).toEqual(ticket);
    expect(await transactionsOf(request)).toHaveLength(1);
  });

  it('is found later when both the response and the look-up after it were lost', async () => {
    const request = await requestOf(pixOut);
    await local.steer({ loseResponses: 1 });
    const lost = open(request);
    for (const end = Date.now() + 10_000; (await transactionsOf(request)).length === 0 && Date.now() < end;)
      await wait(5);
    local.upstream.injectFault('responds with 500');
    const outcome = await lost.catch((error: unknown) => error);
    local.upstream.injectFault(undefined);
    const found = await local.ramp.findTicket(request, signal());
    expect(found).toMatchObject({ kind: 'payOut', amount: request.quote.amountIn });
    if (!isServiceError(outcome)) expect(outcome).toEqual(found);
    expect(await transactionsOf(request)).toHaveLength(1);
  });

  it('that the ramp did not receive is undefined', async () => {
    const request = await requestOf(pixIn);
    local.upstream.injectFault('resets the connection');
    expect(await codeOf(open(request))).toBe('SECONDARY_RAMP_API_ERROR');
    local.upstream.injectFault(undefined);
    expect(await local.ramp.findTicket(request, signal())).toBeUndefined();
  });

  it('is found among tickets of equal quotes', async () => {
    const requests = [await requestOf(pixIn), await requestOf(pixIn), await requestOf(pixIn)];
    const opened = await Promise.all(requests.map(open));
    for (const [at, request] of requests.entries()) {
      expect(await local.ramp.findTicket(request, signal())).toEqual(opened[at]);
    }
  });

  it('is refused with an expired quote, without a request', async () => {
    const request = await requestOf(pixIn);
    const before = local.upstream.requests();
    const late = { ...request, quote: { ...request.quote, expiresAt: new Date(0) } };
    expect(await codeOf(open(late))).toBe('QUOTE_EXPIRED');
    expect(local.upstream.requests()).toBe(before);
  });

  it('is refused for pending, unknown and rejected customers', async () => {
    const fresh = await local.approvedAccount();
    const request = await requestOf(pixIn, fresh);
    const decide = (status: string) => local.control(`/__control/customers/${fresh.accountId}`, { status });
    await decide('under_review');
    expect(await codeOf(open(request))).toBe('SECONDARY_RAMP_KYC_IN_PROGRESS');
    await decide('rejected');
    expect(await codeOf(open(request))).toBe('SECONDARY_RAMP_KYC_REJECTED');
    const unknown = { ...request, account: { ...fresh, accountId: 'unknown' } };
    expect(await codeOf(open(unknown))).toBe('SECONDARY_RAMP_KYC_NOT_PROVISIONED');
    expect(await transactionsOf(request)).toHaveLength(0);
  });

  it('in USD requires a saved bank account', async () => {
    const request = await requestOf(wireOut);
    expect(await codeOf(open(request))).toBe('SECONDARY_RAMP_USD_OFFRAMP_ACCOUNT_MISSING');
    expect(await transactionsOf(request)).toHaveLength(0);
  });

  it('pays out by Pix to the holder only, and requires a key', async () => {
    const request = await requestOf(pixOut);
    const payout = { rail: 'PIX', pixKey: 'ana@example.com', thirdParty: true } as const;
    expect(await codeOf(open({ ...request, payout }))).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
    expect(await codeOf(open({ ...request, payout: undefined }))).toBe('MISSING_PIX_KEY');
  });

  it('is not returned for another account', async () => {
    const ticket = await open(await requestOf(pixIn));
    const other = await local.approvedAccount();
    expect(await codeOf(stateOf(ticket, other))).toBe('INVALID_SECONDARY_RAMP_TICKET');
  });

  it.each([
    ['awaiting_deposit', { status: 'waitingForPayment' }],
    ['cancelled', { status: 'failed', reason: 'It was cancelled' }],
    ['error', { status: 'failed', reason: 'The ramp has stopped it' }],
    ['refunded', { status: 'refunded', txHash: undefined }],
  ])('that is %s has its state', async (status, state) => {
    const ticket = await open(await requestOf(pixIn));
    await move(ticket, status);
    expect(await stateOf(ticket)).toMatchObject(state);
  });

  it('waits for its refund when it has failed', async () => {
    await local.steer({ settleMs: 60_000 });
    const ticket = await open(await requestOf(pixOut));
    await move(ticket, 'failed');
    expect(await stateOf(ticket)).toMatchObject({ status: 'refunding' });
    await local.steer({ settleMs: 50 });
  });
});

describe('a quote of the secondary ramp', () => {
  const quote = (served: ServedRamp, amount: bigint, side: 'in' | 'out' = 'in') => {
    const { route } = served;
    return local.ramp.quote({ route, side, amount: toBaseUnits(amount), account, thirdParty: false }, signal());
  };

  it('shows the flat fee of a wire', async () => {
    const { amountIn, amountOut, fees } = await quote(wireOut, 60_000_000n);
    expect({ amountIn, amountOut, fees }).toEqual({
      amountIn: 60_000_000n,
      amountOut: 4500n,
      fees: [{ label: 'Wire fee', asset: 'out', amount: 1500n }],
    });
  });

  it('is refused above the remaining limit and below the minimum', async () => {
    await local.steer({ daily: 50, minimum: 10 });
    expect(await codeOf(quote(pixIn, 1_000_000n))).toBe('AMOUNT_EXCEEDS_PROVIDER_LIMIT');
    expect(await codeOf(quote(pixIn, 999n))).toBe('RAMP_AMOUNT_OUT_OF_RANGE');
  });

  it('is refused with the real minimum for an amount that does not exceed the wire fee', async () => {
    await expect(quote(wireOut, 15_000_000n)).rejects.toMatchObject({
      code: 'RAMP_AMOUNT_OUT_OF_RANGE',
      message: expect.stringContaining('(min ~16 USDC, max less than 20000 USDC)'),
      details: { minimum: '16000000', maximum: '20000000000', currency: 'USDC' },
    });
    expect(await quote(wireOut, 16_000_000n)).toMatchObject({ amountOut: 100n });
  });

  it('is refused for an amount that loses digits as a JSON number', async () => {
    const before = local.upstream.requests();
    expect(await codeOf(quote(pixOut, 10n ** 15n + 1n))).toBe('RAMP_AMOUNT_OUT_OF_RANGE');
    expect(local.upstream.requests()).toBe(before);
  });

  it('is refused for rails other than Pix and wire', async () => {
    const ach = { ...wireOut, route: { ...wireOut.route, rail: 'ACH' } } as const;
    expect(await codeOf(quote(ach, 60_000_000n))).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
  });

  it('of a chain that the ramp turns out not to serve is refused as not eligible', async () => {
    const http = createHttpClient({ baseUrl: local.emulator.url, headers: { authorization: local.emulator.apiKey } });
    const ramp = createSecondaryRamp({ http, networks: { [chain.chainId]: 'base' } });
    const quoteRequest = {
      route: pixIn.route,
      side: 'in',
      amount: pixIn.amountIn,
      account,
      thirdParty: false,
    } as const;
    expect(await codeOf(ramp.quote(quoteRequest, signal()))).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
    await http.close();
  });
});

describe('a callback of the secondary ramp', () => {
  it('names a transaction, and has an event id of its own', async () => {
    const bodies: unknown[] = [];
    const server = createServer((request, response) => {
      void textOf(request).then((text) => {
        bodies.push(JSON.parse(text));
        response.end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/secret`;
    const headers = { authorization: local.emulator.apiKey, 'content-type': 'application/json' };
    const body = JSON.stringify({ url, subscriptions: [], enabled: true });
    await fetch(`${local.emulator.url}/v1/webhook-configs`, { method: 'POST', headers, body });
    const ticket = await open(await requestOf(pixIn));
    await move(ticket, 'processing');
    for (const end = Date.now() + 10_000; bodies.length < 3 && Date.now() < end;) await wait(20);
    server.close();
    const read = bodies.map(readCallback);
    expect(read.map((callback) => callback?.transactionId)).toEqual(Array(3).fill(ticket.ticketId));
    expect(read.map((callback) => callback?.customerId)).toEqual(Array(3).fill(account.accountId));
    expect(new Set(read.map((callback) => callback?.eventId)).size).toBe(3);
  });
});

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
