import fc from 'fast-check';
import type { SeenSignature } from '../../rpc/solana/solana-rpc';
import { type AccountScan, addPage, restartedScan, nextPage, PageError } from './scan-account';

const NEW: AccountScan = {
  address: 'account',
  headSignature: null,
  headSlot: null,
  topSignature: null,
  topSlot: null,
  lastSignature: null,
  priorSignature: null,
  read: 0,
  oldestSlot: null,
};

/** The transactions of an account, the newest first. Two in a row share a slot. */
const historyOf = (count: number): readonly SeenSignature[] =>
  Array.from({ length: count }, (_, index) => count - index).map((number) => ({
    signature: `s${String(number)}`,
    slot: Math.ceil(number / 2),
    failed: false,
  }));

/** Reads pages until the reading is complete. The node returns `size` signatures at most. */
function readOn(
  scan: AccountScan,
  history: readonly SeenSignature[],
  { size = 3, maxHistory = 1000 }: { readonly size?: number; readonly maxHistory?: number } = {},
) {
  const found: string[] = [];
  for (let place = scan; ;) {
    const { before, limit } = nextPage(place, { limit: 5, minSlot: 0 });
    const start = before === undefined ? 0 : history.findIndex(({ signature }) => signature === before) + 1;
    const page = history.slice(start, start + Math.min(limit, size));
    const next = addPage(place, page, maxHistory);
    found.push(...next.found.map(({ signature }) => signature));
    if (next.isComplete) return { scan: next.scan, found };
    place = next.scan;
  }
}

describe('the signatures of an account', () => {
  it('are found once each, over any number of readings and pages of any size', () => {
    const counts = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(counts, fc.integer({ min: 1, max: 5 }), (added, size) => {
        let [scan, total] = [NEW, 0];
        const found: string[] = [];
        for (const count of added) {
          total += count;
          const reading = readOn(scan, historyOf(total), { size });
          scan = reading.scan;
          found.push(...reading.found);
        }
        expect(found.sort()).toEqual(
          historyOf(total)
            .map(({ signature }) => signature)
            .sort(),
        );
      }),
    );
  });

  it('are cut where too many are older, with the slot of the oldest one', () => {
    const { scan, found } = readOn(NEW, historyOf(20), { maxHistory: 6 });
    // Each page after the first one repeats a signature.
    expect([found.length, scan.oldestSlot, scan.headSignature]).toEqual([7, 7n, 's20']);
    expect(readOn(scan, historyOf(21)).found).toEqual(['s21']);
  });

  it('of a node that lags, or has removed the head, are not found again', () => {
    const { scan } = readOn(NEW, historyOf(10));
    expect(addPage(scan, historyOf(8).slice(0, 3), 1000)).toMatchObject({ found: [], isComplete: true, scan });
    expect(addPage(scan, [], 1000)).toMatchObject({ found: [], isComplete: true, scan });
  });

  it('are requested again where a node leaves out those between the newest one and the head', () => {
    const { scan } = readOn(NEW, historyOf(2));
    const { scan: begun, isComplete } = addPage(scan, historyOf(20).slice(0, 3), 1000);
    expect(isComplete).toBe(false);
    expect(() => addPage(begun, [], 1000)).toThrow(PageError);
  });

  it('are not complete because a node has none of those before the last page, and are read from the newest one again', () => {
    const history = historyOf(20);
    const { scan: begun } = addPage(NEW, history.slice(0, 3), 1000);
    // What nodes return for a signature that they do not have.
    expect(() => addPage(begun, [], 1000)).toThrow(PageError);
    expect(() => addPage(begun, history.slice(10, 12), 1000)).toThrow(PageError);
    expect(restartedScan(begun)).toEqual(NEW);
    expect(readOn(restartedScan(begun), history)).toMatchObject({ found: history.map(({ signature }) => signature) });
  });
});
