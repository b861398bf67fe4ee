import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  http,
  parseAbi,
  parseUnits,
  publicActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createJsonRpc } from '../../devnet/json-rpc';
import { catchUp, trackerOf, trackUntil } from '../actions/local-tracker';
import { asChain, localToken, rpcOf } from '../contract/local-swaps';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { fakeOutputs, REFERENCE } from './fake-outputs';
import { PRICED_AT, rejection, SOLANA_USDC, SOLANA_WALLET } from './swap-world';
import { startAction } from '../../src/actions/start-action';
import type { TrackerDeps } from '../../src/actions/tracker/tracker-deps';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import type { RawFields } from '../../src/errors/field-reader';
import { quoteDeadline } from '../../src/quotes/quote-deadline';
import type { Rpc } from '../../src/rpc/rpc';
import type { Token } from '../../src/tokens/token';
import type { CallItem } from '../../src/transactions/execution/transaction-item';
import { createTransfer, type TransferDeps } from '../../src/transactions/transfers/create-transfer';

const OTHER: Address = '0x00000000000000000000000000000000000A11cE';
/** Takes native coin, and refuses calldata. */
const RECEIVES_ONLY: Hex = '0x36156008575f5ffd5b00';
/** Says of everybody that it holds 10^18, of everything that it succeeded, and does nothing. */
const LYING_TOKEN: Hex = '0x5f3560e01c6370a082311460165760015f5260205ff35b670de0b6b3a76400005f5260205ff3';
const issuer = parseAbi(['function pause()', 'function blacklist(address account)']);
const customerId = uuidV7() as CustomerId;
const signal = AbortSignal.timeout(60_000);

let universe: TestUniverse;
let rpc: Rpc;
let world: TestDatabase;
let tracker: TrackerDeps;
let goBack: () => Promise<void>;
beforeAll(async () => {
  [universe, world] = [await universeOfTests(), await createTestDatabase()];
  rpc = rpcOf(universe.chains);
  tracker = trackerOf(world.database, asChain(devnet()), devnet().rpcUrl);
  await catchUp(tracker, devnet().chainId);
  await world.database.customer.create({ data: { id: customerId, name: 'one' } });
});
afterAll(() => world.drop());
beforeEach(async () => {
  goBack = await snapshotOf(devnet());
});
afterEach(() => goBack());

const devnet = () => chainNamed(universe, 'devnet');
const sender = () => universe.accounts[4]!;
const setCode = (address: Address, code: Hex) => createJsonRpc(devnet().rpcUrl).call('anvil_setCode', [address, code]);

function deps(changes: Partial<TransferDeps> = {}): TransferDeps {
  const chains = createChainTable([...KNOWN_CHAINS, asChain(devnet())]);
  const solana = chains.find('solana')!;
  return {
    ...fakeOutputs(),
    chains,
    rpc,
    database: world.database,
    startAction,
    actionExpirySeconds: 86_400,
    webhookUrls: { allowLoopback: false },
    blockedAddresses: new Set<string>(),
    budgetMs: 500,
    isServed: ({ chainId }) => rpc.serves(chainId) || chainId === solana.chainId,
    tokens: { find: ({ kind }, address) => Promise.resolve(kind === 'evm' ? tokenAt(address) : SOLANA_USDC) },
    prices: { priceUsd: () => Promise.resolve({ usd: 2, asOf: PRICED_AT, source: 'peg' }) },
    quoteDeadline: quoteDeadline(world.pool),
    quoteLifetimeSeconds: 300,
    transferInstructions: ({ sender: from }) =>
      Promise.resolve({ kind: 'instructions', chainId: solana.chainId, from, instructions: [], lookupTables: {} }),
    ...changes,
  };
}

function tokenAt(address: string): Token | undefined {
  const eth = localToken(devnet(), 'ETH');
  if (address === eth.address) return eth;
  const listed = devnet().tokens.find((token) => token.address === address);
  const { chainId } = devnet();
  return { logoURI: undefined, ...(listed ?? { address, symbol: 'LIE', name: 'Lie', decimals: 18 }), chainId };
}

const transfer = (fields: RawFields, changes: Partial<TransferDeps> = {}) =>
  createTransfer(deps(changes), {
    customerId,
    signal,
    fields: { chainId: '31337', originAddress: sender().address, destinationAddress: OTHER, ...fields },
  });
const ofToken = (symbol: string, amount: bigint, changes: RawFields = {}) =>
  transfer({ token: localToken(devnet(), symbol).address, amount: amount.toString(), ...changes });
const flawOf = async (transferring: Promise<unknown>) => {
  const error = await rejection(transferring);
  expect(error).toMatchObject({ code: 'TRANSFER_VALIDATION_FAILED', status: 400 });
  return (error as { details: { kind: string; reason: string } }).details;
};

async function send({ to, data, value }: CallItem, index = 4): Promise<Hex> {
  const account = privateKeyToAccount(universe.accounts[index]!.privateKey);
  const signer = createWalletClient({ account, transport: http(devnet().rpcUrl), pollingInterval: 10 }).extend(
    publicActions,
  );
  const hash = await signer.sendTransaction({ to: to as Hex, data, value: BigInt(value), gas: 500_000n, chain: null });
  expect((await signer.waitForTransactionReceipt({ hash })).status).toBe('success');
  return hash;
}

const received = async (symbol: string): Promise<bigint> => {
  const token = localToken(devnet(), symbol);
  const client = rpc.client(devnet().chainId);
  if (symbol === 'ETH') return client.getBalance({ address: OTHER });
  return client.readContract({
    address: token.address as Hex,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [OTHER],
  });
};
/** Has the issuer of RUSD call it. */
const issue = (data: Hex) =>
  send({ chainId: '31337', from: '', to: localToken(devnet(), 'RUSD').address, value: '0', data }, 0);

describe('a transfer', () => {
  it.each([
    ['a token', 'USDC', parseUnits('12.5', 6)],
    ['a token that returns nothing', 'USDT', parseUnits('3', 6)],
    ['the native coin', 'ETH', parseUnits('0.25', 18)],
  ])('of %s moves exactly the amount, and its action ends in SUCCESS', async (_, symbol, amount) => {
    const { id, transactionData, bytecode, transactions, simulation } = await ofToken(symbol, amount);
    expect(simulation.status).toBe('SUCCESS');
    expect([bytecode, transactions]).toEqual([transactionData, transactionData]);
    expect(transactionData).toHaveLength(1);
    const before = await received(symbol);
    const { chainId } = devnet();
    await send(transactionData[0] as CallItem);
    expect((await received(symbol)) - before).toBe(amount);
    await trackUntil(tracker, { actionId: id, chainId, status: 'SUCCESS' });
    const action = await world.database.action.findUniqueOrThrow({ where: { id }, include: { steps: true } });
    expect(action).toMatchObject({
      type: 'TRANSFER_OUT',
      provider: 'transfer',
      quoteId: null,
      receiverAddress: OTHER,
      steps: [{ kind: 'TRANSFER', operator: 'USER', status: 'CONFIRMED' }],
    });
    expect([action.amountIn.toFixed(), action.amountOut.toFixed()]).toEqual([amount.toString(), amount.toString()]);
  });

  it('is known to the trackers by its tag, and costs what the network takes', async () => {
    const { id, transactionData } = await ofToken('USDC', 5n, { webhookURL: 'https://hooks.example/t' });
    const [call] = transactionData as readonly CallItem[];
    expect(call?.data.endsWith(id.replaceAll('-', ''))).toBe(true);
    const action = await world.database.action.findUniqueOrThrow({ where: { id }, include: { calls: true } });
    expect(action).toMatchObject({ status: 'INITIAL', webhookUrl: 'https://hooks.example/t' });
    expect(action.calls).toMatchObject([{ kind: 'TRANSFER', form: 'CALL', sender: sender().address.toLowerCase() }]);
    expect(action.fees).toMatchObject({ currency: 'USD', breakdown: [{ type: 'gas', token: 'ETH' }] });
    const left = action.expiresAt.getTime() - Date.now();
    expect(left).toBeGreaterThan(86_400_000);
  });

  it('makes an action of its own at every call', async () => {
    const [one, other] = await Promise.all([ofToken('USDC', 5n), ofToken('USDC', 5n)]);
    expect(one.id).not.toBe(other.id);
    expect(one.transactionData).not.toEqual(other.transactionData);
  });

  it('of native coin goes without a tag to a contract that refuses calldata', async () => {
    await setCode(OTHER, RECEIVES_ONLY);
    const { transactionData } = await ofToken('ETH', 7n);
    const [call] = transactionData as readonly CallItem[];
    expect(call).toMatchObject({ to: OTHER, data: '0x', value: '7' });
    await send(call!);
    await setCode(OTHER, '0x5f5ffd');
    expect(await flawOf(ofToken('ETH', 7n))).toMatchObject({ kind: 'REVERTED' });
  });

  it('may be a user operation or payloads of a vault', async () => {
    const operation = await ofToken('USDC', 5n, { output: 'userOperation' });
    expect(operation.userOperation).toEqual({ sender: sender().address, calls: 1, sponsored: false });
    const calls = await world.database.actionCall.findMany({ where: { actionId: operation.id } });
    expect(calls).toMatchObject([{ form: 'USER_OPERATION', kind: 'TRANSFER' }]);
    const { id, custody } = await ofToken('USDC', 5n, { output: 'custody', accountId: '7' });
    expect(custody).toMatchObject([{ accountId: '7', actionId: id }]);
  });
});

describe('a transfer that would not arrive is refused with a reason', () => {
  it('because the sender has too little, to the last unit', async () => {
    const client = rpc.client(devnet().chainId);
    const [owner, usdc] = [sender().address, localToken(devnet(), 'USDC').address as Hex];
    const held = await client.readContract({ address: usdc, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
    await expect(ofToken('USDC', held)).resolves.toBeDefined();
    const flaw = await flawOf(ofToken('USDC', held + 1n));
    expect(flaw).toEqual({
      kind: 'INSUFFICIENT_BALANCE',
      reason: expect.stringMatching(/holds .* USDC of .* needed$/),
    });
    const coin = await client.getBalance({ address: owner });
    expect(await flawOf(ofToken('ETH', coin + 1n))).toMatchObject({ kind: 'INSUFFICIENT_BALANCE' });
    expect(await flawOf(ofToken('ETH', coin))).toEqual({
      kind: 'INSUFFICIENT_BALANCE',
      reason: expect.stringContaining('gas included'),
    });
  });

  it('because the token takes a fee', async () => {
    const flaw = await flawOf(ofToken('TOLL', parseUnits('100', 18)));
    expect(flaw).toEqual({
      kind: 'FEE_ON_TRANSFER',
      reason: expect.stringContaining('the recipient get 99 TOLL of 100'),
    });
  });

  it('because the token is paused', async () => {
    await issue(encodeFunctionData({ abi: issuer, functionName: 'pause' }));
    expect(await flawOf(ofToken('RUSD', 5n))).toMatchObject({ kind: 'TOKEN_PAUSED' });
  });

  it.each([
    ['sender', () => sender().address],
    ['recipient', () => OTHER],
  ] as const)('because its issuer has barred the %s', async (party, address) => {
    await issue(encodeFunctionData({ abi: issuer, functionName: 'blacklist', args: [address()] }));
    expect(await flawOf(ofToken('RUSD', 5n))).toEqual({
      kind: 'ADDRESS_BLOCKED',
      reason: expect.stringContaining(party),
    });
  });

  it('because the token moves nothing and says that it did', async () => {
    const liar = getAddress(`0x${'11'.repeat(20)}`);
    await setCode(liar, LYING_TOKEN);
    expect(await flawOf(transfer({ token: liar, amount: '5' }))).toMatchObject({ kind: 'NOT_TRANSFERRED' });
  });

  it('because it goes to the token itself, or nowhere', async () => {
    const usdc = localToken(devnet(), 'USDC').address;
    expect(await flawOf(ofToken('USDC', 5n, { destinationAddress: usdc }))).toMatchObject({
      kind: 'RECIPIENT_IS_TOKEN',
    });
    const toOneself = ofToken('USDC', 5n, { destinationAddress: sender().address });
    expect(await flawOf(toOneself)).toMatchObject({ kind: 'RECIPIENT_IS_SENDER' });
  });

  it('and leaves no action behind', async () => {
    const count = () => world.database.action.count();
    const before = await count();
    await flawOf(ofToken('TOLL', parseUnits('100', 18)));
    expect(await count()).toBe(before);
  });
});

describe('a transfer is refused', () => {
  it('to and from a blocked wallet', async () => {
    for (const blocked of [OTHER, sender().address]) {
      const blockedAddresses = new Set([blocked.toLowerCase()]);
      const token = localToken(devnet(), 'USDC').address;
      const refused = await rejection(transfer({ token, amount: '5' }, { blockedAddresses }));
      expect(refused).toMatchObject({ code: 'FORBIDDEN' });
    }
  });

  it('on a chain that is not served, and for a token that does not exist', async () => {
    const token = localToken(devnet(), 'USDC').address;
    const elsewhere = await rejection(transfer({ chainId: '8453', token, amount: '5' }));
    expect(elsewhere).toMatchObject({ code: 'VALIDATION_ERROR', details: { errors: [{ path: 'chainId' }] } });
    const tokens = { find: () => Promise.resolve(undefined) };
    const unknown = await rejection(transfer({ token, amount: '5' }, { tokens }));
    expect(unknown).toMatchObject({ code: 'VALIDATION_ERROR', details: { errors: [{ path: 'token' }] } });
  });

  it('while its chain cannot be asked, and is handed out by a node that cannot try it', async () => {
    const token = localToken(devnet(), 'USDC').address;
    const deaf = rpcOf(universe.chains, { devnet: 'http://127.0.0.1:9' });
    expect(await rejection(transfer({ token, amount: '5' }, { rpc: deaf }))).toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
    });
    const old = { ...rpc, simulate: deaf.simulate };
    const { simulation, transactionData } = await transfer({ token, amount: '5' }, { rpc: old });
    expect([simulation.status, transactionData.length]).toEqual(['UNAVAILABLE', 1]);
  });
});

describe('a transfer on Solana', () => {
  const fields = { chainId: 'solana', token: SOLANA_USDC.address, amount: '5', originAddress: SOLANA_WALLET };
  const toOther = { ...fields, destinationAddress: REFERENCE };

  it('is one transaction with its memo, followed by its reference', async () => {
    const asked: unknown[] = [];
    const { transferInstructions } = deps();
    const { id, transactionData } = await transfer(
      { ...toOther, memo: 'invoice 7' },
      { transferInstructions: (request) => (asked.push(request.memo), transferInstructions(request)) },
    );
    expect(asked).toEqual(['invoice 7']);
    expect(transactionData).toEqual([{ chainId: '1151111081099710', rawTransaction: 'AQID' }]);
    const calls = await world.database.actionCall.findMany({ where: { actionId: id } });
    expect(calls).toMatchObject([{ form: 'REFERENCE', target: REFERENCE, kind: 'TRANSFER' }]);
  });
});
