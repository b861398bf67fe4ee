import { createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type EventStream, openEventStream } from '../setup/event-stream';
import { customerNamed, rest, runningService } from '../setup/running-service';

const service = runningService();
const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
const account = privateKeyToAccount(service.accounts[6]!.privateKey);
const reader = createPublicClient({ transport: http(devnet.rpcUrl), pollingInterval: 50 });
const signer = createWalletClient({ account, transport: http(devnet.rpcUrl) });

interface Call {
  readonly to: Hex;
  readonly data: Hex;
  readonly value: string;
}

/** An action whose transaction is not sent yet. */
async function startSwap(): Promise<{ readonly id: string; readonly calls: readonly Call[] }> {
  const query = new URLSearchParams({
    originChain: 'devnet',
    destinationChain: 'devnet',
    amountIn: '1000000',
    tokenIn: devnet.tokens['USDC']!,
    tokenOut: devnet.tokens['WETH']!,
    originAddress: account.address,
    destinationAddress: account.address,
  });
  const { body } = await rest(`/v2/swap/quote?${query.toString()}`);
  expect(body).not.toHaveProperty('error');
  return { id: body.id, calls: body.transactionData.transactions };
}

async function execute(calls: readonly Call[]): Promise<void> {
  for (const { to, data, value } of calls) {
    const hash = await signer.sendTransaction({ chain: null, to, data, value: BigInt(value), gas: 2_000_000n });
    await reader.waitForTransactionReceipt({ hash });
  }
}

const watch = (id: string, customer = 'load'): Promise<EventStream> =>
  openEventStream({
    url: service.graphqlUrl,
    query: 'subscription ($id: UUID!) { actionChanged(id: $id) { id status steps { status txHash } } }',
    variables: { id },
    headers: { 'x-api-key': customerNamed(service, customer).apiKey },
  });

describe('the subscription to an action over HTTP', () => {
  it('sends the action immediately and at every change, until it ends', async () => {
    const { id, calls } = await startSwap();
    const stream = await watch(id);
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const first = { event: 'next', data: { data: { actionChanged: { id, status: 'INITIAL' } } } };
    expect(await stream.next()).toMatchObject(first);
    await execute(calls);
    const events = await stream.rest();
    expect(events.at(-1)).toMatchObject({ event: 'complete' });
    const changes = events.slice(0, -1).map(({ data }) => data.data.actionChanged);
    expect(changes.at(-1)).toMatchObject({ id, status: 'SUCCESS', steps: [{ status: 'CONFIRMED' }] });
    // A mined approval is a change before the status changes.
    const statuses = changes.map(({ status }) => status).join(' ');
    expect(statuses).toMatch(/^(INITIAL )*(PENDING )*SUCCESS$/);
  });

  it('is refused to other customers', async () => {
    const { id } = await startSwap();
    const events = await (await watch(id, 'other')).rest();
    expect(events.map(({ event }) => event)).toEqual(['next', 'complete']);
    expect(events[0]?.data.errors[0].extensions.code).toBe('ACTION_NOT_FOUND');
  });

  it('ends when the caller disconnects, and leaves the action unchanged', async () => {
    const { id } = await startSwap();
    const stream = await watch(id);
    await stream.next();
    stream.close();
    await expect(stream.next()).rejects.toThrow();
    expect((await rest(`/actions/${id}`)).body).toMatchObject({ status: 'INITIAL' });
  });
});

describe('a refund request over REST', () => {
  it('is refused for an action without a bridge, and for an unknown action', async () => {
    const { id } = await startSwap();
    const swap = await rest(`/actions/${id}/refund`, { method: 'POST', body: {} });
    expect([swap.status, swap.body.error.code]).toEqual([400, 'INVALID_ACTION_TYPE']);
    const unknown = await rest('/actions/01890a5d-ac96-774b-bcce-b302099a8057/refund', { method: 'POST', body: {} });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'ACTION_NOT_FOUND']);
  });
});
