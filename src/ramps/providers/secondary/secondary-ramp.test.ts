import type { Address } from 'viem';
import type { Chain } from '../../../chains/chain';
import { isServiceError } from '../../../errors/service-error';
import type { HttpCall, HttpClient } from '../../../http/http-client';
import { toBaseUnits } from '../../../money/base-units';
import type { RampRoute, TicketRequest } from '../../ramp-provider';
import { readCallback } from './callback';
import { createSecondaryRamp, unconfiguredSecondaryRamp } from './secondary-ramp';

const USDC = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';
const WALLET = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';
const listed = { address: USDC, symbol: 'USDC', name: 'USD Coin', decimals: 6 };
const chain: Chain = {
  slug: 'polygon',
  chainId: 137,
  kind: 'evm',
  name: 'Polygon',
  explorer: undefined,
  confirmations: 1,
  nativeCurrency: { name: 'POL', symbol: 'POL', decimals: 18 },
  wrappedNative: undefined,
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
  tokens: [listed],
};
const token = { ...listed, chainId: 137, address: USDC as Address, logoURI: undefined };
const pixOut: RampRoute = { direction: 'offRamp', currency: 'BRL', rail: 'PIX', token, chain };
const pixIn: RampRoute = { ...pixOut, direction: 'onRamp' };
const networks = { 137: 'polygon' } as const;
const account = { accountId: 'ana', kycUserId: 'ana' };
const signal = AbortSignal.timeout(60_000);
const NOW = '2026-05-01T12:00:00.000Z';

/** A ramp with a table of responses, by method and path. */
function rampWithResponses(responses: Readonly<Record<string, unknown>>) {
  const requests: HttpCall[] = [];
  const call = (request: HttpCall): Promise<unknown> => {
    requests.push(request);
    return Promise.resolve(responses[`${request.method} ${request.path}`]);
  };
  const http: HttpClient = {
    call,
    get: (path, query) => call({ method: 'GET', path, query, signal }),
    post: (path, body) => call({ method: 'POST', path, body, signal }),
    close: () => Promise.resolve(),
  };
  return { ramp: createSecondaryRamp({ http, networks, clock: () => Date.parse(NOW) }), requests };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    (value) => ({ resolved: value }),
    (error: unknown) => (isServiceError(error) ? error.code : error),
  );

describe('the older quotes of the secondary ramp', () => {
  const older = { id: 'q', quotation: '5.6766', symbol: 'USDC/BRL', expires_at: 1_777_637_000 };
  const quote = (exact: readonly [RampRoute, 'in' | 'out', bigint], response: object = older) => {
    const [route, side, amount] = exact;
    return rampWithResponses({ 'POST /v1/quote': response }).ramp.quote(
      { route, side, amount: toBaseUnits(amount), account: undefined, thirdParty: false },
      signal,
    );
  };

  it.each([
    [[pixOut, 'in', 10_000_000n], 10_000_000n, 5676n],
    [[pixOut, 'in', 1_999n], 1_999n, 1n],
    [[pixOut, 'out', 5676n], 9_998_944n, 5676n],
    [[pixIn, 'in', 5676n], 5676n, 9_998_943n],
    [[pixIn, 'out', 10_000_000n], 5677n, 10_000_000n],
  ] as const)('%#: are computed from the rate, rounded against the customer', async (exact, amountIn, amountOut) => {
    expect(await quote(exact)).toMatchObject({ amountIn, amountOut, expiresAt: new Date(1_777_637_000_000) });
  });

  it('deduct the flat fee from the output of an off-ramp and add it to the input of an on-ramp', async () => {
    const response = { ...older, fees: [{ name: 'a label of the ramp', amount: 2.5 }] };
    expect(await quote([pixOut, 'in', 10_000_000n], response)).toMatchObject({
      amountOut: 5426n,
      fees: [{ label: 'Pix fee', asset: 'out', amount: 250n }],
    });
    expect(await quote([pixIn, 'out', 10_000_000n], response)).toMatchObject({ amountIn: 5927n });
  });

  it.each([
    ['no id', { ...older, id: undefined }],
    ['no rate', { ...older, quotation: undefined }],
    ['a rate of zero', { ...older, quotation: '0' }],
    ['no expiry', { ...older, expires_at: 'soon' }],
    ['an invalid fee', { ...older, fees: [{ amount: 'free' }] }],
    ['another amount', { ...older, sender: { amount: 11 }, receiver: { amount: 56.76 } }],
    ['another currency', { ...older, sender: { amount: 10, currency: 'USDT' }, receiver: { amount: 56.76 } }],
  ])('are refused with %s', async (_reason, response) => {
    expect(await codeOf(quote([pixOut, 'in', 10_000_000n], response))).toBe('INVALID_SECONDARY_RAMP_QUOTE');
  });

  it('round the input for an exact output up', async () => {
    const response = { ...older, sender: { currency: 'BRL', amount: '59.2600004' }, receiver: { amount: 10 } };
    expect(await quote([pixIn, 'out', 10_000_000n], response)).toMatchObject({
      amountIn: 5927n,
      amountOut: 10_000_000n,
    });
  });
});

describe('a transaction of the secondary ramp', () => {
  const deposit = { amount: 10.5, currency: 'USDC', payment_rail: 'polygon', deposit_address: WALLET };
  const transaction = {
    id: 't',
    status: 'awaiting_deposit',
    type: 'off_ramp',
    created_at: NOW,
    sender: { address: WALLET.toLowerCase() },
    sender_deposit_instructions: deposit,
  };
  const request: TicketRequest = {
    route: pixOut,
    account,
    externalId: 'external',
    walletAddress: WALLET,
    payout: { rail: 'PIX', pixKey: 'ana@example.com', thirdParty: false },
    quote: {
      amountIn: toBaseUnits(10_500_000n),
      amountOut: toBaseUnits(5960n),
      fees: [],
      expiresAt: new Date('2026-05-01T12:05:00Z'),
      execution: { quoteId: 'q', quotedAt: NOW },
    },
  };
  const ana = { id: 'ana', status: 'approved', first_name: 'Ana', last_name: 'Lima', tax_id: '12345678909' };
  const open = (response: unknown) => {
    const { ramp, requests } = rampWithResponses({
      'GET /v1/customers/ana': ana,
      'POST /v1/payout': response,
      'GET /v1/customers/ana/transactions': [],
    });
    return { ticket: ramp.openTicket(request, signal), requests };
  };

  it('is requested once, with the quote and the payee', async () => {
    const { ticket, requests } = open(transaction);
    expect(await ticket).toEqual({ kind: 'payOut', ticketId: 't', depositAddress: WALLET, amount: 10_500_000n });
    const posts = requests.filter(({ method }) => method === 'POST');
    expect(posts.map(({ content }) => JSON.parse(String(content?.bytes)) as unknown)).toEqual([
      {
        quote_id: 'q',
        customer_id: 'ana',
        sender: { currency: 'USDC', payment_rail: 'polygon', address: WALLET },
        receiver: { currency: 'BRL', payment_rail: 'pix', pix_key: 'ana@example.com', document: '12345678909' },
      },
    ]);
  });

  it.each([
    ['another amount', { amount: 10.500001 }],
    ['another currency', { currency: 'USDT' }],
    ['another chain', { payment_rail: 'ethereum' }],
    ['no address', { deposit_address: undefined }],
    ['the zero address', { deposit_address: '0x0000000000000000000000000000000000000000' }],
    ['an invalid address', { deposit_address: '00020126' }],
  ])('with %s is refused, and not requested again', async (_reason, change) => {
    const { ticket, requests } = open({ ...transaction, sender_deposit_instructions: { ...deposit, ...change } });
    expect(await codeOf(ticket)).toBe('INVALID_SECONDARY_RAMP_TICKET');
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  const found = (entries: readonly object[]) =>
    rampWithResponses({
      'GET /v1/customers/ana/transactions': { data: entries },
      'GET /v1/transactions/t': transaction,
    }).ramp.findTicket(request, signal);

  it('without a quote id is found by amount, wallet and time', async () => {
    expect(
      await found([{ ...transaction, id: 'new', type: 'transfer', status: 'on_hold' }, transaction]),
    ).toMatchObject({
      ticketId: 't',
    });
    expect(await found([{ ...transaction, created_at: '2026-05-01T11:59:00Z' }])).toBeUndefined();
    expect(await found([{ ...transaction, sender: { address: USDC } }])).toBeUndefined();
    expect(await found([{ ...transaction, type: 'on_ramp' }])).toBeUndefined();
    const other = { ...transaction, sender_deposit_instructions: { ...deposit, amount: 10.4 } };
    expect(await found([other])).toBeUndefined();
    expect(await found([{ ...transaction, quote_id: 'another' }])).toBeUndefined();
  });

  it('is not guessed among several matches', async () => {
    expect(await codeOf(found([transaction, { ...transaction, id: 'u' }]))).toBe('SECONDARY_RAMP_API_ERROR');
  });
});

describe('a deployment without a key of the secondary ramp', () => {
  it('supports its routes, and sends no request', async () => {
    const ramp = unconfiguredSecondaryRamp({ networks });
    expect(ramp.supports(pixIn, { thirdParty: false })).toBe(true);
    expect(ramp.supports({ ...pixIn, rail: 'ACH' }, { thirdParty: false })).toBe(false);
    const quote = ramp.quote({ route: pixIn, side: 'in', amount: toBaseUnits(1n), account, thirdParty: false }, signal);
    expect(await codeOf(quote)).toBe('SECONDARY_RAMP_NOT_CONFIGURED');
    expect(await codeOf(ramp.accountLimits(account, signal))).toBe('SECONDARY_RAMP_NOT_CONFIGURED');
  });
});

describe('a callback of the secondary ramp', () => {
  const body = { event: 'payin', event_id: 'e', event_resource_id: 't', event_resource: { customer_id: 'ana' } };

  it.each([
    [body, { eventId: 'e', transactionId: 't', customerId: 'ana' }],
    [
      { ...body, event_resource: null },
      { eventId: 'e', transactionId: 't', customerId: undefined },
    ],
    [
      { ...body, event: 'customer' },
      { eventId: 'e', transactionId: undefined, customerId: 't' },
    ],
    [{ ...body, event_id: '' }, undefined],
    [{ ...body, event_id: 'x'.repeat(101) }, undefined],
    [{ ...body, event_resource_id: { $ne: 1 } }, undefined],
    ['text', undefined],
    [null, undefined],
  ])('%# is parsed to a hint or refused', (posted, hint) => {
    expect(readCallback(posted)).toEqual(hint);
  });
});
