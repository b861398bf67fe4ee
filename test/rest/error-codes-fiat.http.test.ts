import { approvedPerson } from '../../scripts/demo/approved-person';
import { BANK_FIELDS, primaryEvidence, SECONDARY_DOCUMENTS } from '../../scripts/demo/person-evidence';
import { CATALOG_TABLES, type ErrorCode } from '../../src/errors/catalog';
import type { RestResponse } from '../setup/running-service';
import { type Fields, quote, quoteId, swapOn, tokenOf } from './error-codes-cases';
import { newWallet } from './error-codes-wallet';
import { expectFailure } from './expect-failure';
import { execute, type FiatCase, newAddress, newStranger, offRamp, onRamp, PIX_KEY, submit } from './fiat-codes-cases';
import { PIX_CASES } from './fiat-codes-pix';
import { RAMP_CASES } from './fiat-codes-ramps';
import { type FiatWorld, openFiatWorld } from './fiat-codes-world';
import { expectDocumented, expectNothingSaid, type Heard, newHeard, recorded } from './recorded-ask';

const { pix, ramps } = CATALOG_TABLES;
const TABLES: Readonly<Record<string, object>> = { Pix: pix, 'ramp providers and KYC': ramps };
const CASES: Partial<Record<ErrorCode, FiatCase>> = { ...PIX_CASES, ...RAMP_CASES };

let world: FiatWorld;
beforeAll(async () => {
  world = await openFiatWorld();
}, 60_000);
afterAll(() => world.stop());

const listening = (heard: Heard): FiatWorld => ({
  ...world,
  healthy: recorded(world.healthy, heard),
  other: recorded(world.other, heard),
  steered: recorded(world.steered, heard),
  unconfigured: recorded(world.unconfigured, heard),
});

describe.each(Object.entries(TABLES))('the table "%s"', (_, table) => {
  it.each(Object.keys(table) as ErrorCode[])('has %s, which a request is answered with', async (code) => {
    const produce = CASES[code];
    if (produce === undefined) throw new Error('no case produces it');
    const heard = newHeard();
    const answer = await produce(listening(heard));
    expectFailure(answer, code);
    expectNothingSaid(answer, heard);
    expectDocumented(code, heard);
  });
});

describe('a Pix key', () => {
  let wallet: string;
  beforeAll(async () => {
    wallet = (await newWallet(world.service, 'devnet')).address;
    await approvedPerson(world.steeredApi, { walletAddress: wallet });
  });

  const payOut = (fields: Fields) => quote(world.steered, offRamp(world.service, fields));
  const whileLookUp = (pixLookupStatus: number, ask: () => Promise<RestResponse>) =>
    world.whileRamp('primary', { pixLookupStatus }, ask);

  it.each([400, 404])(
    'that the ramp answers %d about is refused, even where only a price is wanted',
    async (status) => {
      expectFailure(await whileLookUp(status, () => payOut({ pixKey: PIX_KEY })), 'INVALID_PIX_KEY');
    },
  );

  it.each([401, 403, 408, 429, 500, 503])('is priced while its look-up answers %d', async (status) => {
    const answer = await whileLookUp(status, () => payOut({ pixKey: PIX_KEY }));
    expect(answer).toMatchObject({ status: 200, body: { quote: { quoteId: expect.any(String) } } });
    expect(answer.body).not.toHaveProperty('id');
  });

  it.each([401, 403, 408, 429])('is not paid to while its look-up answers %d', async (status) => {
    const priced = await quoteId(world.steered, offRamp(world.service));
    const order = { quoteId: priced, originAddress: wallet, pixKey: PIX_KEY };
    for (const ask of [() => payOut({ pixKey: PIX_KEY, originAddress: wallet }), () => execute(world.steered, order)]) {
      expectFailure(await whileLookUp(status, ask), 'PIX_KEY_LOOKUP_FAILED');
    }
  });

  it.each([500, 503])('is paid to while its look-up is broken by its own account (%d)', async (status) => {
    const quoted = await whileLookUp(status, () => payOut({ pixKey: PIX_KEY, originAddress: wallet }));
    expect(quoted).toMatchObject({ status: 200, body: { id: expect.any(String) } });
    const order = { quoteId: await quoteId(world.steered, offRamp(world.service)), originAddress: wallet };
    const executed = await whileLookUp(status, () => execute(world.steered, { ...order, pixKey: PIX_KEY }));
    expect(executed).toMatchObject({ status: 200, body: { id: expect.any(String) } });
  });

  it('is looked up when it comes with the execution alone', async () => {
    const order = { quoteId: await quoteId(world.steered, offRamp(world.service)), originAddress: wallet };
    const ask = () => execute(world.steered, { ...order, pixKey: PIX_KEY });
    expectFailure(await world.whileRamp('primary', { unknownPixKeys: [PIX_KEY] }, ask), 'INVALID_PIX_KEY');
    expect((await ask()).status).toBe(200);
  });

  it('that nobody named is not looked up', async () => {
    expect((await whileLookUp(404, () => payOut({ originAddress: wallet }))).status).toBe(200);
  });

  it.each([true, false])('is of a third party (%s) as the quote has it', async (thirdParty) => {
    const fields = offRamp(world.service, { thirdParty: String(thirdParty) });
    const order = { quoteId: await quoteId(world.steered, fields), originAddress: wallet, pixKey: PIX_KEY };
    const mismatch = await execute(world.steered, { ...order, thirdParty: !thirdParty });
    expectFailure(mismatch, 'PIX_THIRD_PARTY_QUOTE_MISMATCH');
    expect((await execute(world.steered, { ...order, thirdParty })).status).toBe(200);
  });
});

describe('a person whom a ramp has approved', () => {
  it('may pay at once, though nobody reads the status and no callback comes', async () => {
    const { steered, service } = world;
    const person = await newStranger(steered);
    const { walletAddress: wallet } = person;
    const unheard = { callbacks: false, autoApproveMs: 0 };
    const answer = await world.whileRamp('primary', unheard, async () => {
      const submitted = await submit(steered, person, primaryEvidence(person.cpf));
      expect(submitted.body).toMatchObject({ status: 'provider_pending' });
      return quote(steered, onRamp(service, { destinationAddress: wallet, originAddress: wallet }));
    });
    expect(answer).toMatchObject({ status: 200, body: { id: expect.any(String), paymentInstructions: {} } });
  });
});

describe('somebody else’s person', () => {
  it('is told from nobody by no answer', async () => {
    const { service, healthy, other } = world;
    const { kycUserId, walletAddress } = await newStranger(healthy);
    const nobody = newAddress();
    const both = async (ask: (wallet: string) => Promise<RestResponse>) => {
      const answers = [await ask(walletAddress), await ask(nobody)];
      for (const answer of answers) expectFailure(answer, 'KYC_PROFILE_NOT_FOUND');
      expect(answers[0]!.body).toEqual(answers[1]!.body);
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
  it.each(['uniswapV3', 'across', 'nobody'])('is no ramp: %s', async (rampProvider) => {
    const { service, healthy } = world;
    const { kycUserId } = await newStranger(healthy);
    const body = { kycUserId, currency: 'USD', rampProvider };
    expectFailure(await quote(healthy, onRamp(service, { rampProvider })), 'INVALID_RAMP_PROVIDER');
    const limits = `/api/v1/limits?kycUserId=${kycUserId}&rampProvider=${rampProvider}`;
    expectFailure(await healthy(limits), 'INVALID_RAMP_PROVIDER');
    expectFailure(await healthy('/api/v1/kyc/currency-unlock', { body }), 'INVALID_RAMP_PROVIDER');
  });

  it('that was named is not eligible for tokens of reais that are another ramp’s; nobody’s have no route', async () => {
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
    expectFailure(await quote(healthy, offRamp(service, { tokenIn: toll, ...reais })), 'NO_ROUTE_FOUND');
  });

  it('is the primary one when empty, means nothing between tokens, and has a name of its own in any case', async () => {
    const { service, healthy } = world;
    const provider = async (fields: Fields) => (await quote(healthy, onRamp(service, fields))).body.quote.provider;
    expect(await provider({ rampProvider: '' })).toBe('avenia');
    expect(await provider({ rampProvider: 'PRIMARY' })).toBe('primary');
    expect(await provider({ rampProvider: 'UnblockPay' })).toBe('unblockpay');
    expect((await quote(healthy, { ...swapOn(service), rampProvider: 'nobody' })).status).toBe(200);
  });
});

it('the secondary ramp failed when it does not answer in time, too', async () => {
  const bySecondary = onRamp(world.service, { rampProvider: 'secondary' });
  const answer = await world.whileRamp('secondary', { delayMs: 6000 }, () => quote(world.steered, bySecondary));
  expectFailure(answer, 'SECONDARY_RAMP_API_ERROR');
});

describe('of several reasons to refuse', () => {
  const nobody = () => {
    const wallet = newAddress();
    return { originAddress: wallet, destinationAddress: wallet };
  };

  it('the ramp and its rail come before its key', async () => {
    const { unconfigured, service } = world;
    const bySecondary = { rampProvider: 'secondary', ...nobody() };
    const ach = { ...bySecondary, tokenOut: 'USD', usdPaymentMethod: 'ACH' };
    expectFailure(await quote(unconfigured, offRamp(service, ach)), 'RAMP_PROVIDER_NOT_ELIGIBLE');
    const thirdParty = { ...bySecondary, thirdParty: 'true' };
    expectFailure(await quote(unconfigured, offRamp(service, thirdParty)), 'RAMP_PROVIDER_NOT_ELIGIBLE');
  });

  it('its key comes before its people', async () => {
    const { unconfigured } = world;
    const { kycUserId } = await newStranger(unconfigured);
    const person = { kycUserId, rampProvider: 'secondary' };
    const limits = `/api/v1/limits?${new URLSearchParams(person).toString()}`;
    expectFailure(await unconfigured(limits), 'SECONDARY_RAMP_NOT_CONFIGURED');
    const body = { ...person, currency: 'USD', ...BANK_FIELDS };
    expectFailure(await unconfigured('/api/v1/kyc/currency-unlock', { body }), 'SECONDARY_RAMP_NOT_CONFIGURED');
    const document = { body: SECONDARY_DOCUMENTS[0] };
    const documents = await unconfigured(`/api/v1/kyc/sessions/${kycUserId}/documents`, document);
    expectFailure(documents, 'SECONDARY_RAMP_NOT_CONFIGURED');
  });

  it('its people come before the amount, and the amount before the ramp is asked', async () => {
    const { steered, service } = world;
    const tooLow = { rampProvider: 'secondary', amountIn: '1' };
    expectFailure(await quote(steered, onRamp(service, { ...tooLow, ...nobody() })), 'KYC_PROFILE_NOT_FOUND');
    const ask = () => quote(steered, onRamp(service, tooLow));
    expectFailure(await world.whileRamp('secondary', { failWith: 503 }, ask), 'AMOUNT_IN_TOO_LOW_ONRAMP');
  });
});

describe('GraphQL', () => {
  /** Arguments that are no texts. */
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
  ] as const)('has %s for what REST has it for, with the same details', async (code, fields) => {
    const asked = fields();
    const [restful, graphql] = [await quote(world.healthy, asked), await graphqlQuote(asked)];
    expectFailure(restful, code);
    expectFailure(graphql, code);
    const { message, extensions } = graphql.body.errors[0];
    expect({ message, ...extensions }).toEqual(restful.body.error);
  });

  it('has the codes of tickets and people, too', async () => {
    const { healthy, service } = world;
    const id = await quoteId(healthy, offRamp(service));
    const order = `quoteId: "${id}", originAddress: "${newAddress()}"`;
    const execution = `mutation { createSwapTransaction(${order}) { id } }`;
    expectFailure(await healthy('/graphql', { body: { query: execution } }), 'MISSING_PIX_KEY');
    const status = `{ kycStatus(walletAddress: "${newAddress()}") { status } }`;
    expectFailure(await healthy('/graphql', { body: { query: status } }), 'KYC_PROFILE_NOT_FOUND');
  });
});
