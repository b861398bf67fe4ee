import { type Address, type Hex, pad } from 'viem';

/** A burn message inside its envelope. Addresses are words of 32 bytes; amounts and fees base units of USDC. */
export interface BurnMessage {
  readonly sourceDomain: number;
  readonly destinationDomain: number;
  /** Given by the attesters; zero in the message that the chain sent. */
  readonly nonce: Hex;
  /** The TokenMessenger of the origin, and that of the destination. */
  readonly sender: Hex;
  readonly recipient: Hex;
  /** Account that may complete it; zero allows any account. */
  readonly destinationCaller: Hex;
  readonly minFinalityThreshold: number;
  /** Given by the attesters. */
  readonly finalityThresholdExecuted: number;
  readonly burnToken: Hex;
  readonly mintRecipient: Hex;
  readonly amount: bigint;
  readonly messageSender: Hex;
  readonly maxFee: bigint;
  /** Given by the attesters. */
  readonly feeExecuted: bigint;
  /** Given by the attesters: destination block at which the attestation expires; zero is never. */
  readonly expirationBlock: bigint;
}

/** Version number of CCTP V2 in envelope and body. */
const VERSION = 1;
/** Envelope of 148 bytes and body of 228. Longer messages have a hook, which the service never uses. */
const LENGTH = 376;
/** Two digits a byte, after `0x`. */
const TEXT_LENGTH = 2 + LENGTH * 2;

/**
 * Decodes a message of CCTP V2; `undefined` for anything but a burn without a hook.
 *
 * @see https://developers.circle.com/cctp/technical-guide
 */
export function decodeBurnMessage(message: string): BurnMessage | undefined {
  if (message.length !== TEXT_LENGTH || !/^0x[0-9a-fA-F]*$/.test(message)) return undefined;
  const digits = message.toLowerCase();
  const bytes = (start: number, length: number): Hex => `0x${digits.slice(2 + start * 2, 2 + (start + length) * 2)}`;
  const small = (start: number): number => Number.parseInt(bytes(start, 4), 16);
  if (small(0) !== VERSION || small(148) !== VERSION) return undefined;
  return {
    sourceDomain: small(4),
    destinationDomain: small(8),
    nonce: bytes(12, 32),
    sender: bytes(44, 32),
    recipient: bytes(76, 32),
    destinationCaller: bytes(108, 32),
    minFinalityThreshold: small(140),
    finalityThresholdExecuted: small(144),
    burnToken: bytes(152, 32),
    mintRecipient: bytes(184, 32),
    amount: BigInt(bytes(216, 32)),
    messageSender: bytes(248, 32),
    maxFee: BigInt(bytes(280, 32)),
    feeExecuted: BigInt(bytes(312, 32)),
    expirationBlock: BigInt(bytes(344, 32)),
  };
}

/** Fields that attesters do not change. */
const FIXED = [
  ...(['sourceDomain', 'destinationDomain', 'sender', 'recipient', 'destinationCaller'] as const),
  ...(['minFinalityThreshold', 'burnToken', 'mintRecipient', 'amount', 'messageSender', 'maxFee'] as const),
] satisfies readonly (keyof BurnMessage)[];

/** True when a message equals the one sent on chain except for the attesters' fields, and its fee is within the maximum. */
export function isAttestationOf(attested: BurnMessage, sent: BurnMessage): boolean {
  const isSame = FIXED.every((field) => attested[field] === sent[field]);
  return isSame && BigInt(attested.nonce) !== 0n && attested.feeExecuted <= sent.maxFee;
}

/** An address as a word of 32 bytes in lower case. */
export const toWord = (address: string): Hex => pad(address.toLowerCase() as Address, { size: 32 });
