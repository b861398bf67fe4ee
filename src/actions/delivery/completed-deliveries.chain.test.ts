import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  numberToHex,
  parseAbi,
} from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { poll, pollAtOnce, noSolana, noMarket, noServiceWallet } from '../../../test/actions/delivery-desk';
import { catchUp } from '../../../test/actions/local-tracker';
import {
  BRIDGE,
  createSampleTransfer,
  type SampleTransfer,
  scriptedSource,
  recordOrigin,
  someChain,
} from '../../../test/actions/sample-transfer';
import { asChain, localToken, rpcOf } from '../../../test/contract/local-swaps';
import { minedReceipt } from '../../../test/setup/mined-receipt';
import { gasPricer, serviceTransactionStore } from '../../../test/setup/gas';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { chainNamed, type TestUniverse, universeOfTests } from '../../../test/setup/universe-of-tests';
import { createChainTable } from '../../chains/chain-table';
import type { UnsignedCall } from '../../venues/quote-provider';
import type { Rpc } from '../../rpc/rpc';
import { createServiceWallet } from '../../rpc/service-wallet';
import { getAction } from '../get-action';
import type { TrackerDeps } from '../tracker/tracker-deps';
import type { DeliveryDeps } from './delivery-deps';

const RECEIVER: Address = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const key = generatePrivateKey();
const silent = { info: () => undefined, warn: () => undefined };

let test: TestDatabase;
let chain: TestUniverse['chains'][number];
let tracker: TrackerDeps;
beforeAll(async () => {
  const universe = await universeOfTests();
  [chain, test] = [chainNamed(universe, 'devnet-l2'), await createTestDatabase()];
  const chains = createChainTable([asChain(chain), someChain(31337)]);
  const replicaId = '00000000-0000-4000-8000-000000000008';
  tracker = { database: test.database, rpc: rpcOf([chain]), chains, log: silent, replicaId };
});
afterAll(() => test.drop());

const reader = () => createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 20 });
const request = (method: string, params: unknown[]) =>
  reader().request({ method: method as never, params: params as never });
const fund = (wei: bigint) => request('anvil_setBalance', [privateKeyToAddress(key), numberToHex(wei)]);
const dai = () => localToken(chain, 'DAI').address as Address;
const arrived = () =>
  reader().readContract({ address: dai(), abi: erc20Abi, functionName: 'balanceOf', args: [RECEIVER] });

/** Any account may mint this token, and so complete the transfer. */
const completing = (amount: bigint): UnsignedCall => ({
  chainId: chain.chainId,
  from: RECEIVER,
  to: dai(),
  value: 0n,
  data: encodeFunctionData({ abi: parseAbi(['function mint(address,uint256)']), args: [RECEIVER, amount] }),
});

interface BridgeOptions {
  readonly call?: UnsignedCall;
  /** Called before each response. */
  readonly polled?: () => Promise<void>;
}

/** A bridge whose messages have to be received; it reads from the chain whether one was. */
function bridge(amount: bigint, { call = completing(amount), polled = () => Promise.resolve() }: BridgeOptions = {}) {
  const source = scriptedSource({ completion: () => Promise.resolve(call) });
  source.respondWith(async () => {
    const logs = await reader().getContractEvents({
      address: dai(),
      abi: erc20Abi,
      eventName: 'Transfer',
      args: { to: RECEIVER },
      fromBlock: 0n,
    });
    const found = logs.find(({ args }) => args.value === amount);
    await polled();
    if (found === undefined) return { status: 'inFlight', waitingFor: 'COMPLETION' };
    return { status: 'delivered', txHash: found.transactionHash, amount: undefined, partial: false };
  });
  return source;
}

interface World {
  readonly rpc?: Rpc;
  /** Price of the native coin in US dollars. */
  readonly coinUsd?: number;
}

function depsOf(source: ReturnType<typeof bridge>, { rpc = tracker.rpc, coinUsd }: World = {}): DeliveryDeps {
  const { database, chains, log } = tracker;
  const store = serviceTransactionStore(database);
  const serviceWallet = createServiceWallet({ key, rpc, store, priceGas: gasPricer(coinUsd), log });
  return {
    database,
    chains,
    log,
    rpc: tracker.rpc,
    solana: noSolana,
    ...noServiceWallet,
    serviceWallet,
    pollMs: 20,
    ...noMarket,
    sources: new Map([[BRIDGE, source]]),
  };
}

const transfer = async (): Promise<SampleTransfer> => {
  const sample = await createSampleTransfer(test.database, {
    receiverAddress: RECEIVER,
    tokenOut: localToken(chain, 'DAI'),
  });
  await recordOrigin(test.database, sample.id);
  return sample;
};
/** Waits until the completing transaction of the service is mined: the node responds before. */
async function completed({ id: actionId }: SampleTransfer): Promise<void> {
  const { txHash } = await test.database.serviceTransaction.findFirstOrThrow({ where: { actionId } });
  await minedReceipt(reader(), txHash as Hex);
}
const view = ({ customerId, id }: SampleTransfer) => getAction(tracker, { customerId, actionId: id });
const settle = async (): Promise<void> => {
  await request('anvil_mine', ['0x5']);
  await catchUp(tracker, chain.chainId);
};

/** Each call waits for the last one of so many; later ones do not wait. */
function barrierOf(count: number): () => Promise<void> {
  let [calls, open] = [0, (): void => undefined];
  const opened = new Promise<void>((resolve) => (open = resolve));
  return () => {
    calls += 1;
    if (calls === count) open();
    return opened;
  };
}

describe('a transfer that waits for its completing call', () => {
  it('is completed once by the service when it can pay for the gas, and succeeds', async () => {
    await fund(10n ** 18n);
    const [sample, before, amount] = [await transfer(), await arrived(), 98_000_011n];
    const polled = barrierOf(3);
    const replicas = [1, 2, 3].map(() => depsOf(bridge(amount, { polled })));
    await pollAtOnce(replicas, sample.id);
    await completed(sample);
    expect(await view(sample)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_DESTINATION', completion: null });
    await Promise.all(replicas.map((replica) => poll(replica, sample.id)));
    await settle();
    expect(await view(sample)).toMatchObject({
      status: 'SUCCESS',
      amounts: { assetOut: { amountRaw: String(amount) } },
    });
    expect((await arrived()) - before).toBe(amount);
    const sent = await test.database.serviceTransaction.findMany({ where: { actionId: sample.id } });
    expect(sent).toMatchObject([{ purpose: 'completion', customerId: sample.customerId }]);
    expect((await view(sample)).steps[1]).toMatchObject({ status: 'CONFIRMED', txHash: sent[0]!.txHash });
  });

  it('is completed although the service was killed after it had stored the transaction', async () => {
    const [sample, before, amount] = [await transfer(), await arrived(), 98_000_012n];
    const dying: Rpc = {
      ...tracker.rpc,
      client: (chainId) =>
        Object.assign(Object.create(tracker.rpc.client(chainId)) as ReturnType<Rpc['client']>, {
          sendRawTransaction: () => Promise.reject(new Error('the process was killed')),
        }),
    };
    await poll(depsOf(bridge(amount), { rpc: dying }), sample.id);
    expect(await arrived()).toBe(before);
    const deps = depsOf(bridge(amount));
    await poll(deps, sample.id);
    await completed(sample);
    await poll(deps, sample.id);
    await settle();
    expect((await view(sample)).status).toBe('SUCCESS');
    expect((await arrived()) - before).toBe(amount);
  });

  it('is shown to the customer while the service has no native coin, and completed by the service afterwards', async () => {
    await fund(0n);
    const [sample, amount] = [await transfer(), 98_000_013n];
    const deps = depsOf(bridge(amount));
    await poll(deps, sample.id);
    const { chainId, value, ...call } = completing(amount);
    expect(await view(sample)).toMatchObject({
      status: 'PENDING',
      substatus: 'DESTINATION_MINT_REQUIRED',
      completion: { ...call, chainId: String(chainId), value: value.toString() },
    });
    await fund(10n ** 18n);
    await poll(deps, sample.id);
    expect(await view(sample)).toMatchObject({ substatus: 'WAITING_DESTINATION', completion: null });
    await completed(sample);
    await poll(deps, sample.id);
    await settle();
    expect((await view(sample)).status).toBe('SUCCESS');
  });

  it('is left to the receiver while its gas costs too much, and completed by the service afterwards', async () => {
    await fund(10n ** 18n);
    const [sample, amount] = [await transfer(), 98_000_016n];
    await poll(depsOf(bridge(amount), { coinUsd: 10 ** 12 }), sample.id);
    expect(await view(sample)).toMatchObject({ status: 'PENDING', substatus: 'DESTINATION_MINT_REQUIRED' });
    expect(await test.database.serviceTransaction.count({ where: { actionId: sample.id } })).toBe(0);
    const deps = depsOf(bridge(amount));
    await poll(deps, sample.id);
    expect(await view(sample)).toMatchObject({ substatus: 'WAITING_DESTINATION', completion: null });
    expect(await test.database.gasSpending.findMany({ where: { actionId: sample.id } })).toMatchObject([
      { kind: 'completion', customerId: sample.customerId, chainId: BigInt(chain.chainId) },
    ]);
    await completed(sample);
    await poll(deps, sample.id);
    await settle();
    expect((await view(sample)).status).toBe('SUCCESS');
  });

  it('succeeds when another account sends the call', async () => {
    const [sample, amount] = [await transfer(), 98_000_014n];
    const deps = { ...depsOf(bridge(amount)), serviceWallet: undefined };
    await poll(deps, sample.id);
    const { completion } = await view(sample);
    const from = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    await request('anvil_impersonateAccount', [from]);
    const hash = (await request('eth_sendTransaction', [{ from, to: completion!.to, data: completion!.data }])) as Hex;
    await minedReceipt(reader(), hash);
    await poll(deps, sample.id);
    await settle();
    expect(await view(sample)).toMatchObject({ status: 'SUCCESS', completion: null });
  });

  it('is left to the customer when the call has a value', async () => {
    const [sample, amount] = [await transfer(), 98_000_015n];
    await poll(depsOf(bridge(amount, { call: { ...completing(amount), value: 1n } })), sample.id);
    expect(await view(sample)).toMatchObject({ substatus: 'DESTINATION_MINT_REQUIRED', completion: { value: '1' } });
    expect(await test.database.serviceTransaction.count({ where: { actionId: sample.id } })).toBe(0);
  });
});
