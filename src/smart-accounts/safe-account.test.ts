import fc from 'fast-check';
import { type Address, getAddress, type Hex, size } from 'viem';
import { decodeAccountCalls, encodeAccountCalls, deriveSafeAccount, stubSignature } from './safe-account';

const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => getAddress(hexOf(bytes)));
const call = fc.record({
  to: address,
  data: fc.uint8Array({ maxLength: 300 }).map(hexOf),
  value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
});

describe('the Safe of an owner', () => {
  it('has a pinned address, so that existing accounts stay reachable', async () => {
    expect((await deriveSafeAccount('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')).address).toBe(
      '0xFD8A78aE7924A1097C048672da0C131dC5e68C01',
    );
    expect((await deriveSafeAccount('0x70997970C51812dc3A010C7d01b50e0d17dc79C8')).address).toBe(
      '0xe7a9D4D8a9633bea8f6f891C5D98744356A9259F',
    );
  });

  it('differs between owners', async () => {
    const seen = new Map<Address, Address>();
    await fc.assert(
      fc.asyncProperty(address, async (owner) => {
        const { address: account } = await deriveSafeAccount(owner);
        expect(seen.get(account) ?? owner).toBe(owner);
        seen.set(account, owner);
      }),
      { numRuns: 50 },
    );
  });
});

describe('calldata of an account', () => {
  it('decodes to the calls that were encoded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 4 }), async (calls) => {
        expect(decodeAccountCalls(await encodeAccountCalls(calls))).toEqual(calls);
      }),
      { numRuns: 100 },
    );
  });

  it('of another format is not decoded', () => {
    for (const data of ['0x', '0x541d63c8', '0xa9059cbb'] as const) expect(decodeAccountCalls(data)).toBeUndefined();
  });
});

it('a stub signature has twelve bytes for its validity and 65 bytes per owner', async () => {
  expect(size(await stubSignature(1))).toBe(12 + 65);
  expect(size(await stubSignature(3))).toBe(12 + 3 * 65);
});
