import fc from 'fast-check';
import type { RpcCall } from '../../test/actions/scripted-chain';
import { emptyDatabase } from '../../test/setup/test-database';
import { openScriptedLedger, type ScriptedLedger, transfers, wallet } from '../../test/ledger/scripted-ledger';

const WALLETS = [wallet(1), wallet(2), wallet(3), wallet(4)];
const WATCHED = new Set(WALLETS.slice(0, 2));

/** What happens to the chain, its node and the ledger. */
type Event =
  | { readonly kind: 'mine'; readonly sent: readonly (readonly [number, number, number])[] }
  | { readonly kind: 'reorganise'; readonly depth: number; readonly more: number }
  | { readonly kind: 'fault'; readonly isFaulty: boolean }
  | { readonly kind: 'pass' };
type Fault = (typeof FAULTS)[number];
const FAULTS = ['no logs', 'cut', 'range limit', 'lagging', 'other block', 'no receipts'] as const;

const sent = fc.tuple(fc.nat(3), fc.nat(3), fc.integer({ min: 0, max: 50 }));
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('mine' as const), sent: fc.array(sent, { maxLength: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: 6 }),
      more: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fault' as const), isFaulty: fc.boolean() }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'pass' as const }) },
);
/** Blocks before the first pass: some of them are final. */
const BACKLOG = 14;
/** Every history has faults, a backlog, a reorganisation and passes, whatever else happens. */
const history = fc
  .tuple(
    fc.array(fc.array(sent, { maxLength: 2 }), { minLength: BACKLOG, maxLength: BACKLOG }),
    fc.array(event, { minLength: 4, maxLength: 12 }),
  )
  .map(([backlog, events]): readonly Event[] => [
    ...backlog.map((block) => ({ kind: 'mine' as const, sent: block })),
    {
      kind: 'mine',
      sent: [
        [2, 0, 1],
        [0, 3, 45],
        [3, 1, 46],
      ],
    },
    { kind: 'fault', isFaulty: true },
    { kind: 'pass' },
    ...events,
    { kind: 'reorganise', depth: 3, more: 1 },
    { kind: 'pass' },
  ]);

let ledger: ScriptedLedger;
beforeAll(async () => {
  ledger = await openScriptedLedger({ confirmations: 8 });
});
afterAll(() => ledger.stop());

/** The transfers of each block of the chain, by height: tokens, or coin when the amount is large. */
type Script = (readonly (readonly [number, number, number])[])[];
const isCoin = ([, , amount]: Script[number][number]): boolean => amount > 40;

/** The entries that the ledger must have: computed from the script alone. Those of coin come first in a block. */
const expectedEntries = (script: Script): readonly string[] =>
  script.flatMap((block, height) =>
    [...block.filter(isCoin), ...block.filter((each) => !isCoin(each))].flatMap(([from, to, amount]) => {
      if (amount === 0) return [];
      const [sender, receiver] = [WALLETS[from]!, WALLETS[to]!];
      const out = WATCHED.has(sender) ? [`${height} transferOut ${receiver} ${amount}`] : [];
      return WATCHED.has(receiver) ? [...out, `${height} transferIn ${sender} ${amount}`] : out;
    }),
  );

function mine(script: Script, block: Script[number]): void {
  script.push(block);
  const sides = block.map((each) => ({
    from: WALLETS[each[0]]!,
    to: WALLETS[each[1]]!,
    amount: BigInt(each[2]),
    isCoin: isCoin(each),
  }));
  const coins = sides.filter((side) => side.isCoin).map(({ from, to, amount: value }) => ({ from, to, value }));
  ledger.node.mine(transfers(...sides.filter((side) => !side.isCoin)), ...coins);
}

const isLogs = ({ method }: RpcCall): boolean => method === 'eth_getLogs';
const NO_RECEIPT = { error: { code: -32000, message: 'no' } };

/** What the node responds under each fault; `undefined` for its usual response. `stale`: the newest block of a node that lags. */
const RESPONSES: Readonly<Record<Fault, (call: RpcCall, stale: number) => unknown>> = {
  'no logs': (call) => (isLogs(call) ? { result: [] } : undefined),
  cut: (call) => (isLogs(call) ? '[{"jsonrpc":"2.0","id":1,"result":[{"addr' : undefined),
  'range limit': (call) =>
    isLogs(call) && 'fromBlock' in (call.params[0] as object)
      ? { error: { code: -32602, message: 'eth_getLogs is limited to a 2 block range' } }
      : undefined,
  'other block': (call) => (isLogs(call) ? { result: [{ blockHash: `0x${'cd'.repeat(32)}` }] } : undefined),
  'no receipts': (call) => (isLogs(call) || call.method === 'eth_getTransactionReceipt' ? NO_RECEIPT : undefined),
  lagging: ({ method, params }, stale) =>
    method === 'eth_getBlockByNumber' && Number(params[0]) > stale ? { result: null } : undefined,
};

/** Makes the node misbehave in every second response, so that some are correct. */
function misbehave(fault: Fault): void {
  const { node } = ledger;
  let count = 0;
  const stale = node.hashes().length - 2;
  node.intercept = (call) => {
    count += 1;
    return count % 2 === 0 && fault !== 'lagging' ? undefined : RESPONSES[fault](call, stale);
  };
}

test.each(FAULTS)('the ledger equals the chain once its node is sound, whatever happened before: %s', async (fault) => {
  await fc.assert(
    fc.asyncProperty(history, async (events) => {
      const { node } = ledger;
      await emptyDatabase(ledger.test);
      node.intercept = () => undefined;
      if (node.hashes().length > 1) node.removeBlocks(node.hashes().length - 1);
      const script: Script = [[]];
      await ledger.watch(...WATCHED);
      const own = ledger.replica();
      const { signal } = new AbortController();
      await own.pass(signal);
      for (const happened of events) {
        if (happened.kind === 'mine') mine(script, happened.sent);
        else if (happened.kind === 'pass') await own.pass(signal).catch(() => undefined);
        else if (happened.kind === 'fault') {
          if (happened.isFaulty) misbehave(fault);
          else node.intercept = () => undefined;
        } else {
          const depth = Math.min(happened.depth, script.length - 1);
          node.removeBlocks(depth);
          script.splice(script.length - depth);
          for (let count = 0; count < depth + happened.more; count += 1) mine(script, [[count % 4, 0, count + 1]]);
        }
      }
      node.intercept = () => undefined;
      await ledger.test.database.quarantine.updateMany({ data: { nextAt: new Date(0) } });
      mine(script, []);
      for (let count = 0; count < 12; count += 1) await own.pass(signal);
      expect(await ledger.entries()).toEqual(expectedEntries(script));
      expect(await ledger.quarantined()).toBe(0);
      expect(await ledger.cursor()).toMatchObject({ hash: node.hashes().at(-1), state: 'reading' });
      expect(await ledger.test.database.ledgerEntry.count()).toBe(expectedEntries(script).length);
    }),
    { numRuns: 2 },
  );
});
