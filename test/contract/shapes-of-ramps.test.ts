import { isServiceError } from '../../src/errors/service-error';
import type { HttpCall, HttpClient } from '../../src/http/http-client';
import { UpstreamError } from '../../src/http/upstream-error';
import type { Person } from '../../src/ramps/identity-provider';
import { createPrimaryRamp } from '../../src/ramps/providers/primary/primary-ramp';
import { createSecondaryRamp } from '../../src/ramps/providers/secondary/secondary-ramp';
import type { RampRoute, TicketRequest } from '../../src/ramps/ramp-provider';
import { devnet, units, USDC } from '../swaps/swap-world';
import { ANA } from './primary-ramp-people';
import { BENEFICIARY } from './secondary-ramp-world';

// What the guides leave open, or show in several forms, one of which may be spoilt without harm to the rest.

const WALLET = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';
const NOW = Date.parse('2026-05-01T12:00:00.000Z');
const chain = { ...devnet, tokens: [USDC] };
const account = { accountId: 'ana', kycUserId: 'ana' };
const known = { ...account, attemptId: undefined };
const signal = (): AbortSignal => AbortSignal.timeout(10_000);
const routeOf = (changes: Partial<RampRoute> = {}): RampRoute => ({
  direction: 'offRamp',
  currency: 'USD',
  rail: 'WIRE',
  token: USDC,
  chain,
  ...changes,
});
const refused = (status: number) => new UpstreamError(`it answered ${String(status)}`, { kind: 'status', status });
const away = () => new UpstreamError('it could not be reached', { kind: 'unreachable' });

/** A third party as a table of answers, by method and path; errors are thrown. */
function thirdParty(answers: Readonly<Record<string, unknown>>) {
  const asked: HttpCall[] = [];
  const call = (request: HttpCall): Promise<unknown> => {
    asked.push(request);
    const answer = answers[`${request.method} ${request.path}`] ?? refused(404);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const http: HttpClient = {
    call,
    get: (path, query, given) => call({ method: 'GET', path, query, signal: given }),
    post: (path, body, given) => call({ method: 'POST', path, body, signal: given }),
    close: () => Promise.resolve(),
  };
  const bodies = (path: string): any[] =>
    asked
      .filter((each) => each.method === 'POST' && each.path === path)
      .map(({ body, content }) => body ?? JSON.parse(String(content?.bytes)));
  return { http, bodies };
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ resolved: value }),
    (error: unknown) => (isServiceError(error) ? error.code : error),
  );

describe('the secondary ramp', () => {
  const clock = () => NOW;
  const rampOf = (answers: Readonly<Record<string, unknown>>) => {
    const { http, bodies } = thirdParty(answers);
    return { ramp: createSecondaryRamp({ http, networks: { [devnet.chainId]: 'polygon' }, clock }), bodies };
  };

  describe('prices', () => {
    const answer = { id: 'q', expires_at: '2026-05-01T12:05:00Z', commercial_quotation: '1', fees: [{ amount: 15 }] };
    const quote = (changes: object, side: 'in' | 'out' = 'in') => {
      const { ramp } = rampOf({ 'POST /v1/quote': { ...answer, ...changes } });
      const amount = side === 'in' ? units(100_000_000n) : units(10_000n);
      return ramp.quote({ route: routeOf(), side, amount, account: undefined, thirdParty: false }, signal());
    };

    it('by the rate what it does not tell beside the amount that it was asked for', async () => {
      const echoed = { sender: { currency: 'USDC', amount: 100 }, receiver: { currency: 'USD' } };
      expect(await quote(echoed)).toMatchObject({ amountIn: 100_000_000n, amountOut: 8500n });
      const out = { sender: { currency: 'USDC' }, receiver: { currency: 'USD', amount: 100 } };
      expect(await quote(out, 'out')).toMatchObject({ amountIn: 115_000_000n, amountOut: 10_000n });
    });

    it('with fees in a form that nobody knows, where it tells what comes out', async () => {
      const told = { sender: { amount: 100 }, receiver: { amount: 84.5 } };
      for (const fees of [{ flat: 15 }, 'fifteen', [{ percent: 1 }]]) {
        expect(await quote({ ...told, fees })).toMatchObject({ amountOut: 8450n, fees: [] });
        expect(await codeOf(quote({ fees }))).toBe('INVALID_SECONDARY_RAMP_QUOTE');
      }
    });

    it('until an instant that it tells in seconds, as a number or as text', async () => {
      for (const expires_at of [1_777_637_000, '1777637000']) {
        expect((await quote({ expires_at })).expiresAt).toEqual(new Date(1_777_637_000_000));
      }
    });
  });

  describe('moves money', () => {
    const deposit = {
      amount: 100,
      currency: 'USD',
      payment_rail: 'us_wire',
      reference: 'REF',
      bank_account: { bank_name: 'A Bank', routing_number: '021000021', account_number: '1', beneficiary_name: 'RAMP' },
    };
    const ana = { id: 'ana', status: 'approved', first_name: 'Ana', last_name: 'Lima' };
    const request = (changes: Partial<TicketRequest> = {}): TicketRequest => ({
      route: routeOf({ direction: 'onRamp' }),
      account,
      externalId: 'ours',
      walletAddress: WALLET,
      payout: undefined,
      quote: {
        amountIn: units(10_000n),
        amountOut: units(99_000_000n),
        fees: [],
        expiresAt: new Date(NOW + 300_000),
        execution: { quoteId: 'q', quotedAt: new Date(NOW).toISOString() },
      },
      ...changes,
    });

    it('in by wire, whichever of its names for that it uses', async () => {
      const opened = { id: 't', status: 'awaiting_deposit', sender_deposit_instructions: deposit, receipt: 'none' };
      const { ramp } = rampOf({ 'GET /v1/customers/ana': ana, 'POST /v1/payin': opened });
      expect(await ramp.openTicket(request(), signal())).toMatchObject({
        ticketId: 't',
        kind: 'payIn',
        instructions: { wire: { accountNumber: '1', beneficiary: 'RAMP', memo: 'REF' } },
      });
    });

    const quote = { ...request().quote, amountIn: units(100_000_000n), amountOut: units(8500n) };
    const payout = { rail: 'WIRE', beneficiary: BENEFICIARY } as const;
    const away = request({ route: routeOf(), quote, payout });
    const toChain = { amount: 100, currency: 'USDC', payment_rail: 'polygon', deposit_address: WALLET };
    const saved = (id: string, customer_id?: string) => ({
      id,
      ...(customer_id === undefined ? {} : { customer_id }),
      payment_rail: 'wire',
      bank_account_number: BENEFICIARY.accountNumber,
      routing_number: BENEFICIARY.routingNumber,
    });

    it('out to the account that the person has saved, and to nobody else’s of the same number', async () => {
      const opened = { id: 't', status: 'awaiting_deposit', sender_deposit_instructions: toChain };
      const { ramp, bodies } = rampOf({
        'GET /v1/customers/ana': ana,
        'POST /v1/payout': opened,
        'GET /v1/external-accounts': [saved('bobs', 'bob'), saved('anas', 'ana')],
      });
      expect(await ramp.openTicket(away, signal())).toMatchObject({ ticketId: 't', depositAddress: WALLET });
      expect(bodies('/v1/payout')).toMatchObject([{ quote_id: 'q', customer_id: 'ana' }]);
      expect(bodies('/v1/payout')[0].receiver).toEqual({ external_account_id: 'anas' });
      const alone = rampOf({ 'GET /v1/customers/ana': ana, 'GET /v1/external-accounts': [saved('bobs', 'bob')] });
      expect(await codeOf(alone.ramp.openTicket(away, signal()))).toBe('SECONDARY_RAMP_USD_OFFRAMP_ACCOUNT_MISSING');
    });

    it('and finds it again among transactions that cannot be read', async () => {
      const opened = { id: 't', status: 'awaiting_deposit', quote_id: 'q', sender_deposit_instructions: toChain };
      const odd = { id: 'odd', status: 'new', sender_deposit_instructions: { amount: 1 }, sender: 'somebody' };
      const { ramp } = rampOf({
        'GET /v1/customers/ana/transactions': [odd, opened],
        'GET /v1/transactions/t': opened,
      });
      expect(await ramp.findTicket(away, signal())).toMatchObject({ ticketId: 't' });
    });

    it('by Pix under the number by which taxes are paid, not any other document', async () => {
      const documents = [
        { type: 'national_id', value: '123456' },
        { type: 'tax_id', value: '12345678909' },
      ];
      const opened = {
        id: 't',
        status: 'awaiting_deposit',
        sender_deposit_instructions: toChain,
      };
      const { ramp, bodies } = rampOf({
        'GET /v1/customers/ana': { ...ana, identity_documents: documents },
        'POST /v1/payout': opened,
      });
      const pix = { rail: 'PIX', pixKey: 'ana@example.com', thirdParty: false } as const;
      await ramp.openTicket({ ...away, route: routeOf({ currency: 'BRL', rail: 'PIX' }), payout: pix }, signal());
      expect(bodies('/v1/payout')[0].receiver).toMatchObject({ document: '12345678909' });
    });
  });

  describe('knows people', () => {
    const ana = { id: 'ana', status: 'approved' };
    const stateOf = (answers: Readonly<Record<string, unknown>>) =>
      rampOf({ 'GET /v1/customers/ana': ana, ...answers }).ramp.verificationState(known, signal());
    const DETAILS = 'GET /v1/customers/ana/verification-details';
    const RAILS = 'GET /v1/customers/ana/rails';

    it('by their status, whatever it tells of the steps', async () => {
      const alone = { name: 'IDENTITY', rejection_code: 'BLURRED' };
      for (const steps of [
        refused(404),
        'none',
        { verification_steps: 5 },
        { verification_steps: { rejected: [alone] } },
      ])
        expect(await stateOf({ [DETAILS]: steps })).toMatchObject({ status: 'approved', capabilities: { BRL: true } });
      const turnedDown = { ...ana, status: 'rejected' };
      const told = { 'GET /v1/customers/ana': turnedDown, [DETAILS]: { verification_steps: { rejected: [alone] } } };
      expect(await stateOf(told)).toMatchObject({ status: 'rejected', rejectReason: 'BLURRED' });
    });

    it('and does not take their dollars away because it could not be asked about wires', async () => {
      expect(await stateOf({ [RAILS]: [{ payment_rail: 'us_wire', enabled: true }] })).toMatchObject({
        capabilities: { USD: true },
      });
      expect(await stateOf({ [RAILS]: refused(404) })).toMatchObject({ capabilities: { USD: false } });
      expect(await codeOf(stateOf({ [RAILS]: away() }))).toBe('SECONDARY_RAMP_API_ERROR');
    });

    it('by postal codes as they are: those of Brazil are digits, others are not', async () => {
      const living = async (address: Partial<Person['address']>) => {
        const { ramp, bodies } = rampOf({ 'POST /v1/customers': { id: 'new' } });
        await ramp.openAccount({ ...ANA, address: { ...ANA.address, ...address } }, { kycUserId: 'ana' }, signal());
        return bodies('/v1/customers')[0].address.postal_code as string;
      };
      expect(await living({ country: 'BRA', zipCode: '01310-100' })).toBe('01310100');
      expect(await living({ country: 'GBR', zipCode: 'SW1A 1AA' })).toBe('SW1A 1AA');
      expect(await living({ country: 'USA', zipCode: '33101-1234' })).toBe('33101-1234');
    });
  });
});

describe('the primary ramp', () => {
  const rampOf = (answers: Readonly<Record<string, unknown>>) => {
    const { http, bodies } = thirdParty(answers);
    const networks = { [devnet.chainId]: 'POLYGON' } as const;
    return { ramp: createPrimaryRamp({ http, apiUrl: 'https://ramp.example', networks, clock: () => NOW }), bodies };
  };
  const quote = {
    amountIn: units(10_000n),
    amountOut: units(99_000_000n),
    fees: [],
    expiresAt: new Date(NOW + 15_000),
  };
  const payIn: TicketRequest = {
    route: routeOf({ direction: 'onRamp' }),
    account,
    externalId: 'ours',
    walletAddress: WALLET,
    payout: undefined,
    quote: { ...quote, execution: { quoteToken: 'token' } },
  };

  it('waits for wires as long as it does by itself, and for Pix as long as it is told', async () => {
    const bankInstructions = { bankName: 'A', routingNumber: '1', accountNumber: '2', beneficiaryName: 'RAMP' };
    const opened = { id: 't', bankInstructions, expiration: 1_777_637_000 };
    const { ramp, bodies } = rampOf({ 'POST /v2/account/tickets/': opened });
    expect(await ramp.openTicket(payIn, signal())).toMatchObject({ ticketId: 't', kind: 'payIn' });
    expect(bodies('/v2/account/tickets/')[0]).not.toHaveProperty('customDuration');
    const pix = { ...payIn, route: routeOf({ direction: 'onRamp', currency: 'BRL', rail: 'PIX' }) };
    await codeOf(ramp.openTicket(pix, signal()));
    expect(bodies('/v2/account/tickets/')[1]).toMatchObject({ customDuration: 600 });
  });

  const paid = (changes: object) => {
    const ticket = { id: 't', status: 'PAID', updatedAt: new Date(NOW).toISOString(), ...changes };
    return rampOf({ 'GET /v2/account/tickets/t': { ticket } }).ramp.ticketState(
      't',
      { ...account, request: payIn },
      signal(),
    );
  };
  const txHash = `0x${'ab'.repeat(32)}`;

  it('has paid once it tells by which transaction, or has not told it for ten minutes', async () => {
    expect(await paid({ blockchainReceiverInfo: { txHash } })).toMatchObject({ status: 'completed', txHash });
    for (const blockchainReceiverInfo of [undefined, null, { txHash: '' }]) {
      expect(await paid({ blockchainReceiverInfo })).toEqual({ status: 'processing' });
    }
    const long = { updatedAt: new Date(NOW - 700_000).toISOString() };
    expect(await paid(long)).toMatchObject({ status: 'completed', txHash: undefined });
  });

  it('sends back by a transaction that it tells', async () => {
    const refund = (changes: object) => ({
      tickets: [
        { id: 'r', externalId: 'ours-refund', status: 'PAID', updatedAt: new Date(NOW).toISOString(), ...changes },
      ],
    });
    const stateWith = (changes: object) => {
      const failed = { id: 'p', externalId: 'ours', status: 'FAILED' };
      const { http } = thirdParty({});
      const get: HttpClient['get'] = (_path, query) =>
        Promise.resolve(query['externalId'] === 'ours' ? { tickets: [failed] } : refund(changes));
      const networks = { [devnet.chainId]: 'POLYGON' } as const;
      const ramp = createPrimaryRamp({ http: { ...http, get }, apiUrl: '', networks, clock: () => NOW });
      const payout = { rail: 'WIRE', beneficiary: BENEFICIARY } as const;
      const request = { ...payIn, route: routeOf(), payout };
      return ramp.ticketState('ours', { ...account, request }, signal());
    };
    expect(await stateWith({})).toMatchObject({ status: 'refunding' });
    expect(await stateWith({ blockchainReceiverInfo: { txHash } })).toMatchObject({ status: 'refunded', txHash });
  });

  it('tells limits and balances of currencies that are not ours in whatever form', async () => {
    const brl = { currency: 'BRL', maxFiatIn: '100', maxFiatOut: '100' };
    const limits = [{ currency: 'ARS', maxChainIn: 5 }, brl];
    const { ramp } = rampOf({ 'GET /v2/account/limits': { limitInfo: { blocked: false, limits } } });
    expect(await ramp.limits(account, signal())).toMatchObject([{ currency: 'BRL' }, { currency: 'BRL' }]);
  });

  it('lists bank accounts bare, or under any name', async () => {
    const path = '/v2/account/beneficiaries/bank-accounts/usd/';
    const saved = {
      id: 'saved',
      bankAccountNumber: BENEFICIARY.accountNumber,
      bankRoutingNumber: BENEFICIARY.routingNumber,
    };
    const masked = { id: 'masked', bankAccountNumber: null };
    for (const list of [[masked, saved], { beneficiaries: [saved], cursor: '' }, { usdBankAccounts: [saved] }]) {
      const { ramp, bodies } = rampOf({ [`GET ${path}`]: list });
      const target = { beneficiary: BENEFICIARY, method: 'WIRE' } as const;
      expect(await ramp.saveBeneficiary!(known, target, signal())).toBe('saved');
      expect(bodies(path)).toEqual([]);
    }
  });
});
