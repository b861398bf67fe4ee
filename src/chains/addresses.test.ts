import { addressKey, isSameAddress } from './addresses';

const CHECKSUMMED = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('isSameAddress', () => {
  it('ignores the case of EVM addresses', () => {
    expect(isSameAddress(CHECKSUMMED, CHECKSUMMED.toLowerCase())).toBe(true);
    expect(isSameAddress(CHECKSUMMED, `0X${CHECKSUMMED.slice(2).toUpperCase()}`)).toBe(true);
    expect(isSameAddress(CHECKSUMMED, CHECKSUMMED.replace('A', 'B'))).toBe(false);
  });

  it('respects the case of all other addresses', () => {
    expect(isSameAddress(SOLANA, SOLANA)).toBe(true);
    expect(isSameAddress(SOLANA, SOLANA.toLowerCase())).toBe(false);
  });

  it.each([null, undefined])('finds no address equal to %s', (missing) => {
    expect(isSameAddress(missing, missing)).toBe(false);
    expect(isSameAddress(CHECKSUMMED, missing)).toBe(false);
    expect(isSameAddress(missing, CHECKSUMMED)).toBe(false);
  });
});

describe('addressKey', () => {
  it('is equal exactly for equal addresses', () => {
    expect(addressKey(CHECKSUMMED)).toBe(CHECKSUMMED.toLowerCase());
    expect(addressKey(SOLANA)).toBe(SOLANA);
  });
});
