import { encodeAbiParameters, type Hex, stringToHex } from 'viem';
import type { ContractRead } from './contract-read';
import { createTokenMetadataReader } from './token-metadata-reader';

const TOKEN = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';
const text = (value: string): Hex => encodeAbiParameters([{ type: 'string' }], [value]);
const number = (value: bigint): Hex => encodeAbiParameters([{ type: 'uint256' }], [value]);
const SUPPLY = number(10n ** 24n);

/** A chain whose token returns these values for symbol, name, decimals and totalSupply; no data where `undefined`. */
async function tokenReturning(...results: readonly (Hex | undefined)[]) {
  const decoded = (read: ContractRead<unknown>, result: Hex | undefined): unknown => {
    if (result === undefined) return undefined;
    try {
      return read.decode(result);
    } catch {
      return undefined;
    }
  };
  const multicall = (_: number, reads: readonly ContractRead<unknown>[]) =>
    Promise.resolve(reads.map((read, index) => decoded(read, results[index])) as never);
  return createTokenMetadataReader({ rpc: { serves: (chainId) => chainId === 1, multicall } }).read(1, TOKEN);
}

describe('the metadata of a token contract', () => {
  it('is read from strings and from 32 bytes', async () => {
    const metadata = { symbol: 'MKR', name: 'Maker', decimals: 18 };
    expect(await tokenReturning(text('MKR'), text('Maker'), number(18n), SUPPLY)).toEqual({ ...metadata, flaws: [] });
    const [symbol, name] = ['MKR', 'Maker'].map((value) => stringToHex(value, { size: 32 }));
    expect(await tokenReturning(symbol, name, number(18n), SUPPLY)).toEqual({ ...metadata, flaws: [] });
  });

  it('is sanitized for display', async () => {
    const hostile = await tokenReturning(
      text(`US\u202eDC\u0000${'!'.repeat(99)}`),
      text('N'.repeat(9999)),
      number(6n),
      SUPPLY,
    );
    expect(hostile).toEqual({
      symbol: `USDC${'!'.repeat(28)}`,
      name: 'N'.repeat(64),
      decimals: 6,
      flaws: ['hiddenCharacters'],
    });
    expect(await tokenReturning(text('\u200b'), text('Named'), number(6n), SUPPLY)).toMatchObject({
      symbol: 'Named',
    });
    expect(await tokenReturning('0x1234', undefined, number(6n), SUPPLY)).toMatchObject({ symbol: '0x1f98…F984' });
  });

  it('is undefined without decimals or supply, or with absurd decimals', async () => {
    expect(await tokenReturning(undefined, undefined, undefined, undefined)).toBeUndefined();
    expect(await tokenReturning(text('ART'), text('Unique items'), undefined, SUPPLY)).toBeUndefined();
    expect(await tokenReturning(text('ODD'), text('Odd'), number(18n), undefined)).toBeUndefined();
    expect(await tokenReturning(text('ODD'), text('Odd'), number(77n), SUPPLY)).toBeUndefined();
    expect(await tokenReturning(text('ODD'), text('Odd'), number(2n ** 200n), SUPPLY)).toBeUndefined();
  });
});

it('is unavailable on a chain that is not served', async () => {
  const reader = createTokenMetadataReader({
    rpc: { serves: () => false, multicall: () => Promise.reject(new Error()) },
  });
  await expect(reader.read(10, TOKEN)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
});
