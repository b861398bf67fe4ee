import { concatHex, type Hex, keccak256, numberToHex } from 'viem';
import type { AttestedChain, SentMessage } from './attested-chain';
import { fieldOf, numberOf, withFields } from './burn-message';
import { feeOn, type FeeSchedule } from './fee-schedule';

/** Why a fast message waits for finality nevertheless. */
export const DELAY_REASONS = ['insufficient_fee', 'amount_above_max', 'insufficient_allowance_available'] as const;
export type DelayReason = (typeof DELAY_REASONS)[number];

/** A burn and what has become of it. */
export interface Entry {
  readonly nonce: Hex;
  readonly source: AttestedChain;
  readonly transactionHash: Hex;
  readonly sent: SentMessage;
  /** Time of the first request for it, in milliseconds of this machine's clock. */
  readonly seenAt: number;
  delayReason: DelayReason | undefined;
  attested: Attested | undefined;
  /** True from the request for a new attestation until it is signed. */
  reattesting: boolean;
}

export interface Attested {
  readonly message: Hex;
  readonly attestation: Hex;
}

export interface MessageBookDeps {
  readonly chains: readonly AttestedChain[];
  readonly fees: FeeSchedule;
  readonly attest: (message: Hex) => Promise<Hex>;
  readonly fastDelayMs: number;
  /** Behaviour set through the control routes. */
  readonly control: {
    isHeld(transactionHash: Hex): boolean;
    delayOf(transactionHash: Hex): DelayReason | undefined;
  };
}

/** Finality of a message that is attested before its burn is final, and after. */
const FAST = 1000n;
const FINALIZED = 2000n;
/** Blocks of the destination for which a fast attestation is valid: a day of the main network. */
const LIFE_IN_BLOCKS = 7200n;

/** The requested burns, with their attestations once these are available. */
export function createMessageBook(deps: MessageBookDeps) {
  const entries = new Map<Hex, Entry>();
  return {
    /** The burns of a transaction, up to date. */
    async entriesOf(source: AttestedChain, transactionHash: Hex): Promise<readonly Entry[]> {
      const sent = await source.messagesOf(transactionHash);
      const found = sent.map((message) => {
        const nonce = nonceOf(source, transactionHash, message);
        const entry = entries.get(nonce) ?? newEntry({ source, transactionHash, sent: message, nonce });
        entries.set(nonce, entry);
        return entry;
      });
      for (const entry of found) await settle(deps, entry);
      return found;
    },
    byNonce: (nonce: Hex): Entry | undefined => entries.get(nonce.toLowerCase() as Hex),
    /** Makes the attestation end with the newest block of the destination. */
    async expire(entry: Entry): Promise<void> {
      const destination = destinationOf(deps, entry);
      if (destination === undefined || entry.attested === undefined) return;
      const expirationBlock = await destination.blockNumber();
      await sign(deps, entry, withFields(entry.attested.message, { expirationBlock }));
    },
    /** Signs another message in the place of the right one. */
    substitute: (entry: Entry, message: Hex): Promise<void> => sign(deps, entry, message),
    clear: () => entries.clear(),
  };
}

export type MessageBook = ReturnType<typeof createMessageBook>;

type NewEntry = Pick<Entry, 'source' | 'transactionHash' | 'sent' | 'nonce'>;

const newEntry = (known: NewEntry): Entry => ({
  ...known,
  seenAt: Date.now(),
  delayReason: undefined,
  attested: undefined,
  reattesting: false,
});

/** The same at every start: it depends on where the message is alone. */
const nonceOf = ({ domain }: AttestedChain, transactionHash: Hex, { logIndex }: SentMessage): Hex =>
  keccak256(concatHex([numberToHex(domain, { size: 4 }), transactionHash, numberToHex(logIndex, { size: 4 })]));

const destinationOf = ({ chains }: MessageBookDeps, { sent }: Entry): AttestedChain | undefined =>
  chains.find(({ domain }) => BigInt(domain) === numberOf(sent.message, 'destinationDomain'));

async function settle(deps: MessageBookDeps, entry: Entry): Promise<void> {
  if (deps.control.isHeld(entry.transactionHash)) return;
  if (entry.reattesting) await settleAgain(deps, entry);
  if (entry.attested !== undefined) return;
  const destination = destinationOf(deps, entry);
  if (destination === undefined) return;
  const isFast = numberOf(entry.sent.message, 'minFinalityThreshold') <= FAST && entry.source.fastSource;
  entry.delayReason = isFast ? delayOf(deps, entry, destination) : undefined;
  if (isFast && entry.delayReason === undefined) await settleFast(deps, entry, destination);
  else await settleFinal(deps, entry, destination);
}

function delayOf(deps: MessageBookDeps, entry: Entry, destination: AttestedChain): DelayReason | undefined {
  const isCovered = feeOf(deps, entry, { destination, speed: 'fast' }) <= numberOf(entry.sent.message, 'maxFee');
  return deps.control.delayOf(entry.transactionHash) ?? (isCovered ? undefined : 'insufficient_fee');
}

async function settleFast(deps: MessageBookDeps, entry: Entry, destination: AttestedChain): Promise<void> {
  if (Date.now() < entry.seenAt + deps.fastDelayMs) return;
  const message = withFields(entry.sent.message, {
    nonce: BigInt(entry.nonce),
    finalityThresholdExecuted: FAST,
    feeExecuted: feeOf(deps, entry, { destination, speed: 'fast' }),
    expirationBlock: (await destination.blockNumber()) + LIFE_IN_BLOCKS,
  });
  await sign(deps, entry, message);
}

/** A burn that does not cover even the fee of a final message is never attested. */
async function settleFinal(deps: MessageBookDeps, entry: Entry, destination: AttestedChain): Promise<void> {
  const feeExecuted = feeOf(deps, entry, { destination, speed: 'standard' });
  if (feeExecuted > numberOf(entry.sent.message, 'maxFee') || !(await isFinal(entry))) return;
  const finality = { finalityThresholdExecuted: FINALIZED, expirationBlock: 0n };
  await sign(deps, entry, withFields(entry.sent.message, { nonce: BigInt(entry.nonce), feeExecuted, ...finality }));
}

/** The old attestation stands until the burn is final; its fee is due all the same. */
async function settleAgain(deps: MessageBookDeps, entry: Entry): Promise<void> {
  if (entry.attested === undefined || !(await isFinal(entry))) return;
  const finality = { finalityThresholdExecuted: FINALIZED, expirationBlock: 0n };
  await sign(deps, entry, withFields(entry.attested.message, finality));
  entry.reattesting = false;
}

async function isFinal({ source, sent }: Entry): Promise<boolean> {
  return (await source.blockNumber()) >= sent.blockNumber + source.confirmations;
}

function feeOf(
  { fees }: MessageBookDeps,
  { source, sent }: Entry,
  { destination, speed }: { readonly destination: AttestedChain; readonly speed: 'fast' | 'standard' },
): bigint {
  return feeOn(numberOf(sent.message, 'amount'), fees.of(source.domain, destination.domain)[speed]);
}

async function sign(deps: MessageBookDeps, entry: Entry, message: Hex): Promise<void> {
  entry.attested = { message, attestation: await deps.attest(message) };
}

/** True when the attestation is final and cannot be renewed. */
export const isFinalized = ({ attested }: Entry): boolean =>
  attested !== undefined && BigInt(fieldOf(attested.message, 'finalityThresholdExecuted')) >= FINALIZED;
