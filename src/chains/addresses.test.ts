import {
  addressKey,
  isSameAddress,
  isUnownedAddress,
  NATIVE_TOKEN,
  parseEvmAddress,
  unownedAddressProblem,
  ZERO_ADDRESS,
} from './addresses';

const CHECKSUMMED = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('parseEvmAddress', () => {
  const [lower, upper] = [CHECKSUMMED.toLowerCase(), CHECKSUMMED.slice(2).toUpperCase()];

  it.each([CHECKSUMMED, lower, `0x${upper}`, `0X${upper}`, `0X${CHECKSUMMED.slice(2)}`])(
    'returns the checksummed form of %s',
    (text) => {
      expect(parseEvmAddress(text)).toBe(CHECKSUMMED);
    },
  );

  it.each([CHECKSUMMED.replace('A', 'a'), lower.slice(2), `${lower}0`, SOLANA])('refuses %s', (text) => {
    expect(parseEvmAddress(text)).toBeUndefined();
  });
});

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

describe('an address without a private key', () => {
  it.each([
    ['the marker of the native coin', NATIVE_TOKEN],
    ['a reserved address', ZERO_ADDRESS],
    ['a reserved address', `0x${'2'.padStart(40, '0')}`],
    ['a reserved address', '0x000000000000000000000000000000000000dEaD'],
    ['an address for burning tokens', '0xdEAD000000000000000042069420694206942069'],
    ['a program or system account', '11111111111111111111111111111111'],
    ['a program or system account', 'SysvarRent111111111111111111111111111111111'],
    ['a program or system account', '1nc1nerator11111111111111111111111111111111'],
    ['a program or system account', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
  ])('has its reason: %s %s', (reason, address) => {
    expect(unownedAddressProblem(address)).toMatch(new RegExp(`^is ${reason}.*, not a wallet$`));
  });

  it('is no wallet, contract or token', () => {
    const others = [CHECKSUMMED, SOLANA, '0x00000000000000000000000000000000000A11cE', `0x${'11'.repeat(20)}`];
    expect(others.filter(isUnownedAddress)).toEqual([]);
  });
});
