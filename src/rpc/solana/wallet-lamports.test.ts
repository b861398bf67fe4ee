import type { SolanaTransport } from './solana-transport';
import { readWalletLamports } from './wallet-lamports';

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';

function clockData(slot: bigint, unixSeconds: bigint): string {
  const data = Buffer.alloc(40);
  data.writeBigUInt64LE(slot, 0);
  data.writeBigInt64LE(unixSeconds, 32);
  return data.toString('base64');
}

/** A node whose calls are of different slots: the second call is behind the others. `clock`: data of its account. */
function nodeOf(clock = clockData) {
  const slots = [12, 10, 11];
  const requested: (readonly string[])[] = [];
  const node: Pick<SolanaTransport, 'requestAll'> = {
    requestAll: (calls, schema) =>
      Promise.resolve(
        calls.map(({ params }, index) => {
          const addresses = params[0] as readonly string[];
          const slot = slots[index]!;
          requested.push(addresses);
          const value = addresses.map((address, position) =>
            address === CLOCK
              ? { lamports: 1, data: [clock(BigInt(slot), BigInt(1000 + slot)), 'base64'] }
              : { lamports: 100 * index + position, data: ['', 'base64'] },
          );
          return schema.parse({ context: { slot }, value });
        }),
      ),
  };
  return { node, requested };
}

describe('the lamports of wallets', () => {
  it('are read in one call with the clock; the clock of several calls is the earliest one', async () => {
    const { node, requested } = nodeOf();
    const wallets = Array.from({ length: 250 }, (_, index) => `wallet ${index}`);
    const { clock, lamports } = await readWalletLamports(node, wallets);
    expect(requested.map((addresses) => [addresses[0], addresses.length])).toEqual([
      [CLOCK, 100],
      [CLOCK, 100],
      [CLOCK, 53],
    ]);
    expect(clock).toEqual({ slot: 10n, unixSeconds: 1010n });
    expect(lamports).toHaveLength(250);
    expect([lamports[0], lamports[98], lamports[99], lamports[249]]).toEqual([1n, 99n, 101n, 252n]);
  });

  it('have no clock when that of one call is missing', async () => {
    const { node } = nodeOf((slot, time) => (slot === 10n ? '' : clockData(slot, time)));
    const wallets = Array.from({ length: 150 }, (_, index) => `wallet ${index}`);
    expect((await readWalletLamports(node, wallets)).clock).toBeUndefined();
  });
});
