import { z } from 'zod';
import { validationError } from '../../errors/validation';

/** Place of a movement in the list of a Solana wallet, the newest first. */
export interface SolanaMovementPosition {
  readonly slot: bigint;
  readonly signature: string;
  readonly position: number;
}

const MAX_LENGTH = 300;
const cursorSchema = z.tuple([
  z.int().min(0).max(Number.MAX_SAFE_INTEGER),
  z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,90}$/),
  z.int().min(-1).max(32_767),
]);

/** The cursor of a movement: base64url of its place. */
export function encodeSolanaCursor({ slot, signature, position }: SolanaMovementPosition): string {
  const number = Number.parseInt(slot.toString(), 10);
  return Buffer.from(JSON.stringify([number, signature, position])).toString('base64url');
}

/** @throws VALIDATION_ERROR naming `after` for a text that is no cursor of a movement on Solana */
export function decodeSolanaCursor(cursor: string): SolanaMovementPosition {
  const { data } = cursorSchema.safeParse(parsed(cursor));
  if (data === undefined) {
    throw validationError([
      { path: 'after', message: 'must be the cursor of an edge, or the endCursor of a page, of this field' },
    ]);
  }
  const [slot, signature, position] = data;
  return { slot: BigInt(slot), signature, position };
}

function parsed(cursor: string): unknown {
  if (cursor.length > MAX_LENGTH) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
