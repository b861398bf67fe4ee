import { Prisma } from '../../persistence/client/client';
import { LeaseLostError } from './chain-lease';

/** Classes of SQLSTATE for data and constraints: the statement fails again with the same data. */
const DATA_ERROR = /^2[23]/;
/** The client's own codes for the same: too long, violated constraints, out of range. */
const DATA_CODES: ReadonlySet<string> = new Set(['P2000', 'P2002', 'P2003', 'P2004', 'P2011', 'P2020']);

/**
 * True when recording one item failed because of the item: its data cannot be stored, or the code cannot handle it. False
 * when the database was not available, or the lease was lost.
 */
export function isItemFailure(error: unknown): boolean {
  if (error instanceof LeaseLostError) return false;
  if (error instanceof Prisma.PrismaClientKnownRequestError) {
    return DATA_CODES.has(error.code) || DATA_ERROR.test(sqlStateOf(error.meta) ?? '');
  }
  return !(error instanceof Prisma.PrismaClientInitializationError || isDriverFailure(error));
}

const isDriverFailure = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientUnknownRequestError ||
  error instanceof Prisma.PrismaClientRustPanicError ||
  (error instanceof Error && error.name === 'DriverAdapterError');

/** SQLSTATE of a raw statement that PostgreSQL rejected. */
function sqlStateOf(meta: unknown): string | undefined {
  const cause = propertyOf(propertyOf(meta, 'driverAdapterError'), 'cause');
  const code = propertyOf(cause, 'originalCode');
  return typeof code === 'string' ? code : undefined;
}

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
