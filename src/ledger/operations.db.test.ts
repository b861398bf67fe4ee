import { type Address, encodeAbiParameters, type Hex, pad, parseAbiParameters, toEventSelector, toHex } from 'viem';
import { openScriptedLedger, type ScriptedLedger, TOKEN, transfers, wallet } from '../../test/ledger/scripted-ledger';
import type { ScriptedTransaction } from '../../test/actions/scripted-chain';
import { batchOf, executionOf } from '../../test/actions/scripted-safe';
import { emptyDatabase } from '../../test/setup/test-database';
import { listMovements } from './list-movements';
import type { MovementView } from './movement-view';

const [SAFE, OTHER_SAFE, BOB, OWNER] = [wallet(1), wallet(2), wallet(3), wallet(4)];
const [ENTRY_POINT, HASH, OTHER_HASH] = [wallet(50), `0x${'5a'.repeat(32)}`, `0x${'5b'.repeat(32)}`] as const;
type Log = NonNullable<ScriptedTransaction['logs']>[number];

let ledger: ScriptedLedger;
beforeAll(async () => {
  ledger = await openScriptedLedger();
});
afterAll(() => ledger.stop());
beforeEach(async () => {
  await emptyDatabase(ledger.test);
  ledger.node.intercept = () => undefined;
  await ledger.watch(SAFE, OTHER_SAFE);
  await ledger.pass();
});

const sent = (from: string, to: string, amount = 1n): Log => transfers({ from, to, amount }).logs![0]!;
const number = (value: bigint): Hex => toHex(value, { size: 32 });
/** Since version 1.4.1 the hash is indexed. */
const done = (safe: string, hash: string = HASH, name = 'ExecutionSuccess'): Log => ({
  address: safe,
  topics: [toEventSelector(`${name}(bytes32,uint256)`), hash as Hex],
  data: number(0n),
});
const done130 = (safe: string, hash: string = HASH): Log => ({
  address: safe,
  topics: [toEventSelector('ExecutionSuccess(bytes32,uint256)')],
  data: `${hash as Hex}${number(0n).slice(2)}`,
});
const doneByModule = (safe: string): Log => ({
  address: safe,
  topics: [toEventSelector('ExecutionFromModuleSuccess(address)'), pad(BOB as Hex)],
  data: '0x',
});
const operation = (account: string, hash: string = HASH, entryPoint: string = ENTRY_POINT): Log => ({
  address: entryPoint,
  topics: [
    toEventSelector('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)'),
    hash as Hex,
    pad(account as Hex),
    pad('0x0'),
  ],
  data: toHex(1n, { size: 128 }),
});
const SAFE_TRANSACTION = parseAbiParameters(
  'address to, uint256 value, bytes data, uint8 operation, uint256 a, uint256 b, uint256 c, address d, address e, bytes f, bytes g',
);
const begun = (safe: string, { data, kind }: { readonly data: Hex; readonly kind: number }): Log => ({
  address: safe,
  topics: [
    toEventSelector(
      'SafeMultiSigTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes,bytes)',
    ),
  ],
  data: encodeAbiParameters(SAFE_TRANSACTION, [BOB, 0n, data, kind, 0n, 0n, 0n, BOB, BOB, '0x', '0x'] as never),
});
const call = { to: TOKEN as Address, data: '0xa9059cbb' } as const;
const BATCH = batchOf([call, call]);

interface Mined {
  readonly logs: readonly Log[];
  readonly to?: string;
  readonly input?: Hex;
}

/** The movements of a wallet after a transaction with these logs, the oldest first. */
async function movementsAfter({ logs, to = ENTRY_POINT, input = '0x' }: Mined): Promise<readonly MovementView[]> {
  ledger.node.mine({ from: OWNER, to, input, logs });
  await ledger.catchUp();
  const { deps, customerId } = ledger;
  const request = { customerId, addresses: [SAFE, OTHER_SAFE], filter: {} };
  const pages = await listMovements({ ...deps, isIndexed: () => true }, request);
  return pages.flatMap(({ nodes }) => [...nodes].reverse());
}
const kinds = async (mined: Mined) => (await movementsAfter(mined)).map((movement) => movement.operation);

describe('a movement of a Safe', () => {
  it.each([
    ['1.4.1', done],
    ['1.3.0', done130],
  ])('names the transaction of its owners, in the encoding of version %s', async (_, end) => {
    expect(await movementsAfter({ logs: [sent(SAFE, BOB), end(SAFE)] })).toMatchObject([
      { kind: 'transferOut', operation: 'safe', operationHash: HASH, operationContract: expect.any(String) },
    ]);
  });

  it('names a batch, by the event of Safes for L2 chains or by the calldata', async () => {
    const logs = [sent(SAFE, BOB), done(SAFE)];
    expect(await kinds({ logs: [begun(SAFE, { data: BATCH, kind: 1 }), ...logs] })).toEqual(['safeBatch']);
    const input = executionOf({ to: BOB as Address, data: BATCH }, 1);
    expect(await kinds({ logs, to: SAFE, input })).toEqual(['safeBatch', 'safeBatch']);
  });

  it('names no batch for a single call, or for the batch that the Safe made before it', async () => {
    const [batch, single] = [begun(SAFE, { data: BATCH, kind: 1 }), begun(SAFE, { data: '0xa9059cbb', kind: 0 })];
    const logs = [batch, sent(SAFE, BOB), done(SAFE), single, sent(SAFE, BOB), done(SAFE, OTHER_HASH)];
    expect(await kinds({ logs })).toEqual(['safeBatch', 'safe']);
  });

  it('in a nested execution names that of its own Safe', async () => {
    const logs = [sent(SAFE, BOB), done(SAFE), sent(OTHER_SAFE, BOB), done130(OTHER_SAFE, OTHER_HASH)];
    const found = await movementsAfter({ logs, to: OTHER_SAFE });
    expect(found.map(({ operationHash }) => operationHash)).toEqual([HASH, OTHER_HASH]);
  });

  it('names a module, without a hash', async () => {
    expect(await movementsAfter({ logs: [sent(SAFE, BOB), doneByModule(SAFE)] })).toMatchObject([
      { operation: 'safeModule', operationHash: null },
    ]);
  });

  it('that pays for the gas of calls which reverted names their transaction', async () => {
    expect(await kinds({ logs: [sent(SAFE, OWNER), done(SAFE, HASH, 'ExecutionFailure')] })).toEqual(['safe']);
  });
});

describe('a movement of a user operation', () => {
  it('names it, for any EntryPoint, and any sender of the bundle', async () => {
    expect(await kinds({ logs: [sent(SAFE, BOB), operation(SAFE)] })).toEqual(['userOperation']);
    expect(await kinds({ logs: [sent(SAFE, BOB), operation(SAFE, HASH, wallet(51))], to: BOB })).toHaveLength(2);
  });

  it('names that operation of a bundle which made it', async () => {
    const logs = [sent(SAFE, BOB), operation(SAFE), sent(SAFE, BOB), operation(SAFE, OTHER_HASH)];
    const found = await movementsAfter({ logs: [operation(BOB, OTHER_HASH), ...logs] });
    expect(found.map(({ operationHash }) => operationHash)).toEqual([HASH, OTHER_HASH]);
  });

  it('names none for tokens that an earlier operation of the same bundle paid the account', async () => {
    const logs = [sent(OTHER_SAFE, SAFE), operation(OTHER_SAFE, OTHER_HASH), sent(SAFE, BOB), operation(SAFE)];
    const found = await movementsAfter({ logs });
    expect(found.map(({ kind, operationHash }) => [kind, operationHash])).toEqual([
      ['transferIn', null],
      ['transferOut', HASH],
      ['transferOut', OTHER_HASH],
    ]);
  });

  it('names it for tokens that it obtained, such as those of a swap', async () => {
    expect(await kinds({ logs: [sent(SAFE, BOB), sent(BOB, SAFE), operation(SAFE)] })).toEqual([
      'userOperation',
      'userOperation',
    ]);
  });

  it('names it although the account uses a module of a Safe', async () => {
    expect(await kinds({ logs: [sent(SAFE, BOB), doneByModule(SAFE), operation(SAFE)] })).toEqual(['userOperation']);
  });
});

describe('a movement without an operation', () => {
  it('of the wallet names none: others sent the tokens, or the operation is over', async () => {
    const logs = [sent(BOB, SAFE), operation(BOB), done(OTHER_SAFE)];
    expect(await kinds({ logs })).toEqual([null]);
    expect(await kinds({ logs: [done(SAFE), sent(SAFE, BOB)] })).toEqual([null, null]);
  });

  it('is recorded although an event resembles one of an operation', async () => {
    const malformed = [operation(SAFE), done130(SAFE)].map((log) => ({ ...log, topics: log.topics.slice(0, 1) }));
    const logs = [sent(SAFE, BOB), ...malformed.map((log) => ({ ...log, data: '0x' as const }))];
    expect(await kinds({ logs: [...logs, begun(SAFE, { data: '0x', kind: 9 })] })).toEqual([null]);
    expect(await ledger.quarantined()).toBe(0);
  });
});

it('operations are read from receipts as well, when the logs of a block cannot be read', async () => {
  ledger.node.intercept = ({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined);
  ledger.node.mine({ from: OWNER, to: SAFE, logs: [sent(SAFE, BOB), done(SAFE)] });
  for (let count = 0; count < 3; count += 1) await ledger.pass();
  const entries = await ledger.test.database.ledgerEntry.findMany();
  expect(entries.map((entry) => entry.operation)).toEqual(['safe']);
});
