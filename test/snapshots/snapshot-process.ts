import { createSnapshotReader } from '../../src/snapshots/snapshot-reader';
import type { ReadSnapshots } from '../../src/snapshots/snapshot-section';
import type { SnapshotTimes } from '../../src/snapshots/snapshot-times';
import { decodeSnapshot, encodeSnapshot } from '../../src/snapshots/snapshot-text';
import type { CustomerId } from '../../src/auth/principal';
import { newCustomer } from '../actions/sample-action';
import type { TestDatabase } from '../setup/test-database';

interface Counted {
  readonly number: bigint;
}

interface SnapshotProcess {
  readonly read: ReadSnapshots<Counted>;
  readonly compute: jest.Mock<Promise<Counted>, [string, Counted | undefined]>;
  readonly isServable: jest.Mock<boolean, []>;
}

export const WALLET = '0x1111111111111111111111111111111111111111';
export const LONG = { freshMs: 3_600_000, servedMs: 3_600_000, waitMs: 60_000, oldMs: 3_600_000 };
const { signal } = new AbortController();
const log = { error: () => undefined };

/** A process with its own cache. Computations count up, from the stored number on. */
export function startSnapshotProcess(
  { pool }: Pick<TestDatabase, 'pool'>,
  snapshotTimes: SnapshotTimes = LONG,
  format = 1,
): SnapshotProcess {
  const compute: SnapshotProcess['compute'] = jest.fn((_, previous) =>
    Promise.resolve({ number: (previous?.number ?? 0n) + 1n }),
  );
  const isServable = jest.fn(() => true);
  const read = createSnapshotReader<Counted>(
    { pool, log, snapshotTimes },
    {
      name: 'tokens',
      format,
      encode: encodeSnapshot,
      decode: (text) => ({ value: decodeSnapshot(text) as Counted, isServable: isServable() }),
      worthOf: () => undefined,
      compute: ({ wallets }, previous) =>
        new Map(wallets.map((wallet) => [wallet, compute(wallet, previous.get(wallet))])),
    },
  );
  return { read, compute, isServable };
}

/** A customer with the wallet, and others. */
export async function customerWithWallets(
  { database }: Pick<TestDatabase, 'database'>,
  ...wallets: readonly string[]
): Promise<CustomerId> {
  const customerId = newCustomer();
  const data = [WALLET, ...wallets].map((address) => ({ customerId, address }));
  await database.customerWallet.createMany({ data });
  return customerId;
}

/** The number of each wallet, and whether it is stale; or its error. */
export async function readNumbers(
  { read }: SnapshotProcess,
  customerId: CustomerId,
  ...wallets: readonly string[]
): Promise<readonly (readonly [number, boolean] | Error)[]> {
  const served = await read({ customerId, wallets, signal });
  return served.map((each) => (each instanceof Error ? each : [Number(each.value.number), each.isStale]));
}

/** The same of one wallet. Rejects with its error. */
export async function readNumber(process: SnapshotProcess, customerId: CustomerId, wallet = WALLET) {
  const [only] = await readNumbers(process, customerId, wallet);
  if (only instanceof Error) throw only;
  return only!;
}

/** A computation that ends when the returned function is called. */
export function heldComputation({ compute }: SnapshotProcess): (number: bigint) => void {
  let end: (value: Counted) => void = () => undefined;
  compute.mockImplementationOnce(() => new Promise((resolve) => (end = resolve)));
  return (number) => end({ number });
}
