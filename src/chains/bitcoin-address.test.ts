import { parseBitcoinAddress } from './bitcoin-address';

describe('an address of Bitcoin', () => {
  it.each([
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
  ])('is read in any of its forms: %s', (address) => expect(parseBitcoinAddress(address)).toBe(address));

  it('is returned in lower case where case does not matter', () => {
    const upper = 'BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ';
    expect(parseBitcoinAddress(upper)).toBe(upper.toLowerCase());
  });

  it.each([
    ['a wrong checksum', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp'],
    ['a wrong checksum in base58', '1BoatSLRHtKNngkdXEeobR76b53LETtpyU'],
    ['mixed case', 'bc1Qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
    ['the test network', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
    ['an address of Ethereum', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
    ['a key of Solana', '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'],
    ['nothing', ''],
    ['a megabyte', 'bc1'.padEnd(1_000_000, 'q')],
  ])('is not %s', (_, text) => expect(parseBitcoinAddress(text)).toBeUndefined());
});
