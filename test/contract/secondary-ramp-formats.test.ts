import type { Person } from '../../src/ramps/kyc-provider';
import { createSecondaryRamp } from '../../src/ramps/providers/secondary/secondary-ramp';
import type { TicketRequest } from '../../src/ramps/ramp-provider';
import { devnet, units } from '../swaps/swap-world';
import { ANA } from './primary-ramp-people';
import {
  account,
  codeOf,
  NOW,
  refusal,
  routeOf,
  scriptedApi,
  signal,
  unreachable,
  verifiableAccount,
  WALLET,
} from './scripted-ramp-api';
import { BENEFICIARY } from './secondary-ramp-world';

// The formats that the guides leave open, or show in several variants.

describe('responses of the secondary ramp', () => {
  const clock = () => NOW;
  const rampOf = (responses: Readonly<Record<string, unknown>>) => {
    const { http, bodies } = scriptedApi(responses);
    return { ramp: createSecondaryRamp({ http, networks: { [devnet.chainId]: 'polygon' }, clock }), bodies };
  };

  describe('to a quote', () => {
    const response = { id: 'q', expires_at: '2026-05-01T12:05:00Z', commercial_quotation: '1', fees: [{ amount: 15 }] };
    const quote = (changes: object, side: 'in' | 'out' = 'in') => {
      const { ramp } = rampOf({ 'POST /v1/quote': { ...response, ...changes } });
      const amount = side === 'in' ? units(100_000_000n) : units(10_000n);
      return ramp.quote({ route: routeOf(), side, amount, account: undefined, thirdParty: false }, signal());
    };

    it('may omit the computed amount, which follows from the rate', async () => {
      const echoed = { sender: { currency: 'USDC', amount: 100 }, receiver: { currency: 'USD' } };
      expect(await quote(echoed)).toMatchObject({ amountIn: 100_000_000n, amountOut: 8500n });
      const out = { sender: { currency: 'USDC' }, receiver: { currency: 'USD', amount: 100 } };
      expect(await quote(out, 'out')).toMatchObject({ amountIn: 115_000_000n, amountOut: 10_000n });
    });

    it('may have fees in an unknown format when they have both amounts', async () => {
      const amounts = { sender: { amount: 100 }, receiver: { amount: 84.5 } };
      for (const fees of [{ flat: 15 }, 'fifteen', [{ percent: 1 }]]) {
        expect(await quote({ ...amounts, fees })).toMatchObject({ amountOut: 8450n, fees: [] });
        expect(await codeOf(quote({ fees }))).toBe('INVALID_SECONDARY_RAMP_QUOTE');
      }
    });

    it('may have the expiry in seconds, as a number or as text', async () => {
      for (const expires_at of [1_777_637_000, '1777637000']) {
        expect((await quote({ expires_at })).expiresAt).toEqual(new Date(1_777_637_000_000));
      }
    });
  });

  describe('to a ticket', () => {
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
      externalId: 'external',
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

    it('may have either name of a domestic wire', async () => {
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
    const offRamp = request({ route: routeOf(), quote, payout });
    const toChain = { amount: 100, currency: 'USDC', payment_rail: 'polygon', deposit_address: WALLET };
    const saved = (id: string, customer_id?: string) => ({
      id,
      ...(customer_id === undefined ? {} : { customer_id }),
      payment_rail: 'wire',
      bank_account_number: BENEFICIARY.accountNumber,
      routing_number: BENEFICIARY.routingNumber,
    });

    it('may list bank accounts of other customers, which receive no payout', async () => {
      const opened = { id: 't', status: 'awaiting_deposit', sender_deposit_instructions: toChain };
      const { ramp, bodies } = rampOf({
        'GET /v1/customers/ana': ana,
        'POST /v1/payout': opened,
        'GET /v1/external-accounts': [saved('bobs', 'bob'), saved('anas', 'ana')],
      });
      expect(await ramp.openTicket(offRamp, signal())).toMatchObject({ ticketId: 't', depositAddress: WALLET });
      expect(bodies('/v1/payout')).toMatchObject([{ quote_id: 'q', customer_id: 'ana' }]);
      expect(bodies('/v1/payout')[0].receiver).toEqual({ external_account_id: 'anas' });
      const without = rampOf({ 'GET /v1/customers/ana': ana, 'GET /v1/external-accounts': [saved('bobs', 'bob')] });
      expect(await codeOf(without.ramp.openTicket(offRamp, signal()))).toBe(
        'SECONDARY_RAMP_USD_OFFRAMP_ACCOUNT_MISSING',
      );
    });

    it('may list unreadable transactions beside the requested one', async () => {
      const opened = { id: 't', status: 'awaiting_deposit', quote_id: 'q', sender_deposit_instructions: toChain };
      const odd = { id: 'odd', status: 'new', sender_deposit_instructions: { amount: 1 }, sender: 'unknown' };
      const { ramp } = rampOf({
        'GET /v1/customers/ana/transactions': [odd, opened],
        'GET /v1/transactions/t': opened,
      });
      expect(await ramp.findTicket(offRamp, signal())).toMatchObject({ ticketId: 't' });
    });

    it('may have several documents, and a Pix payout uses the tax id', async () => {
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
      await ramp.openTicket({ ...offRamp, route: routeOf({ currency: 'BRL', rail: 'PIX' }), payout: pix }, signal());
      expect(bodies('/v1/payout')[0].receiver).toMatchObject({ document: '12345678909' });
    });
  });

  describe('about a person', () => {
    const ana = { id: 'ana', status: 'approved' };
    const stateOf = (responses: Readonly<Record<string, unknown>>) =>
      rampOf({ 'GET /v1/customers/ana': ana, ...responses }).ramp.verificationState(verifiableAccount, signal());
    const DETAILS = 'GET /v1/customers/ana/verification-details';
    const RAILS = 'GET /v1/customers/ana/rails';

    it('may have unreadable steps, and the status counts', async () => {
      const step = { name: 'IDENTITY', rejection_code: 'BLURRED' };
      for (const steps of [
        refusal(404),
        'none',
        { verification_steps: 5 },
        { verification_steps: { rejected: [step] } },
      ])
        expect(await stateOf({ [DETAILS]: steps })).toMatchObject({ status: 'approved', capabilities: { BRL: true } });
      const rejected = { ...ana, status: 'rejected' };
      const responses = { 'GET /v1/customers/ana': rejected, [DETAILS]: { verification_steps: { rejected: [step] } } };
      expect(await stateOf(responses)).toMatchObject({ status: 'rejected', rejectReason: 'BLURRED' });
    });

    it('enable dollars by wire rails, and fail when the rails are unavailable', async () => {
      expect(await stateOf({ [RAILS]: [{ payment_rail: 'us_wire', enabled: true }] })).toMatchObject({
        capabilities: { USD: true },
      });
      expect(await stateOf({ [RAILS]: refusal(404) })).toMatchObject({ capabilities: { USD: false } });
      expect(await codeOf(stateOf({ [RAILS]: unreachable() }))).toBe('SECONDARY_RAMP_API_ERROR');
    });

    it('are to requests with digits in postal codes of Brazil, and unchanged ones elsewhere', async () => {
      const postalCodeSent = async (address: Partial<Person['address']>) => {
        const { ramp, bodies } = rampOf({ 'POST /v1/customers': { id: 'new' } });
        await ramp.openAccount({ ...ANA, address: { ...ANA.address, ...address } }, { kycUserId: 'ana' }, signal());
        return bodies('/v1/customers')[0].address.postal_code as string;
      };
      expect(await postalCodeSent({ country: 'BRA', zipCode: '01310-100' })).toBe('01310100');
      expect(await postalCodeSent({ country: 'GBR', zipCode: 'SW1A 1AA' })).toBe('SW1A 1AA');
      expect(await postalCodeSent({ country: 'USA', zipCode: '33101-1234' })).toBe('33101-1234');
    });
  });
});
