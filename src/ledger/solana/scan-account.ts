import type { SignaturePage } from '../../rpc/solana/signature-page';
import type { SeenSignature } from '../../rpc/solana/solana-rpc';

/** How far the signatures of an account are read. A reading goes from the newest signature to `head`, page by page. */
export interface AccountScan {
  readonly address: string;
  /** The newest signature below which none is missing; null before the first reading has ended. */
  readonly headSignature: string | null;
  readonly headSlot: bigint | null;
  /** The newest signature of the reading in progress, and the oldest one of its last page; null without one. */
  readonly topSignature: string | null;
  readonly topSlot: bigint | null;
  readonly lastSignature: string | null;
  /** The one before it, from which the next page goes on; null to go on from the last one. */
  readonly priorSignature: string | null;
  /** Signatures of the reading in progress. */
  readonly read: number;
  /** Slot of the oldest signature when earlier ones were left out. */
  readonly oldestSlot: bigint | null;
}

/** Signatures of the first page of a later reading: usually none of them is new. */
const FIRST_PAGE = 25;

/**
 * The next page to request. Without `until`: that a page reaches the head proves that nothing between was left out. It repeats the
 * last signature of the page before: nodes return an empty page for a signature that they do not have.
 */
export const nextPage = (
  { address, headSignature, lastSignature, priorSignature }: AccountScan,
  { limit, minSlot }: Pick<SignaturePage, 'limit' | 'minSlot'>,
): SignaturePage => ({
  address,
  before: priorSignature ?? lastSignature ?? undefined,
  limit: headSignature !== null && lastSignature === null ? FIRST_PAGE : limit,
  minSlot,
});

/** A scan after a page, with the signatures that are new. */
export interface ScannedPage {
  readonly scan: AccountScan;
  readonly found: readonly SeenSignature[];
  /** True when no signature is missing below the newest one. */
  readonly isComplete: boolean;
}

/**
 * The first reading ends with an empty page behind the last signature, since nodes may return fewer signatures than requested, or at
 * `maxHistory`; each later one when it reaches the head, or what is older.
 *
 * @throws PageError for a page without the last signature of the page before, and for an empty one between the newest signature and
 * the head
 */
export function addPage(scan: AccountScan, page: readonly SeenSignature[], maxHistory: number): ScannedPage {
  const { lastSignature, priorSignature } = scan;
  if (priorSignature === null) return addRest(scan, page, maxHistory);
  const rest = page.filter(({ signature }) => signature !== lastSignature);
  if (rest.length === page.length) throw new PageError(LEFT_OUT);
  // The node has the last signature, and shows nothing behind it: the next page has to be empty.
  if (rest.length === 0) return { scan: { ...scan, priorSignature: null }, found: [], isComplete: false };
  return addRest(scan, rest, maxHistory);
}

function addRest(scan: AccountScan, page: readonly SeenSignature[], maxHistory: number): ScannedPage {
  const isFirstReading = scan.headSignature === null;
  const isEmpty = page.length === 0;
  if (isEmpty && hasSignaturesBelow(scan)) throw new PageError(LEFT_OUT);
  const found = newOf(scan, page);
  const next = { ...scan, ...topOf(scan, found[0]), read: scan.read + found.length };
  const isCut = isFirstReading && next.read >= maxHistory;
  if (isEmpty || isCut || found.length < page.length) {
    const oldestSlot = isCut ? slotOf(found.at(-1)) : scan.oldestSlot;
    return { scan: endedScan({ ...next, oldestSlot }), found, isComplete: true };
  }
  return { scan: { ...next, ...endOf(scan, found) }, found, isComplete: false };
}

/** Where the next page continues. */
const endOf = (scan: AccountScan, found: readonly SeenSignature[]): Partial<AccountScan> => ({
  lastSignature: found.at(-1)?.signature ?? null,
  priorSignature: found.at(-2)?.signature ?? scan.lastSignature,
});

const LEFT_OUT = 'the node left out signatures that it has shown before';

/** The reading begins again, after a page that contradicts an earlier one. */
export const restartedScan = (scan: AccountScan): AccountScan => ({ ...scan, ...NO_READING });

const hasSignaturesBelow = ({ headSignature, lastSignature }: AccountScan): boolean =>
  headSignature !== null && lastSignature !== null;

/** The signatures of a page before the head, or what is older. */
function newOf(scan: AccountScan, page: readonly SeenSignature[]): readonly SeenSignature[] {
  const end = page.findIndex((seen) => isReached(scan, seen));
  return end === -1 ? page : page.slice(0, end);
}

const slotOf = (seen: SeenSignature | undefined): bigint | null => (seen === undefined ? null : BigInt(seen.slot));

const topOf = (scan: AccountScan, newest: SeenSignature | undefined): Partial<AccountScan> =>
  scan.topSignature === null && newest !== undefined ? { topSignature: newest.signature, topSlot: slotOf(newest) } : {};

/** The head is the newest signature of the reading; it stays when nothing was new. */
const endedScan = (scan: AccountScan): AccountScan => ({
  ...scan,
  headSignature: scan.topSignature ?? scan.headSignature,
  headSlot: scan.topSlot ?? scan.headSlot,
  ...NO_READING,
});

/** Without a reading in progress. */
const NO_READING = { topSignature: null, topSlot: null, lastSignature: null, priorSignature: null, read: 0 } as const;

const isReached = (
  { headSignature, headSlot }: AccountScan,
  { signature, slot }: Pick<SeenSignature, 'signature' | 'slot'>,
): boolean => signature === headSignature || (headSlot !== null && BigInt(slot) < headSlot);

/** A page that contradicts an earlier one: it is requested again later. */
export class PageError extends Error {
  override readonly name = 'PageError';
}
