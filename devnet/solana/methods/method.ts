import { PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import type { Bank } from '../bank';
import type { AccountState } from '../machine';
import { invalidParams, RpcError } from '../rpc-error';
import type { TransactionRecord } from '../ledger';
import { base58 } from '../base58';
import { parsedToken } from '../token-state';

/** Executes one call. @throws RpcError */
export type Method = (params: readonly unknown[]) => unknown;
export type Methods = Readonly<Record<string, Method>>;

export const COMMITMENTS = ['processed', 'confirmed', 'finalized'] as const;
export type Commitment = (typeof COMMITMENTS)[number];

/** Slots on top of a transaction until it is confirmed, and until it is finalized. */
export interface Finality {
  readonly confirmed: number;
  readonly finalized: number;
}

/** State that the methods read and change. */
export interface Node {
  readonly bank: Bank;
  readonly finality: Finality;
}

export function levelOf({ bank, finality }: Node, { slot }: Pick<TransactionRecord, 'slot'>): Commitment {
  const age = bank.now() - slot;
  if (age >= finality.finalized) return 'finalized';
  return age >= finality.confirmed ? 'confirmed' : 'processed';
}

export const isAtLeast = (level: Commitment, wanted: Commitment): boolean =>
  COMMITMENTS.indexOf(level) >= COMMITMENTS.indexOf(wanted);

/** The newest slot of a commitment. */
export function slotAt({ bank, finality }: Node, commitment: Commitment): number {
  const behind = commitment === 'processed' ? 0 : finality[commitment];
  return bank.now() - behind;
}

export const commitment = z.enum(COMMITMENTS).default('finalized');
/** The configuration object that nearly every call may end with. */
export const commitmentConfig = z.looseObject({ commitment }).prefault({});
export const encodingOf = z.enum(['base58', 'base64', 'jsonParsed', 'json', 'base64+zstd']);
export const accountConfig = z
  .looseObject({
    commitment,
    encoding: encodingOf.default('base58'),
    dataSlice: z.object({ offset: z.int().nonnegative(), length: z.int().nonnegative() }).optional(),
  })
  .prefault({});
export type AccountConfig = z.infer<typeof accountConfig>;

/** @throws RpcError when a parameter has another shape. */
export function parameter<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value ?? undefined);
  if (parsed.success) return parsed.data;
  throw invalidParams(`Invalid params: ${parsed.error.issues[0]?.message ?? 'invalid'}.`);
}

/** @throws RpcError */
export function addressParameter(value: unknown): string {
  if (typeof value !== 'string') throw invalidParams('Invalid params: invalid type, expected a string.');
  if (value.length > 44) throw invalidParams('Invalid param: WrongSize');
  try {
    return new PublicKey(value).toBase58();
  } catch {
    throw invalidParams('Invalid param: Invalid');
  }
}

/** A value together with the slot that it holds for. */
export const withContext = ({ bank }: Node, value: unknown): object => ({
  context: { apiVersion: '2.3.0', slot: bank.now() },
  value,
});

/** The largest 64-bit number, which stands for "never" where rent once was. JSON rounds it, as nodes do. */
const RENT_EPOCH = 18446744073709552000;
const MAX_BASE58_BYTES = 128;

/** An account as nodes write it. @throws RpcError when it is too large for base 58. */
export function accountView({ bank }: Node, state: AccountState | undefined, config: AccountConfig): object | null {
  if (state === undefined) return null;
  const { lamports, owner, executable, data } = state;
  return {
    lamports: Number.parseInt(lamports.toString(), 10),
    owner,
    executable,
    rentEpoch: RENT_EPOCH,
    space: data.length,
    data: encoded(bank, state, config),
  };
}

function encoded(bank: Bank, state: AccountState, { encoding, dataSlice }: AccountConfig): unknown {
  const parsed = encoding === 'jsonParsed' ? parsedToken(bank.machine, state) : undefined;
  if (parsed !== undefined) return parsed;
  const { offset, length } = dataSlice ?? { offset: 0, length: state.data.length };
  const bytes = state.data.subarray(offset, offset + length);
  if (encoding !== 'base58') return [Buffer.from(bytes).toString('base64'), 'base64'];
  if (bytes.length > MAX_BASE58_BYTES) {
    const limit = 'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.';
    throw new RpcError(-32600, limit);
  }
  return base58(bytes);
}
