import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type Receiver, startReceiver } from '../../scripts/webhooks/receiver';
import { customerNamed, rest, runningService } from '../setup/running-service';
import { untilRead, until as untilTrue } from '../resilience/until';

const service = runningService();
const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
const account = privateKeyToAccount(service.accounts[7]!.privateKey);
const reader = createPublicClient({ transport: http(devnet.rpcUrl), pollingInterval: 50 });
const signer = createWalletClient({ account, transport: http(devnet.rpcUrl) });

interface Event {
  readonly id: string;
  readonly isVerified: boolean;
  readonly type: string;
  readonly data: any;
}

interface Inbox extends Receiver {
  readonly events: Event[];
  readonly secrets: string[];
}

const inboxes: Inbox[] = [];
afterAll(() => Promise.all(inboxes.map((inbox) => inbox.close())));

async function openInbox(...secrets: string[]): Promise<Inbox> {
  const events: Event[] = [];
  const onEvent = ({ id, body, isVerified }: { id: string; body: string; isVerified: boolean }) =>
    events.push({ id, isVerified, ...(JSON.parse(body) as { type: string; data: unknown }) });
  const receiver = await startReceiver({ port: 0, secrets: () => secrets, onEvent });
  const inbox = { ...receiver, events, secrets };
  inboxes.push(inbox);
  return inbox;
}

const until = (condition: () => boolean | Promise<boolean>): Promise<void> =>
  untilTrue('the webhooks have arrived', condition);

/** Events of different subjects arrive in any order. */
const hasEach = (inbox: Inbox, ...types: readonly string[]): boolean =>
  types.every((type) => inbox.events.some((event) => event.type === type));

const secretOf = (name: string): string => customerNamed(service, name).webhookSecret;

async function graphql(
  query: string,
  { variables = {}, role = 'developer', customer = 'demo' }: any = {},
): Promise<any> {
  const { bearer } = customerNamed(service, customer);
  const response = await fetch(service.graphqlUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer[role as 'developer']}` },
    body: JSON.stringify({ query, variables }),
  });
  return response.json();
}

interface Call {
  readonly to: Hex;
  readonly data: Hex;
  readonly value: string;
}

/** A quote, its action by the bytecode route, and the transactions that execute it. */
async function startSwap(webhooks: { readonly quote?: string; readonly bytecode?: string }, apiKey?: string) {
  const query = new URLSearchParams({
    originChain: 'devnet',
    destinationChain: 'devnet',
    amountIn: '1000000',
    tokenIn: devnet.tokens['USDC']!,
    tokenOut: devnet.tokens['WETH']!,
    ...(webhooks.quote === undefined ? {} : { webhookURL: webhooks.quote }),
  });
  const key = apiKey === undefined ? {} : { apiKey };
  const { body: quoted } = await rest(`/v2/swap/quote?${query.toString()}`, key);
  expect(quoted).not.toHaveProperty('error');
  const { quoteId } = quoted.quote;
  const addresses = { originAddress: account.address, destinationAddress: account.address };
  const webhookURL = webhooks.bytecode === undefined ? {} : { webhookURL: webhooks.bytecode };
  const { body } = await rest('/v2/swap/bytecode', { body: { quoteId, ...addresses, ...webhookURL }, ...key });
  expect(body).not.toHaveProperty('error');
  return { quote: quoted.quote, id: body.id as string, calls: body.transactionData as readonly Call[] };
}

async function execute(calls: readonly Call[]): Promise<void> {
  for (const { to, data, value } of calls) {
    const hash = await signer.sendTransaction({ chain: null, to, data, value: BigInt(value), gas: 2_000_000n });
    await reader.waitForTransactionReceipt({ hash });
  }
}

describe('the webhooks of a swap', () => {
  it('arrive at the URL of the quote in order, signed with the secret of the customer, and show what REST shows', async () => {
    const inbox = await openInbox(secretOf('load'));
    const { id, quote, calls } = await startSwap({ quote: `${inbox.url}/hook?a=b` });
    await execute(calls);
    await until(() => hasEach(inbox, 'quote.created', 'action.succeeded'));
    const { events } = inbox;
    expect(events.map(({ isVerified }) => isVerified)).toEqual(events.map(() => true));
    const about = (subject: string) => events.filter(({ data }) => data.id === subject);
    expect(about(id).map(({ type, data }) => [type, data.status])).toEqual([
      ['action.created', 'INITIAL'],
      ['action.pending', 'PENDING'],
      ['action.succeeded', 'SUCCESS'],
    ]);
    expect(about(id).at(-1)!.data).toEqual((await rest(`/actions/${id}`)).body);
    const { rawQuote, ...shown } = quote;
    expect(about(quote.quoteId)).toMatchObject([{ type: 'quote.created', data: shown }]);
    expect(about(quote.quoteId)[0]!.data).not.toHaveProperty('rawQuote', rawQuote);
  });

  it('go to the URL of the bytecode request from then on', async () => {
    const [ofQuote, ofBytecode] = [await openInbox(secretOf('load')), await openInbox(secretOf('load'))];
    const { id, calls } = await startSwap({ quote: ofQuote.url, bytecode: ofBytecode.url });
    await execute(calls);
    // That the quote was created goes to either, depending on when it is sent.
    const isCreated = () => hasEach(ofQuote, 'quote.created') || hasEach(ofBytecode, 'quote.created');
    await until(() => hasEach(ofBytecode, 'action.succeeded') && isCreated());
    expect(ofBytecode.events.filter(({ data }) => data.id === id).map(({ type }) => type)).toEqual([
      ...['action.created', 'action.pending', 'action.succeeded'],
    ]);
    expect(ofQuote.events.every(({ type }) => type.startsWith('quote.'))).toBe(true);
  });

  it('reach the endpoints of the customer alone, with the secret of each', async () => {
    const [demo, other] = [await openInbox(), await openInbox()];
    const create = `mutation ($url: URL!, $types: [String!]) {
      createWebhookEndpoint(url: $url, eventTypes: $types) { secret endpoint { id url eventTypes state ordering } }
    }`;
    const types = ['action.created', 'action.succeeded'];
    const created: Record<string, any> = {};
    for (const [customer, inbox] of [
      ['demo', demo],
      ['other', other],
    ] as const) {
      const { data } = await graphql(create, { variables: { url: inbox.url, types }, customer });
      created[customer] = data.createWebhookEndpoint;
      inbox.secrets.push(created[customer].secret);
    }
    expect(created['demo'].endpoint).toMatchObject({
      url: demo.url,
      eventTypes: types,
      state: 'ENABLED',
      ordering: 'action',
    });
    const { id, calls } = await startSwap({}, customerNamed(service, 'demo').apiKey);
    await execute(calls);
    // Other tests may use the customer at the same time.
    const about = () => demo.events.filter(({ data }) => data.id === id);
    await until(() => about().length === 2);
    expect(about()).toMatchObject([
      { type: 'action.created', isVerified: true, data: { id } },
      { type: 'action.succeeded', isVerified: true, data: { id, status: 'SUCCESS' } },
    ]);
    expect(other.events.filter(({ data }) => data.id === id)).toEqual([]);
    const log = `query ($id: UUID!) { webhookDeliveries(subjectId: $id) {
      nodes { type state eventId attemptCount attempts { status failure } } pageInfo { hasNextPage }
    } }`;
    const deliveries = async (): Promise<any> => (await graphql(log, { variables: { id } })).data?.webhookDeliveries;
    // The receiver has an event before the response to it is recorded.
    const delivered = await untilRead('the deliveries are recorded', async () => {
      const found = await deliveries();
      return found?.nodes.every(({ state }: { state: string }) => state === 'DELIVERED') ? found : undefined;
    });
    expect(delivered).toMatchObject({
      nodes: [
        { type: 'action.succeeded', state: 'DELIVERED', attemptCount: 1, attempts: [{ status: 204, failure: null }] },
        { type: 'action.created', state: 'DELIVERED', eventId: about()[0]!.id },
      ],
      pageInfo: { hasNextPage: false },
    });
    expect((await graphql(log, { variables: { id }, customer: 'other' })).data.webhookDeliveries.nodes).toEqual([]);
    for (const customer of ['demo', 'other']) {
      const remove = 'mutation ($id: UUID!) { deleteWebhookEndpoint(endpointId: $id) }';
      const variables = { id: created[customer].endpoint.id };
      expect(await graphql(remove, { variables, customer })).toEqual({ data: { deleteWebhookEndpoint: variables.id } });
    }
  });
});

describe('the endpoints of a customer', () => {
  it('can be tested, rotated and replayed', async () => {
    const inbox = await openInbox();
    const { data } = await graphql(
      'mutation ($url: URL!, $types: [String!]) { createWebhookEndpoint(url: $url, eventTypes: $types) { secret endpoint { id } } }',
      {
        // Other tests swap for the customer at the same time.
        variables: { url: `${inbox.url}/`, types: ['kyc.updated'] },
      },
    );
    const { secret, endpoint } = data.createWebhookEndpoint;
    const variables = { id: endpoint.id };
    const rotated = await graphql('mutation ($id: UUID!) { rotateWebhookSecret(endpointId: $id) }', { variables });
    const next: string = rotated.data.rotateWebhookSecret;
    expect(next).not.toBe(secret);
    inbox.secrets.push(secret);
    const test = 'mutation ($id: UUID!) { sendTestWebhook(endpointId: $id) }';
    const sent = await graphql(test, { variables });
    const tests = () => inbox.events.filter(({ type }) => type === 'webhook.test');
    await until(() => tests().length >= 1);
    inbox.secrets.splice(0, 1, next);
    const deliveryId: string = sent.data.sendTestWebhook;
    const delivered = 'query ($id: UUID!) { webhookDeliveries(endpointId: $id, state: DELIVERED) { nodes { id } } }';
    // The receiver has an event before the response to it is recorded.
    await until(async () => JSON.stringify(await graphql(delivered, { variables })).includes(deliveryId));
    await graphql('mutation ($id: UUID!) { replayWebhookDelivery(deliveryId: $id) }', {
      variables: { id: deliveryId },
    });
    await until(() => tests().length >= 2);
    expect(tests().map(({ id, isVerified }) => [id, isVerified])).toEqual(tests().map(() => [tests()[0]!.id, true]));
    await graphql('mutation ($id: UUID!) { deleteWebhookEndpoint(endpointId: $id) }', { variables });
  });

  it.each(['admin', 'owner', 'developer'])('are written by the role %s', async (role) => {
    const query = 'mutation { createWebhookEndpoint(url: "https://hooks.example.com/") { endpoint { id } } }';
    const { data } = await graphql(query, { role });
    const variables = { id: data.createWebhookEndpoint.endpoint.id };
    await graphql('mutation ($id: UUID!) { deleteWebhookEndpoint(endpointId: $id) }', { role, variables });
  });

  it('are read and not written by a viewer', async () => {
    expect(await graphql('{ webhookEndpoints { id } }', { role: 'viewer' })).toEqual({
      data: { webhookEndpoints: expect.any(Array) },
    });
    const denied = [
      'mutation { createWebhookEndpoint(url: "https://hooks.example.com/") { secret } }',
      'mutation { rotateWebhookSecret }',
    ];
    for (const query of denied) {
      const { errors } = await graphql(query, { role: 'viewer' });
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    }
  });
});

test('npm run webhooks:listen registers itself, prints verified events and removes its endpoint at its end', async () => {
  const listener = spawn(process.execPath, [path.resolve('scripts/run.cjs'), 'scripts/webhooks/listen', '0'], {
    env: { ...process.env, AFLUENTE_DATA_DIR: process.env['AFLUENTE_TEST_SERVICE'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  listener.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await until(() => printed.includes('Listening at'));
  const url = /Listening at (\S+)/.exec(printed)![1];
  const endpoints = async (): Promise<{ id: string; url: string }[]> =>
    (await graphql('{ webhookEndpoints { id url } }')).data.webhookEndpoints;
  const id = (await endpoints()).find((endpoint) => endpoint.url === url)!.id;
  await graphql('mutation ($id: UUID!) { sendTestWebhook(endpointId: $id) }', { variables: { id } });
  await until(() => printed.includes('"webhook.test"'));
  expect(printed).toMatch(/\nverified [0-9a-f-]{36}\n/);
  listener.kill('SIGINT');
  const [code] = (await once(listener, 'exit')) as [number | null];
  expect([code, (await endpoints()).some((endpoint) => endpoint.id === id)]).toEqual([0, false]);
});

test('the health report shows the backlog of webhooks', async () => {
  const response = await fetch(`${service.baseUrl}/health`);
  expect(await response.json()).toMatchObject({
    checks: { webhooks: { oldestDueSeconds: expect.any(Number), parked: expect.any(Number) } },
  });
});
