import { randomUUID } from 'node:crypto';
import { graphql } from 'graphql';
import { createSingleFlight } from '../../src/async/single-flight';
import type { CustomerId } from '../../src/auth/principal';
import { createRequestContext } from '../../src/auth/request-context';
import { toBaseUnits } from '../../src/money/base-units';
import type { IdentityDeps } from '../../src/kyc/identity-deps';
import type { AccountLimit } from '../../src/ramps/ramp-provider';
import { providerUnavailable } from '../../src/http/upstream-error';
import { createKycSubgraph } from '../../subgraphs/kyc';
import { evidenceOf, secondaryOf } from './kyc-bodies';
import {
  type KycResponse,
  type KycGateway,
  newWallet,
  type Opened,
  openedSession,
  startKycGateway,
} from './kyc-gateway';
import { rampFailure, type ScriptedRamp, stateOf } from './scripted-ramps';

let gateway: KycGateway;
beforeAll(async () => {
  gateway = await startKycGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  for (const ramp of [gateway.primary, gateway.secondary]) {
    Object.assign(ramp, { state: stateOf('created'), failure: undefined, limits: [] });
  }
});

const RESETS_AT = new Date('2026-12-01T00:00:00.000Z');
const MONTH: AccountLimit = {
  currency: 'BRL',
  rail: 'PIX',
  direction: 'onRamp',
  period: 'month',
  resetsAt: RESETS_AT,
  minimum: toBaseUnits(12_345n),
  maximum: toBaseUnits(50_000_000n),
  used: toBaseUnits(10_050n),
  remaining: toBaseUnits(49_989_950n),
};
const UNREPORTED: AccountLimit = {
  currency: 'USD',
  rail: undefined,
  direction: 'offRamp',
  period: 'transaction',
  resetsAt: undefined,
  minimum: undefined,
  maximum: undefined,
  used: undefined,
  remaining: undefined,
};

const limits = (query: Readonly<Record<string, string>>, asOther = false): Promise<KycResponse> =>
  gateway.call('GET', `/api/v1/limits?${new URLSearchParams(query).toString()}`, { asOther });

/** A person with an approval at the ramp that the service has not read yet. */
async function approved(ramp: ScriptedRamp): Promise<Opened> {
  const opened = await openedSession(gateway);
  const body = ramp.provider.id === 'primary' ? evidenceOf(opened.cpf) : secondaryOf(opened.cpf);
  await gateway.call('POST', `/api/v1/kyc/sessions/${opened.kycUserId}/submit`, { body });
  ramp.state = stateOf('approved');
  return opened;
}

describe('the limits of a person', () => {
  it('are those of their account at the ramp, by id or by wallet', async () => {
    const { kycUserId, walletAddress } = await approved(gateway.primary);
    gateway.primary.limits = [MONTH, UNREPORTED];
    const expected = {
      status: 200,
      body: {
        provider: 'avenia',
        limits: [
          {
            currency: 'BRL',
            rail: 'PIX',
            direction: 'onRamp',
            minimum: '12345',
            maximum: '50000000',
            period: 'month',
            used: '10050',
            remaining: '49989950',
            resetsAt: '2026-12-01T00:00:00.000Z',
          },
          { currency: 'USD', direction: 'offRamp', period: 'transaction' },
        ],
      },
    };
    expect(await limits({ kycUserId })).toEqual(expected);
    expect(await limits({ walletAddress: walletAddress.toLowerCase() })).toEqual(expected);
    const [one, other] = gateway.primary.limitRequests.slice(-2);
    expect([one, other]).toEqual([expect.stringMatching(/^primary-\d+$/), one]);
  });

  it('are the same in the graph', async () => {
    const { kycUserId } = await approved(gateway.primary);
    gateway.primary.limits = [MONTH];
    const query = `{ rampLimits(kycUserId: "${kycUserId}", rampProvider: "PRIMARY") {
      provider limits { currency rail direction minimum maximum period used remaining resetsAt } } }`;
    const { body } = await gateway.call('POST', '/graphql', { body: { query } });
    expect(body.data.rampLimits).toEqual((await limits({ kycUserId, rampProvider: 'PRIMARY' })).body);
    expect(body.data.rampLimits).toMatchObject({ provider: 'primary', limits: [{ remaining: '49989950' }] });
  });

  it.each(['unblockpay', 'secondary', 'UnblockPay'])('of the ramp %s echo that name', async (rampProvider) => {
    const { kycUserId } = await approved(gateway.secondary);
    gateway.secondary.limits = [UNREPORTED];
    const { body } = await limits({ kycUserId, rampProvider });
    expect(body.provider).toBe(rampProvider.toLowerCase());
  });

  it('for a viewer need an approval that is stored: its access token starts no poll that would store one', async () => {
    const { kycUserId } = await approved(gateway.primary);
    gateway.primary.limits = [MONTH];
    const providers = { primary: gateway.primary.provider, secondary: gateway.secondary.provider };
    const deps = {
      database: gateway.test.database,
      brands: { primary: 'primary', secondary: 'secondary' },
      blockedAddresses: new Set<string>(),
      pollsInFlight: createSingleFlight(),
      isCoolingDown: () => false,
      ramps: providers,
      rampProviders: providers,
    };
    const { schema } = createKycSubgraph(deps as unknown as IdentityDeps);
    const source = `{ rampLimits(kycUserId: "${kycUserId}") { limits { remaining } } }`;
    const limitsFor = (role: 'viewer' | 'developer') => {
      const customerId = gateway.customerIds[0] as CustomerId;
      const principal = { kind: 'bearer', customerId, subject: 'user', role } as const;
      const contextValue = createRequestContext({ requestId: 'r', principal, signal: new AbortController().signal });
      return graphql({ schema, source, contextValue });
    };
    const polls = gateway.primary.polls;
    const { errors } = await limitsFor('viewer');
    expect(errors?.[0]?.originalError).toMatchObject({ code: 'KYC_PROFILE_INCOMPLETE_FOR_RAMP' });
    expect(gateway.primary.polls).toBe(polls);
    const shown = { rampLimits: { limits: [{ remaining: '49989950' }] } };
    expect((await limitsFor('developer')).data).toEqual(shown);
    expect(gateway.primary.polls).toBe(polls + 1);
    expect((await limitsFor('viewer')).data).toEqual(shown);
    expect(gateway.primary.polls).toBe(polls + 1);
  });

  it('have the lowest minimum of the routes when the ramp reports none', async () => {
    const unreported = (change: Partial<AccountLimit>): AccountLimit => ({ ...UNREPORTED, ...change });
    const all = [
      unreported({ currency: 'BRL', direction: 'onRamp' }),
      unreported({ currency: 'BRL', direction: 'offRamp' }),
      unreported({ currency: 'USD', direction: 'onRamp' }),
    ];
    Object.assign(gateway.primary, { limits: all });
    Object.assign(gateway.secondary, { limits: all });
    const minimaOf = async (person: Opened, rampProvider: string) =>
      (await limits({ kycUserId: person.kycUserId, rampProvider })).body.limits.map(
        ({ minimum }: { minimum?: string }) => minimum,
      );
    expect(await minimaOf(await approved(gateway.primary), 'primary')).toEqual(['50', '50', undefined]);
    expect(await minimaOf(await approved(gateway.secondary), 'secondary')).toEqual(['100', '500', undefined]);
  });
});

type Refusal = readonly [status: number, code: string];

const REFUSALS: Readonly<Record<string, readonly [() => Promise<KycResponse>, Refusal]>> = {
  'an unknown ramp': [() => limits({ rampProvider: 'uniswap-v2' }), [400, 'INVALID_RAMP_PROVIDER']],
  'a ramp that the customer does not have': [
    () => limits({ kycUserId: randomUUID(), rampProvider: 'secondary' }, true),
    [400, 'RAMP_PROVIDER_NOT_ELIGIBLE'],
  ],
  'an unknown id': [() => limits({ kycUserId: randomUUID() }), [404, 'KYC_PROFILE_NOT_FOUND']],
  'an unlinked wallet': [() => limits({ walletAddress: newWallet() }), [404, 'KYC_PROFILE_NOT_FOUND']],
  "another customer's person": [
    async () => limits({ kycUserId: (await approved(gateway.primary)).kycUserId }, true),
    [404, 'KYC_PROFILE_NOT_FOUND'],
  ],
  'a person without a submission': [
    async () => limits({ kycUserId: (await openedSession(gateway)).kycUserId }),
    [400, 'RAMP_ACCOUNT_ID_MISSING'],
  ],
  'a person under review at the primary ramp': [
    async () => {
      const { kycUserId } = await approved(gateway.primary);
      gateway.primary.state = stateOf('provider_pending');
      return limits({ kycUserId });
    },
    [400, 'KYC_PROFILE_INCOMPLETE_FOR_RAMP'],
  ],
  'a person without an account at the secondary ramp': [
    async () => limits({ kycUserId: (await approved(gateway.primary)).kycUserId, rampProvider: 'secondary' }),
    [409, 'SECONDARY_RAMP_KYC_NOT_PROVISIONED'],
  ],
  'a person rejected by the secondary ramp': [
    async () => {
      const { kycUserId } = await approved(gateway.secondary);
      gateway.secondary.state = stateOf('rejected');
      return limits({ kycUserId, rampProvider: 'secondary' });
    },
    [409, 'SECONDARY_RAMP_KYC_REJECTED'],
  ],
};

describe('there are no limits of', () => {
  it.each(Object.entries(REFUSALS))('%s', async (_, [request, [status, code]]) => {
    const response = await request();
    expect([response.status, response.body.error?.code]).toEqual([status, code]);
  });

  it.each(['avenia', 'primary'])('a person without an account at %s, and the message has that name', async (name) => {
    const { kycUserId } = await openedSession(gateway);
    const { body } = await limits({ kycUserId, rampProvider: name });
    expect(body.error.message).toContain(`no account at ramp provider ${name}.`);
  });

  it.each([
    [{}, 'kycUserId'],
    [{ kycUserId: '', walletAddress: '' }, 'kycUserId'],
    [{ kycUserId: '123' }, 'kycUserId'],
    [{ walletAddress: '0x123' }, 'walletAddress'],
  ] as const)('an invalid %j, and the error names the parameter', async (query, parameter) => {
    const { status, body } = await limits(query);
    expect([status, body.error.code]).toEqual([422, 'VALIDATION_ERROR']);
    expect(body.error.details.errors.map(({ path }: { path: string }) => path)).toEqual([parameter]);
  });

  it('an unavailable ramp', async () => {
    const [one, two] = [await approved(gateway.primary), await approved(gateway.secondary)];
    await limits({ kycUserId: one.kycUserId });
    await limits({ kycUserId: two.kycUserId, rampProvider: 'secondary' });
    gateway.primary.failure = providerUnavailable('primary', undefined);
    gateway.secondary.failure = rampFailure.api();
    const responses = [
      await limits({ kycUserId: one.kycUserId }),
      await limits({ kycUserId: two.kycUserId, rampProvider: 'secondary' }),
    ];
    expect(responses.map(({ status, body }) => [status, body.error?.code])).toEqual([
      [502, 'PROVIDER_UNAVAILABLE'],
      [502, 'SECONDARY_RAMP_API_ERROR'],
    ]);
  });
});
