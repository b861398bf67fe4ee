import type { HttpClient } from '../../src/http/http-client';
import { createPrimaryRamp } from '../../src/ramps/providers/primary/primary-ramp';
import type { TicketRequest } from '../../src/ramps/ramp-provider';
import { devnet, units } from '../swaps/swap-world';
import { account, codeOf, NOW, routeOf, scriptedApi, signal, verifiableAccount, WALLET } from './scripted-ramp-api';
import { BENEFICIARY } from './secondary-ramp-world';

// The formats that the guides leave open, or show in several variants.

describe('responses of the primary ramp', () => {
  const rampOf = (responses: Readonly<Record<string, unknown>>) => {
    const { http, bodies } = scriptedApi(responses);
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
    externalId: 'external',
    walletAddress: WALLET,
    payout: undefined,
    quote: { ...quote, execution: { quoteToken: 'token' } },
  };

  it('are to requests with a duration for Pix deposits only', async () => {
    const bankInstructions = { bankName: 'A', routingNumber: '1', accountNumber: '2', beneficiaryName: 'RAMP' };
    const opened = { id: 't', bankInstructions, expiration: 1_777_637_000 };
    const { ramp, bodies } = rampOf({ 'POST /v2/account/tickets/': opened });
    expect(await ramp.openTicket(payIn, signal())).toMatchObject({ ticketId: 't', kind: 'payIn' });
    expect(bodies('/v2/account/tickets/')[0]).not.toHaveProperty('customDuration');
    const pix = { ...payIn, route: routeOf({ direction: 'onRamp', currency: 'BRL', rail: 'PIX' }) };
    await codeOf(ramp.openTicket(pix, signal()));
    expect(bodies('/v2/account/tickets/')[1]).toMatchObject({ customDuration: 600 });
  });

  const stateOfPaid = (changes: object) => {
    const ticket = { id: 't', status: 'PAID', updatedAt: new Date(NOW).toISOString(), ...changes };
    return rampOf({ 'GET /v2/account/tickets/t': { ticket } }).ramp.ticketState(
      't',
      { ...account, request: payIn },
      signal(),
    );
  };
  const txHash = `0x${'ab'.repeat(32)}`;

  it('complete a settlement with its transaction, or after ten minutes without one', async () => {
    expect(await stateOfPaid({ blockchainReceiverInfo: { txHash } })).toMatchObject({ status: 'completed', txHash });
    for (const blockchainReceiverInfo of [undefined, null, { txHash: '' }]) {
      expect(await stateOfPaid({ blockchainReceiverInfo })).toEqual({ status: 'processing' });
    }
    const long = { updatedAt: new Date(NOW - 700_000).toISOString() };
    expect(await stateOfPaid(long)).toMatchObject({ status: 'completed', txHash: undefined });
  });

  it('complete a refund with its transaction', async () => {
    const refund = (changes: object) => ({
      tickets: [
        { id: 'r', externalId: 'external-refund', status: 'PAID', updatedAt: new Date(NOW).toISOString(), ...changes },
      ],
    });
    const stateWith = (changes: object) => {
      const failed = { id: 'p', externalId: 'external', status: 'FAILED' };
      const { http } = scriptedApi({});
      const get: HttpClient['get'] = (_path, query) =>
        Promise.resolve(query['externalId'] === 'external' ? { tickets: [failed] } : refund(changes));
      const networks = { [devnet.chainId]: 'POLYGON' } as const;
      const ramp = createPrimaryRamp({ http: { ...http, get }, apiUrl: '', networks, clock: () => NOW });
      const payout = { rail: 'WIRE', beneficiary: BENEFICIARY } as const;
      const request = { ...payIn, route: routeOf(), payout };
      return ramp.ticketState('external', { ...account, request }, signal());
    };
    expect(await stateWith({})).toMatchObject({ status: 'refunding' });
    expect(await stateWith({ blockchainReceiverInfo: { txHash } })).toMatchObject({ status: 'refunded', txHash });
  });

  it('may have limits of unsupported currencies in any format', async () => {
    const brl = { currency: 'BRL', maxFiatIn: '100', maxFiatOut: '100' };
    const limits = [{ currency: 'ARS', maxChainIn: 5 }, brl];
    const { ramp } = rampOf({ 'GET /v2/account/limits': { limitInfo: { blocked: false, limits } } });
    expect(await ramp.accountLimits(account, signal())).toMatchObject([{ currency: 'BRL' }, { currency: 'BRL' }]);
  });

  it('may list bank accounts as a bare array, or under any name', async () => {
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
      expect(await ramp.saveBeneficiary!(verifiableAccount, target, signal())).toBe('saved');
      expect(bodies(path)).toEqual([]);
    }
  });
});
