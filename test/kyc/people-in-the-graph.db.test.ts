import { randomUUID } from 'node:crypto';
import { graphql as execute } from 'graphql';
import { Client } from 'pg';
import { cpfOf } from '../../scripts/demo/person-evidence';
import type { CustomerId } from '../../src/auth/principal';
import { createRequestContext } from '../../src/auth/request-context';
import type { IdentityDeps } from '../../src/kyc/identity-deps';
import { createKycSubgraph } from '../../subgraphs/kyc';
import { evidenceOf, secondaryOf } from './kyc-bodies';
import { type KycResponse, type KycGateway, newWallet, openedSession, startKycGateway } from './kyc-gateway';

let gateway: KycGateway;
beforeAll(async () => {
  gateway = await startKycGateway();
});
afterAll(() => gateway.stop());

type Options = Omit<NonNullable<Parameters<KycGateway['call']>[2]>, 'body'>;

async function graph(query: string, variables: object = {}, options: Options = {}): Promise<any> {
  const { body } = await gateway.call('POST', '/graphql', { ...options, body: { query, variables } });
  return body;
}

const WALLETS = `query ($limit: Int!) {
  wallets(limit: $limit) { data { address kycProfile { kycUserId status walletAddresses ramps } } pagination { total } }
}`;

/** Tables of wallets, people and actions. Background work on rate limits and key usage has other tables. */
const ENTITY_TABLE = /"(?:CustomerWallet|KycWallet|KycProfile|RampAccount|Action|ActionStep|ActionCall)"/;

/** Counts the statements on these tables while `work` runs. */
async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const spy = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    return spy.mock.calls.filter(([statement]) => ENTITY_TABLE.test(textOf(statement))).length;
  } finally {
    spy.mockRestore();
  }
}

/** The SQL of a statement, given as text or as a prepared query. */
const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : ((statement as { readonly text?: string } | undefined)?.text ?? '');

it('fifty wallets with their holders take as many statements as one', async () => {
  const people = await Promise.all(Array.from({ length: 25 }, () => openedSession(gateway)));
  await Promise.all(
    people.map(({ kycUserId }) =>
      gateway.call('POST', `/api/v1/kyc/${kycUserId}/wallets`, { body: { walletAddress: newWallet() } }),
    ),
  );
  const list = (limit: number) => graph(WALLETS, { limit });
  await list(50); // Prepares everything that later requests reuse.
  const [one, fifty] = [await statementsOf(() => list(1)), await statementsOf(() => list(50))];
  expect(one).toBeGreaterThan(0);
  expect(fifty).toBe(one);
  const { data } = await list(50);
  expect(data.wallets.data).toHaveLength(50);
  for (const { address, kycProfile } of data.wallets.data) expect(kycProfile.walletAddresses).toContain(address);
});

it('a wallet has the person of the requesting customer, never of another one', async () => {
  const { kycUserId, walletAddress } = await openedSession(gateway);
  const query = `query ($address: Address!) { wallet(address: $address) { address kycProfile { kycUserId } } }`;
  const shown = async (asOther: boolean) =>
    (await graph(query, { address: walletAddress }, { asOther })).data.wallet as object;
  expect(await shown(true)).toEqual({ address: walletAddress, kycProfile: null });
  expect(await shown(false)).toEqual({ address: walletAddress, kycProfile: { kycUserId } });
});

it('a person is an entity of the federation: batched, and absent for other customers', async () => {
  const brands = { primary: 'primary', secondary: 'secondary' };
  const { schema } = createKycSubgraph({ database: gateway.test.database, brands } as unknown as IdentityDeps);
  const people = await Promise.all(Array.from({ length: 10 }, () => openedSession(gateway)));
  const source = `query ($representations: [_Any!]!) {
    _entities(representations: $representations) { ... on KycProfile { kycUserId status walletAddress } }
  }`;
  const entities = async (customer: number, ids: readonly string[]): Promise<unknown> => {
    const customerId = gateway.customerIds[customer] as CustomerId;
    const principal = { kind: 'apiKey', customerId, keyId: 'key' } as const;
    const contextValue = createRequestContext({ requestId: 'r', principal, signal: new AbortController().signal });
    const representations = ids.map((kycUserId) => ({ __typename: 'KycProfile', kycUserId }));
    const { data, errors } = await execute({ schema, source, contextValue, variableValues: { representations } });
    expect(errors).toBeUndefined();
    return JSON.parse(JSON.stringify(data?.['_entities']));
  };
  const ids = people.map(({ kycUserId }) => kycUserId);
  const shown = people.map(({ kycUserId, walletAddress }) => ({ kycUserId, status: 'created', walletAddress }));
  expect(await entities(0, [...ids, randomUUID()])).toEqual([...shown, null]);
  expect(await entities(1, ids)).toEqual(ids.map(() => null));
  const [one, ten] = [
    await statementsOf(() => entities(0, ids.slice(0, 1))),
    await statementsOf(() => entities(0, ids)),
  ];
  expect(one).toBeGreaterThan(0);
  expect(ten).toBe(one);
});

it('a viewer gets the stored status of a person: its access token starts no poll of a ramp', async () => {
  const { kycUserId, cpf } = await openedSession(gateway);
  await gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, { body: evidenceOf(cpf) });
  const polls: string[] = [];
  const current = () => void polls.push('poll');
  const deps = {
    database: gateway.test.database,
    brands: { primary: 'primary', secondary: 'secondary' },
    blockedAddresses: new Set<string>(),
    pollsInFlight: { current, join: () => Promise.resolve() },
  };
  const { schema } = createKycSubgraph(deps as unknown as IdentityDeps);
  const source = `{ kycStatus(kycUserId: "${kycUserId}") { status } }`;
  const statusFor = async (role: 'viewer' | 'developer'): Promise<unknown> => {
    const customerId = gateway.customerIds[0] as CustomerId;
    const principal = { kind: 'bearer', customerId, subject: 'user', role } as const;
    const contextValue = createRequestContext({ requestId: 'r', principal, signal: new AbortController().signal });
    return (await execute({ schema, source, contextValue })).data?.['kycStatus'];
  };
  expect(await statusFor('viewer')).toEqual({ status: 'provider_pending' });
  expect(polls).toEqual([]);
  expect(await statusFor('developer')).toEqual({ status: 'provider_pending' });
  expect(polls).toEqual(['poll']);
});

/** One operation in REST and in GraphQL, with the same arguments. */
interface Twin {
  readonly rest: readonly [method: string, path: string];
  readonly field: string;
  /** Default: mutation. */
  readonly kind?: 'query' | 'mutation';
  /** Types of the arguments. */
  readonly types: Readonly<Record<string, string>>;
  /** Arguments that REST has in its path. */
  readonly path?: object;
  readonly body?: object;
}

const EVIDENCE = {
  kycUserId: 'UUID!',
  rampProvider: 'String',
  applicant: 'KycApplicantInput',
  address: 'KycAddressInput',
  documents: 'KycDocumentsInput',
  liveness: 'KycLivenessInput',
  firstName: 'String',
  lastName: 'String',
  email: 'String',
  phone: 'String',
  dateOfBirth: 'String',
  taxId: 'String',
  taxIdCountry: 'String',
};
const ID = { kycUserId: 'UUID!' };
const STATUS = { kycUserId: 'UUID', rampProvider: 'String', externalUserId: 'String' };
const WALLET = { ...ID, walletAddress: 'Address!' };
const DOCUMENT = { ...ID, rampProvider: 'String', documentType: 'String', file: 'KycFileInput' };
const UNLOCK = { ...ID, currency: 'KycCurrencyCode!', rampProvider: 'String', bankAccountNumber: 'String' };
const SESSION = { cpf: 'String', email: 'String', walletAddress: 'String' };

/** Operations on a person with a session, and on an unknown one. */
function twins(known: string, wallet: string): Readonly<Record<string, Twin>> {
  const unknown = randomUUID();
  const session = (id: string, what: string) => ['POST', `/api/v1/kyc/sessions/${id}/${what}`] as const;
  const submit = (id: string, body: object): Twin => ({
    rest: session(id, 'submit'),
    field: 'submitKycEvidence',
    types: EVIDENCE,
    path: { kycUserId: id },
    body,
  });
  const document = (id: string, body: object): Twin => ({
    rest: session(id, 'documents'),
    field: 'submitKycDocument',
    types: DOCUMENT,
    path: { kycUserId: id },
    body,
  });
  const unlock = (body: object): Twin => ({
    rest: ['POST', '/api/v1/kyc/currency-unlock'],
    field: 'unlockKycCurrency',
    types: UNLOCK,
    body,
  });
  const status = (fields: Record<string, string>): Twin => ({
    rest: ['GET', `/api/v1/kyc/status?${new URLSearchParams(fields).toString()}`],
    field: 'kycStatus',
    kind: 'query',
    types: STATUS,
    path: fields,
  });
  const limits = (fields: Record<string, string>): Twin => ({
    rest: ['GET', `/api/v1/limits?${new URLSearchParams(fields).toString()}`],
    field: 'rampLimits',
    kind: 'query',
    types: { kycUserId: 'UUID', rampProvider: 'String' },
    path: fields,
  });
  const unlink = (id: string, walletAddress: string): Twin => ({
    rest: ['DELETE', `/api/v1/kyc/${id}/wallets/${walletAddress}`],
    field: 'unlinkKycWallet',
    types: WALLET,
    path: { kycUserId: id, walletAddress },
  });
  const evidence = evidenceOf(cpfOf(randomUUID()));
  return {
    'a session with invalid fields': {
      rest: ['POST', '/api/v1/kyc/sessions'],
      field: 'createKycSession',
      types: SESSION,
      body: { cpf: '1', email: 'x', walletAddress: wallet },
    },
    "a session with another person's wallet": {
      rest: ['POST', '/api/v1/kyc/sessions'],
      field: 'createKycSession',
      types: SESSION,
      body: { cpf: cpfOf(randomUUID()), email: 'a@example.com', walletAddress: wallet },
    },
    'a submission of an unknown person': submit(unknown, evidence),
    'an empty submission': submit(known, {}),
    'a submission with half a document': submit(known, {
      ...evidence,
      documents: { ...evidence.documents, back: null },
    }),
    'a submission of another person': submit(known, evidence),
    'an empty submission to the secondary ramp': submit(known, { rampProvider: 'secondary' }),
    'a submission of a child': submit(known, { ...secondaryOf(cpfOf(randomUUID())), dateOfBirth: '2020-01-31' }),
    'a submission to an unknown ramp': submit(known, { rampProvider: 'unknown' }),
    'an empty document': document(known, { rampProvider: 'secondary' }),
    'a document for the ramp that accepts none': document(known, { documentType: 'PASSPORT' }),
    'a currency of an unapproved person': unlock({ kycUserId: known, currency: 'USD' }),
    'a currency of an unknown person': unlock({ kycUserId: unknown, currency: 'USD' }),
    'half a bank account': unlock({ kycUserId: known, currency: 'USD', bankAccountNumber: '1' }),
    'the status of an unknown person': status({ kycUserId: unknown }),
    'the status without a person': status({}),
    'the status at an unknown ramp': status({ kycUserId: known, rampProvider: 'unknown' }),
    'the limits of an unknown person': limits({ kycUserId: unknown }),
    'the limits at an unknown ramp': limits({ kycUserId: known, rampProvider: 'unknown' }),
    'a wallet that is not linked': unlink(known, newWallet()),
    'the last wallet': unlink(known, wallet),
    'the wallets of an unknown person': {
      rest: ['GET', `/api/v1/kyc/${unknown}/wallets`],
      field: 'kycWallets',
      kind: 'query',
      types: ID,
      path: { kycUserId: unknown },
    },
  };
}

async function requestGraph({ field, kind = 'mutation', types, path, body }: Twin, asOther = false): Promise<any> {
  const variables: Record<string, unknown> = { ...path, ...body };
  const names = Object.keys(types).filter((name) => name in variables);
  const declared = names.map((name) => `$${name}: ${types[name]!}`).join(', ');
  const given = names.map((name) => `${name}: $${name}`).join(', ');
  const [head, call] = names.length === 0 ? ['', ''] : [`(${declared})`, `(${given})`];
  return graph(`${kind} ${head} { ${field}${call} { __typename } }`, variables, { asOther });
}

const requestRest = ({ rest: [method, path], body }: Twin, asOther = false): Promise<KycResponse> =>
  gateway.call(method, path, { asOther, ...(body === undefined ? {} : { body }) });

it('every refusal is the same through GraphQL and REST: code, message and details', async () => {
  const { kycUserId, walletAddress } = await openedSession(gateway);
  const refused: Record<string, unknown> = {};
  for (const [name, twin] of Object.entries(twins(kycUserId, walletAddress))) {
    const rest = await requestRest(twin);
    const { errors } = await requestGraph(twin);
    const [{ message, extensions }] = errors;
    refused[name] = rest.body.error.code;
    expect([name, { message, ...extensions }]).toEqual([name, rest.body.error]);
    expect([name, errors[0].path]).toEqual([name, [twin.field]]);
  }
  expect(new Set(Object.values(refused)).size).toBeGreaterThan(8);
});

it("a person's id does not exist for another customer, in every operation with it", async () => {
  const { kycUserId, walletAddress } = await openedSession(gateway);
  const cases = Object.entries(twins(kycUserId, walletAddress)).filter(([, { path, body }]) =>
    JSON.stringify({ ...path, ...body }).includes(kycUserId),
  );
  expect(cases.length).toBeGreaterThan(10);
  for (const [name, twin] of cases) {
    const withUnknownPerson = JSON.parse(JSON.stringify(twin).replaceAll(kycUserId, randomUUID())) as Twin;
    const [foreign, absent] = [await requestGraph(twin, true), await requestGraph(withUnknownPerson, true)];
    expect([name, foreign.errors[0].extensions]).toEqual([name, absent.errors[0].extensions]);
    const [foreignRest, absentRest] = [await requestRest(twin, true), await requestRest(withUnknownPerson, true)];
    expect([name, foreignRest.status, foreignRest.body.error]).toEqual([
      name,
      absentRest.status,
      absentRest.body.error,
    ]);
  }
});
