import { type Address, encodeFunctionData, type Hex, multicall3Abi, parseAbi } from 'viem';
import { chainPayer, type SampleCall, transferData } from '../../../test/actions/chain-payer';
import { poll, noSolana, noMarket, noServiceWallet } from '../../../test/actions/delivery-desk';
import { catchUp } from '../../../test/actions/local-tracker';
import { createSampleAction, historyOf, sampleToken } from '../../../test/actions/sample-action';
import {
  BRIDGE,
  createSampleTransfer,
  type SampleTransferOptions,
  scriptedSource,
  recordOrigin,
  someChain,
  someHash,
} from '../../../test/actions/sample-transfer';
import { asChain, localToken, rpcOf } from '../../../test/contract/local-swaps';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import {
  chainNamed,
  haltBlocks,
  snapshotOf,
  type TestUniverse,
  universeOfTests,
} from '../../../test/setup/universe-of-tests';
import type { CustomerId } from '../../auth/principal';
import { createChainTable } from '../../chains/chain-table';
import { toBaseUnits } from '../../money/base-units';
import type { DeliveryState } from '../../venues/delivery-source';
import { getAction } from '../get-action';
import type { TrackerDeps } from '../tracker/tracker-deps';
import type { DeliveryDeps } from './delivery-deps';

const RECEIVER: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const STRANGER: Address = '0x000000000000000000000000000000000000dEaD';
const MULTICALL: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';
const REPLICA_ID = '00000000-0000-4000-8000-000000000007';
const silent = { info: () => undefined, warn: () => undefined };

let test: TestDatabase;
let chain: TestUniverse['chains'][number];
let relayer: TestUniverse['accounts'][number];
let tracker: TrackerDeps;
beforeAll(async () => {
  const universe = await universeOfTests();
  [chain, relayer, test] = [chainNamed(universe, 'devnet-l2'), universe.accounts[7]!, await createTestDatabase()];
  await haltBlocks(chain);
  const chains = createChainTable([asChain(chain), someChain(31337)]);
  tracker = { database: test.database, rpc: rpcOf([chain]), chains, log: silent, replicaId: REPLICA_ID };
});
afterAll(() => test.drop());

const source = scriptedSource();
const deps = (): DeliveryDeps => ({
  database: test.database,
  rpc: tracker.rpc,
  solana: noSolana,
  chains: tracker.chains,
  log: silent,
  ...noMarket,
  ...noServiceWallet,
  pollMs: 20,
  sources: new Map([[BRIDGE, source]]),
});

const usdc = () => localToken(chain, 'USDC');
const send = (call: SampleCall): Promise<Hex> => chainPayer(chain, relayer).send(call);
const pay = (to: Address, amount: bigint, token: string = usdc().address): Promise<Hex> =>
  send({ to: token as Address, data: transferData(to, amount) });
const confirm = () => chainPayer(chain, relayer).confirm();

const transfer = async (options: SampleTransferOptions = {}): Promise<string> => {
  const { id } = await createSampleTransfer(test.database, { receiverAddress: RECEIVER, tokenOut: usdc(), ...options });
  await recordOrigin(test.database, id);
  return id;
};

/** A poll with this state, then passes of the tracker. */
async function say(state: DeliveryState, id: string): Promise<void> {
  source.respondWith(state);
  await poll(deps(), id);
  await catchUp(tracker, chain.chainId);
}

const delivered = (txHash: string, partial = false): DeliveryState => ({
  status: 'delivered',
  txHash,
  amount: toBaseUnits(99_000_000n),
  partial,
});
/** The provider reports more than was returned. */
const refunded = (txHash: string): DeliveryState => ({
  status: 'refunded',
  chainId: chain.chainId,
  txHash,
  amount: toBaseUnits(95_000_000n),
  reason: 'expired',
});
const refundOf = async (id: string) =>
  (await getAction(tracker, { customerId: (await actionOf(id)).customerId as CustomerId, actionId: id })).refund;
const inUsdc = (amount: bigint, receiverAddress: string) => ({
  amountRaw: `${amount}000000`,
  amountHumanized: `${amount}`,
  receiverAddress,
  chain: { id: chain.chainId },
  token: { address: usdc().address },
});
const actionOf = async (id: string) => {
  const action = await test.database.action.findUniqueOrThrow({ where: { id }, include: { steps: true } });
  return { ...action, amountOut: action.amountOut.toFixed(0) };
};

describe('a delivery to an EVM chain', () => {
  it('succeeds once it is final, with the amount that arrived', async () => {
    const id = await transfer();
    const txHash = await pay(RECEIVER, 98_500_000n);
    await say(delivered(txHash), id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_CONFIRMATIONS' });
    await confirm();
    await catchUp(tracker, chain.chainId);
    expect(await actionOf(id)).toMatchObject({ status: 'SUCCESS', amountOut: '98500000' });
    expect((await actionOf(id)).steps).toMatchObject([{ status: 'CONFIRMED' }, { status: 'CONFIRMED', txHash }]);
  });

  it('of the native coin is read from the balance, because no event shows it', async () => {
    const coin = { ...localToken(chain, 'ETH') };
    const id = await transfer({ tokenOut: coin, receiverAddress: STRANGER });
    await say(delivered(await send({ to: STRANGER, value: 98_000_001n })), id);
    await confirm();
    await catchUp(tracker, chain.chainId);
    expect(await actionOf(id)).toMatchObject({ status: 'SUCCESS', amountOut: '98000001' });
    const lied = await transfer({ tokenOut: coin, receiverAddress: STRANGER });
    await say(delivered(await send({ to: RECEIVER, value: 98_000_001n })), lied);
    expect(await actionOf(lied)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_DESTINATION' });
  });

  it('of less than the minimum is PARTIAL, never a success', async () => {
    const id = await transfer();
    await say(delivered(await pay(RECEIVER, 40_000_000n)), id);
    await confirm();
    await catchUp(tracker, chain.chainId);
    expect(await actionOf(id)).toMatchObject({
      status: 'FAILED',
      substatus: 'PARTIAL',
      amountOut: '40000000',
      failureReason: 'Only 40 USDC arrived, less than the minimum of 98 USDC',
    });
  });

  it('of another token than the bought one is PARTIAL, with the token in the reason', async () => {
    const id = await transfer();
    const dai = localToken(chain, 'DAI').address;
    const txHash = await pay(RECEIVER, 5n, dai);
    await say(delivered(txHash), id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_DESTINATION' });
    await say(delivered(txHash, true), id);
    await confirm();
    await catchUp(tracker, chain.chainId);
    const { failureReason, ...action } = await actionOf(id);
    expect(action).toMatchObject({ status: 'FAILED', substatus: 'PARTIAL' });
    expect(failureReason).toBe(
      `Another token than the one bought arrived: 5 base units of the token ${dai.toLowerCase()}; 0 USDC arrived`,
    );
  });

  it('that the chain does not confirm never succeeds, whatever the provider reports', async () => {
    const id = await transfer();
    const issued = { sender: relayer.address, target: usdc().address, data: transferData(RECEIVER, 98_000_002n) };
    const others = await createSampleAction(test.database, { chainIdIn: chain.chainId, calls: [issued] });
    const lies = {
      'does not exist': someHash(),
      reverted: await send({ to: usdc().address as Address, data: transferData(RECEIVER, 2n ** 200n), gas: 90_000n }),
      'paid another account': await pay(STRANGER, 99_000_000n),
      'moved another token': await pay(RECEIVER, 99_000_000n, localToken(chain, 'DAI').address),
      'executes another action': await pay(RECEIVER, 98_000_002n),
    };
    for (const txHash of Object.values(lies)) {
      await say(delivered(txHash), id);
      await confirm();
      await catchUp(tracker, chain.chainId);
      expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_DESTINATION' });
    }
    expect((await actionOf(others.id)).steps).toMatchObject([{ txHash: lies['executes another action'] }]);
    await say(delivered(await pay(RECEIVER, 99_000_000n)), id);
    await confirm();
    await catchUp(tracker, chain.chainId);
    expect(await actionOf(id)).toMatchObject({ status: 'SUCCESS' });
  });

  it('by a transaction older than its action does not count', async () => {
    const txHash = await pay(RECEIVER, 99_000_000n);
    const id = await transfer();
    const later = new Date(Date.now() + 3_600_000);
    await test.database.action.update({ where: { id }, data: { createdAt: later } });
    await say(delivered(txHash), id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_DESTINATION' });
  });

  it('may share its transaction with others: each has its own share, and no amount counts twice', async () => {
    const dai = localToken(chain, 'DAI');
    const mint = (amount: bigint) => ({
      target: dai.address as Address,
      callData: encodeFunctionData({ abi: parseAbi(['function mint(address,uint256)']), args: [RECEIVER, amount] }),
    });
    const calls = [mint(99_000_000n), mint(98_500_000n)];
    const data = encodeFunctionData({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [calls.map((call) => ({ ...call, allowFailure: false }))],
    });
    const txHash = await send({ to: MULTICALL, data });
    const ids = [
      await transfer({ tokenOut: dai }),
      await transfer({ tokenOut: dai }),
      await transfer({ tokenOut: dai }),
    ];
    source.respondWith(delivered(txHash));
    await Promise.all(ids.map((id) => poll(deps(), id)));
    await confirm();
    await catchUp(tracker, chain.chainId);
    const actions = await Promise.all(ids.map(actionOf));
    expect(actions.map(({ status }) => status).toSorted()).toEqual(['PENDING', 'SUCCESS', 'SUCCESS']);
    const received = actions.filter(({ status }) => status === 'SUCCESS').map(({ amountOut }) => BigInt(amountOut));
    expect(received.every((amount) => amount >= 98_000_000n && amount <= 99_500_000n)).toBe(true);
  });

  it('that vanishes in a reorganisation is awaited again, and succeeds by another transaction', async () => {
    const id = await transfer();
    const goBack = await snapshotOf(chain);
    const lost = await pay(RECEIVER, 99_000_003n);
    source.respondWith(delivered(lost));
    await poll(deps(), id);
    // The chain mines by itself: with its usual confirmations the payment could be final before it vanishes.
    const manyConfirmations = createChainTable([{ ...asChain(chain), confirmations: 1000 }, someChain(31337)]);
    await catchUp({ ...tracker, chains: manyConfirmations }, chain.chainId);
    expect(await actionOf(id)).toMatchObject({ substatus: 'WAITING_CONFIRMATIONS' });
    await goBack();
    const found = await pay(RECEIVER, 99_000_004n);
    await confirm();
    await catchUp(tracker, chain.chainId);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_DESTINATION' });
    await say(delivered(found), id);
    await confirm();
    await catchUp(tracker, chain.chainId);
    expect(await actionOf(id)).toMatchObject({ status: 'SUCCESS', amountOut: '99000004' });
  });
});

describe('a refund on an EVM chain', () => {
  const back = async (options: SampleTransferOptions = {}): Promise<string> => {
    const away = sampleToken('USDC', { chainId: 31337 });
    const sides = { chainIdIn: chain.chainId, chainIdOut: 31337, tokenIn: usdc(), tokenOut: away };
    const { id } = await createSampleTransfer(test.database, { ...sides, originAddress: RECEIVER, ...options });
    await recordOrigin(test.database, id);
    return id;
  };

  it('counts once it is final, at the sender or the refund address', async () => {
    for (const [owner, options] of [[RECEIVER, {}] as const, [STRANGER, { refundAddress: STRANGER }] as const]) {
      const id = await back(options);
      const txHash = await pay(owner, 90_000_000n);
      await say(refunded(txHash), id);
      expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'REFUND_SENT' });
      await confirm();
      await say(refunded(txHash), id);
      const { steps, ...action } = await actionOf(id);
      expect(action).toMatchObject({ status: 'REFUNDED', substatus: 'REFUND_SENT', failureReason: 'expired' });
      expect(steps.find(({ kind }) => kind === 'REFUND')).toMatchObject({ txHash, status: 'CONFIRMED' });
      expect(await refundOf(id)).toMatchObject({ ...inUsdc(90n, owner), txHash, amountInUSD: '90' });
    }
  });

  it('on another chain is shown with the token of that chain', async () => {
    const id = await transfer({ originAddress: RECEIVER });
    const txHash = await pay(RECEIVER, 70_000_000n);
    source.respondWith(refunded(txHash));
    await confirm();
    await poll({ ...deps(), tokens: { find: () => Promise.resolve(usdc()) } }, id);
    expect(await refundOf(id)).toMatchObject({ ...inUsdc(70n, RECEIVER), txHash, amountInUSD: null });
  });

  it('does not refund two actions with the amount of one', async () => {
    const ids = [await back(), await back()];
    const txHash = await pay(RECEIVER, 90_000_000n);
    await confirm();
    source.respondWith(refunded(txHash));
    await Promise.all(ids.map((id) => poll(deps(), id)));
    const actions = await Promise.all(ids.map(actionOf));
    expect(actions.map(({ status }) => status).toSorted()).toEqual(['PENDING', 'REFUNDED']);
  });

  it('that did not return the tokens does not count', async () => {
    const id = await back();
    for (const txHash of [someHash(), await pay(STRANGER, 90_000_000n)]) {
      await confirm();
      await say(refunded(txHash), id);
      expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'REFUND_QUEUED' });
    }
    expect((await historyOf(test.database, id)).some((event) => event.includes('REFUNDED'))).toBe(false);
  });
});
