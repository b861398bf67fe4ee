import { approvedPerson } from '../../scripts/demo/approved-person';
import { BANK_FIELDS, primaryEvidence, SECONDARY_DOCUMENTS } from '../../scripts/demo/person-evidence';
import { CATALOG_TABLES, type ErrorCode } from '../../src/errors/catalog';
import { until } from '../resilience/until';
import type { RestResponse } from '../setup/running-service';
import { type Fields, quote, quoteId, swapOn, tokenOf } from './error-codes-cases';
import { newWallet } from './error-codes-wallet';
import { expectFailure } from './expect-failure';
import { execute, type FiatCase, newAddress, newPerson, offRamp, onRamp, PIX_KEY, submit } from './fiat-codes-cases';
import { PIX_CASES } from './fiat-codes-pix';
import { RAMP_CASES } from './fiat-codes-ramps';
import { type FiatWorld, openFiatWorld } from './fiat-codes-world';
import { expectNoPersonalData, type RequestRecord, newRequestRecord, recordingSender } from './request-record';

const { pix, ramps } = CATALOG_TABLES;
const TABLES: Readonly<Record<string, object>> = { Pix: pix, 'ramp providers and KYC': ramps };
const CASES: Partial<Record<ErrorCode, FiatCase>> = { ...PIX_CASES, ...RAMP_CASES };

let world: FiatWorld;
beforeAll(async () => {
  world = await openFiatWorld();
});
afterAll(() => world.stop());

const recordingWorld = (record: RequestRecord): FiatWorld => ({
  ...world,
  healthy: recordingSender(world.healthy, record),
  other: recordingSender(world.other, record),
  controlled: recordingSender(world.controlled, record),
  unconfigured: recordingSender(world.unconfigured, record),
});

describe.each(Object.entries(TABLES))('the table "%s"', (_, table) => {
  it.each(Object.keys(table) as ErrorCode[])('contains %s, and a request fails with it', async (code) => {
    const produce = CASES[code];
    if (produce === undefined) throw new Error('there is no case for the code');
    const record = newRequestRecord();
    const response = await produce(recordingWorld(record));
    expectFailure(response, code);
    expectNoPersonalData(response, record);
  });
});

describe('a Pix key', () => {
  let wallet: string;
  beforeAll(async () => {
    wallet = (await newWallet(world.service, 'devnet')).address;
    await approvedPerson(world.controlledApi, { walletAddress: wallet });
  });

  const payOut = (fields: Fields) => quote(world.controlled, offRamp(world.service, fields));
  const withLookupStatus = (pixLookupStatus: number, request: () => Promise<RestResponse>) =>
    world.whileRamp('primary', { pixLookupStatus }, request);

  it.each([400, 404])(
    'is refused when the ramp returns %d for it, also in a request for a price only',
    async (status) => {
      expectFailure(await withLookupStatus(status, () => payOut({ pixKey: PIX_KEY })), 'INVALID_PIX_KEY');
    },
  );

  it.each([401, 403, 408, 429, 500, 503])('is priced while its lookup returns %d', async (status) => {
    const response = await withLookupStatus(status, () => payOut({ pixKey: PIX_KEY }));
    expect(response).toMatchObject({ status: 200, body: { quote: { quoteId: expect.any(String) } } });
    expect(response.body).not.toHaveProperty('id');
  });

  it.each([401, 403, 408, 429])(
    'is refused for an executable quote and an execution while its lookup returns %d',
    async (status) => {
      const priced = await quoteId(world.controlled, offRamp(world.service));
      const order = { quoteId: priced, originAddress: wallet, pixKey: PIX_KEY };
      for (const request of [
        () => payOut({ pixKey: PIX_KEY, originAddress: wallet }),
        () => execute(world.controlled, order),
      ]) {
        expectFailure(await withLookupStatus(status, request), 'PIX_KEY_LOOKUP_FAILED');
      }
    },
  );

  it.each([500, 503])('is accepted while the lookup fails with the server error %d', async (status) => {
    const quoted = await withLookupStatus(status, () => payOut({ pixKey: PIX_KEY, originAddress: wallet }));
    expect(quoted).toMatchObject({ status: 200, body: { id: expect.any(String) } });
    const order = { quoteId: await quoteId(world.controlled, offRamp(world.service)), originAddress: wallet };
    const executed = await withLookupStatus(status, () => execute(world.controlled, { ...order, pixKey: PIX_KEY }));
    expect(executed).toMatchObject({ status: 200, body: { id: expect.any(String) } });
  });

  it('is looked up when only the execution contains it', async () => {
    const order = { quoteId: await quoteId(world.controlled, offRamp(world.service)), originAddress: wallet };
    const request = () => execute(world.controlled, { ...order, pixKey: PIX_KEY });
    expectFailure(await world.whileRamp('primary', { unknownPixKeys: [PIX_KEY] }, request), 'INVALID_PIX_KEY');
    expect((await request()).status).toBe(200);
  });

  it('is not looked up when the request omits it', async () => {
    expect((await withLookupStatus(404, () => payOut({ originAddress: wallet }))).status).toBe(200);
  });

  it.each([true, false])('requires the same thirdParty as the quote (%s)', async (thirdParty) => {
    const fields = offRamp(world.service, { thirdParty: String(thirdParty) });
    const order = { quoteId: await quoteId(world.controlled, fields), originAddress: wallet, pixKey: PIX_KEY };
    const mismatch = await execute(world.controlled, { ...order, thirdParty: !thirdParty });
    expectFailure(mismatch, 'PIX_THIRD_PARTY_QUOTE_MISMATCH');
    expect((await execute(world.controlled, { ...order, thirdParty })).status).toBe(200);
  });
});

describe('a person approved by a ramp', () => {
  it('may pay immediately, without a status request and without a callback', async () => {
    const { controlled, service } = world;
    const person = await newPerson(controlled);
    const { walletAddress: wallet } = person;
    const withoutCallbacks = { callbacks: false, autoApproveMs: 0 };
    const response = await world.whileRamp('primary', withoutCallbacks, async () => {
      const submitted = await submit(controlled, person, primaryEvidence(person.cpf));
      expect(submitted.body).toMatchObject({ status: 'provider_pending' });
      // The worker of the running service shares the database. When it has just polled its own ramp, which does not have
      // the account, quotes poll again after the cooldown.
      let quoted: RestResponse | undefined;
      await until('a quote has polled the ramp', async () => {
        quoted = await quote(controlled, onRamp(service, { destinationAddress: wallet, originAddress: wallet }));
        return quoted.body.error?.code !== 'KYC_PROFILE_INCOMPLETE_FOR_RAMP';
      });
      return quoted!;
    });
    expect(response).toMatchObject({ status: 200, body: { id: expect.any(String), paymentInstructions: {} } });
  });
});

describe('a person of another customer', () => {
  it('is indistinguishable from an unknown person in every response', async () => {
    const { service, healthy, other } = world;
    const { kycUserId, walletAddress } = await newPerson(healthy);
    const unknownWallet = newAddress();
    const both = async (request: (wallet: string) => Promise<RestResponse>) => {
      const responses = [await request(walletAddress), await request(unknownWallet)];
      for (const response of responses) expectFailure(response, 'KYC_PROFILE_NOT_FOUND');
      expect(responses[0]!.body).toEqual(responses[1]!.body);
    };
    await both((wallet) => quote(other, onRamp(service, { originAddress: wallet, destinationAddress: wallet })));
    await both((originAddress) => quote(other, offRamp(service, { originAddress, pixKey: PIX_KEY })));
    const priced = await quoteId(other, offRamp(service));
    await both((originAddress) => execute(other, { quoteId: priced, originAddress, pixKey: PIX_KEY }));
    await both((wallet) => other(`/api/v1/kyc/status?walletAddress=${wallet}`));
    await both((wallet) => other(`/api/v1/limits?walletAddress=${wallet}`));
    expectFailure(await other(`/api/v1/kyc/status?kycUserId=${kycUserId}`), 'KYC_PROFILE_NOT_FOUND');
    expectFailure(await other(`/api/v1/kyc/${kycUserId}/wallets`), 'KYC_PROFILE_NOT_FOUND');
  });
});

describe('rampProvider', () => {
  it.each(['uniswapV3', 'across', 'unknown', 'x'.repeat(65)])(
    'is refused when it is no ramp: %s',
    async (rampProvider) => {
      const { service, healthy } = world;
      const { kycUserId } = await newPerson(healthy);
      const body = { kycUserId, currency: 'USD', rampProvider };
      expectFailure(await quote(healthy, onRamp(service, { rampProvider })), 'INVALID_RAMP_PROVIDER');
      const limits = `/api/v1/limits?kycUserId=${kycUserId}&rampProvider=${rampProvider}`;
      expectFailure(await healthy(limits), 'INVALID_RAMP_PROVIDER');
      expectFailure(await healthy('/api/v1/kyc/currency-unlock', { body }), 'INVALID_RAMP_PROVIDER');
    },
  );

  it('is not eligible for BRL tokens of another ramp, and BRL tokens without a ramp have no route', async () => {
    const { service, healthy } = world;
    const [brla, toll] = [tokenOf(service, 'devnet', 'BRLA'), tokenOf(service, 'devnet', 'TOLL')];
    const reais = { amountIn: (10n ** 20n).toString() };
    for (const rampProvider of ['secondary', 'UnblockPay']) {
      expectFailure(
        await quote(healthy, onRamp(service, { tokenOut: brla, rampProvider })),
        'RAMP_PROVIDER_NOT_ELIGIBLE',
      );
      const sale = offRamp(service, { tokenIn: brla, rampProvider, ...reais });
      expectFailure(await quote(healthy, sale), 'RAMP_PROVIDER_NOT_ELIGIBLE');
    }
    // A venue that does not respond in time on a busy machine may have a route: the result is final when all have responded.
    let response: RestResponse | undefined;
    await until('every venue has responded for the route', async () => {
      response = await quote(healthy, offRamp(service, { tokenIn: toll, ...reais }));
      return response.body.error?.code !== 'QUOTE_GENERATION_FAILED';
    });
    expectFailure(response!, 'NO_ROUTE_FOUND');
  });

  it('defaults to the primary ramp, is ignored between tokens, and accepts brand names in any case', async () => {
    const { service, healthy } = world;
    const provider = async (fields: Fields) => (await quote(healthy, onRamp(service, fields))).body.quote.provider;
    expect(await provider({ rampProvider: '' })).toBe('avenia');
    expect(await provider({ rampProvider: 'PRIMARY' })).toBe('primary');
    expect(await provider({ rampProvider: 'UnblockPay' })).toBe('unblockpay');
    for (const rampProvider of ['unknown', 'x'.repeat(65)])
      expect((await quote(healthy, { ...swapOn(service), rampProvider })).status).toBe(200);
  });
});

it('a timeout of the secondary ramp is SECONDARY_RAMP_API_ERROR', async () => {
  const bySecondary = onRamp(world.service, { rampProvider: 'secondary' });
  const response = await world.whileRamp('secondary', { delayMs: 25_000 }, () => quote(world.controlled, bySecondary));
  expectFailure(response, 'SECONDARY_RAMP_API_ERROR');
});

describe('the order of several errors', () => {
  const unknownParties = () => {
    const wallet = newAddress();
    return { originAddress: wallet, destinationAddress: wallet };
  };

  it('puts the ramp and its payment method before its API key', async () => {
    const { unconfigured, service } = world;
    const bySecondary = { rampProvider: 'secondary', ...unknownParties() };
    const ach = { ...bySecondary, tokenOut: 'USD', usdPaymentMethod: 'ACH' };
    expectFailure(await quote(unconfigured, offRamp(service, ach)), 'RAMP_PROVIDER_NOT_ELIGIBLE');
    const thirdParty = { ...bySecondary, thirdParty: 'true' };
    expectFailure(await quote(unconfigured, offRamp(service, thirdParty)), 'RAMP_PROVIDER_NOT_ELIGIBLE');
  });

  it('puts the API key of the ramp before its KYC profiles', async () => {
    const { unconfigured } = world;
    const { kycUserId } = await newPerson(unconfigured);
    const person = { kycUserId, rampProvider: 'secondary' };
    const limits = `/api/v1/limits?${new URLSearchParams(person).toString()}`;
    expectFailure(await unconfigured(limits), 'SECONDARY_RAMP_NOT_CONFIGURED');
    const body = { ...person, currency: 'USD', ...BANK_FIELDS };
    expectFailure(await unconfigured('/api/v1/kyc/currency-unlock', { body }), 'SECONDARY_RAMP_NOT_CONFIGURED');
    const document = { body: SECONDARY_DOCUMENTS[0] };
    const documents = await unconfigured(`/api/v1/kyc/sessions/${kycUserId}/documents`, document);
    expectFailure(documents, 'SECONDARY_RAMP_NOT_CONFIGURED');
  });

  it('puts the KYC profile before the amount, and the amount before the request to the ramp', async () => {
    const { controlled, service } = world;
    const tooLow = { rampProvider: 'secondary', amountIn: '1' };
    expectFailure(
      await quote(controlled, onRamp(service, { ...tooLow, ...unknownParties() })),
      'KYC_PROFILE_NOT_FOUND',
    );
    const request = () => quote(controlled, onRamp(service, tooLow));
    expectFailure(await world.whileRamp('secondary', { failWith: 503 }, request), 'AMOUNT_IN_TOO_LOW_ONRAMP');
  });
});

describe('GraphQL', () => {
  /** Arguments that are not strings. */
  const LITERALS = new Set(['thirdParty', 'usdPaymentMethod']);

  const graphqlQuote = (fields: Fields): Promise<RestResponse> => {
    const literal = ([name, value]: [string, string]) =>
      `${name}: ${LITERALS.has(name) ? value : JSON.stringify(value)}`;
    const query = `{ swapQuote(${Object.entries(fields).map(literal).join(', ')}) { quote { quoteId } } }`;
    return world.healthy('/graphql', { body: { query } });
  };

  it.each([
    ['INVALID_PIX_KEY', () => offRamp(world.service, { pixKey: '123.456.789-00' })],
    ['INVALID_PIX_BRCODE_FORMAT', () => offRamp(world.service, { pixKey: '0002010102' })],
    ['INVALID_RAMP_PROVIDER', () => onRamp(world.service, { rampProvider: 'across' })],
    [
      'RAMP_PROVIDER_NOT_ELIGIBLE',
      () => offRamp(world.service, { tokenOut: 'USD', usdPaymentMethod: 'ACH', rampProvider: 'secondary' }),
    ],
    ['KYC_PROFILE_NOT_FOUND', () => offRamp(world.service, { originAddress: newAddress(), pixKey: PIX_KEY })],
    ['AMOUNT_IN_TOO_LOW_ONRAMP', () => onRamp(world.service, { amountIn: '99' })],
    ['AMOUNT_OUT_TOO_HIGH_OFFRAMP', () => offRamp(world.service, { amountOut: '11000000' })],
    ['ROUTER_EXACT_OUT_UNSUPPORTED', () => offRamp(world.service, { amountOut: '10000' })],
    ['RAMP_AMOUNT_OUT_OF_RANGE', () => offRamp(world.service, { tokenOut: 'USD', amountIn: '2000000' })],
  ] as const)('fails with %s in the same cases as REST, with the same details', async (code, fields) => {
    const args = fields();
    const [restful, graphql] = [await quote(world.healthy, args), await graphqlQuote(args)];
    expectFailure(restful, code);
    expectFailure(graphql, code);
    const { message, extensions } = graphql.body.errors[0];
    expect({ message, ...extensions }).toEqual(restful.body.error);
  });

  it('has the codes of executions and KYC profiles too', async () => {
    const { healthy, service } = world;
    const id = await quoteId(healthy, offRamp(service));
    const order = `quoteId: "${id}", originAddress: "${newAddress()}"`;
    const execution = `mutation { createSwapTransaction(${order}) { id } }`;
    expectFailure(await healthy('/graphql', { body: { query: execution } }), 'MISSING_PIX_KEY');
    const status = `{ kycStatus(walletAddress: "${newAddress()}") { status } }`;
    expectFailure(await healthy('/graphql', { body: { query: status } }), 'KYC_PROFILE_NOT_FOUND');
  });
});
