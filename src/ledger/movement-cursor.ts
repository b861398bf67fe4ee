import { z } from 'zod';
import { validationError } from '../errors/validation';
import { COIN_POSITIONS } from './coin-transfers';

/** Place of a movement in the list of a wallet, the newest first. */
export interface MovementPosition {
  readonly blockTime: Date;
  readonly chainId: number;
  readonly blockNumber: bigint;
  readonly logIndex: number;
  readonly part: number;
}

const MAX_LENGTH = 200;
const small = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const cursorSchema = z.tuple([
  small.max(253_402_300_799),
  small,
  small,
  z.int().min(-COIN_POSITIONS).max(2_147_483_647),
  z.int().min(0).max(1),
]);

/** The cursor of a movement: base64url of its place. */
export function encodeMovementCursor({ blockTime, chainId, blockNumber, logIndex, part }: MovementPosition): string {
  const number = Number.parseInt(blockNumber.toString(), 10);
  return Buffer.from(JSON.stringify([blockTime.getTime() / 1000, chainId, number, logIndex, part])).toString(
    'base64url',
  );
}

/** @throws VALIDATION_ERROR naming `after` for a text that is no cursor of a movement */
export function decodeMovementCursor(cursor: string): MovementPosition {
  const { data } = cursorSchema.safeParse(parsed(cursor));
  if (data === undefined) {
    throw validationError([
      { path: 'after', message: 'must be the cursor of an edge, or the endCursor of a page, of this field' },
    ]);
  }
  const [seconds, chainId, blockNumber, logIndex, part] = data;
  return { blockTime: new Date(seconds * 1000), chainId, blockNumber: BigInt(blockNumber), logIndex, part };
}

function parsed(cursor: string): unknown {
  if (cursor.length > MAX_LENGTH) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
