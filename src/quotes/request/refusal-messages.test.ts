import { chains, PRICED, USDC } from '../../../test/swaps/swap-world';
import type { RawFields } from '../../errors/field-reader';
import { parseQuoteRequest } from './parse-quote-request';

const parse = (changes: RawFields) =>
  parseQuoteRequest({ chains, webhookUrls: { allowLoopback: false } }, { ...PRICED, ...changes });

it.each<[string, RawFields, RegExp]>([
  ['the chains that may be used', { originChain: 'atlantis' }, /^is not a supported chain: use one of .*\bdevnet\b/],
  ['that an address is expected, not a symbol', { tokenIn: 'USDC' }, /not its symbol\. The native coin is 0xEeee/],
  [
    'that the checksum is wrong',
    { tokenIn: USDC.address.replace('A0b8', 'a0b8') },
    /^has a wrong checksum.*lower case/,
  ],
  ['that an address is malformed', { originAddress: '0x1234' }, /^must be an EVM address/],
])('a refused argument has a message that says %s', (_, changes, message) => {
  expect(() => parse(changes)).toThrow(
    expect.objectContaining({
      details: { errors: [expect.objectContaining({ message: expect.stringMatching(message) })] },
    }),
  );
});
