import fc from 'fast-check';
import { concatHex, type Hex, numberToHex } from 'viem';
import { type BurnMessage, decodeBurnMessage, isAttestationOf, toWord } from './burn-message';

const word = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const burn: fc.Arbitrary<BurnMessage> = fc.record({
  sourceDomain: uint32,
  destinationDomain: uint32,
  nonce: word,
  sender: word,
  recipient: word,
  destinationCaller: word,
  minFinalityThreshold: uint32,
  finalityThresholdExecuted: uint32,
  burnToken: word,
  mintRecipient: word,
  amount: uint256,
  messageSender: word,
  maxFee: uint256,
  feeExecuted: uint256,
  expirationBlock: uint256,
});

/** Encodes the layout of the contracts, independently of the decoder. */
const encode = (message: BurnMessage, versions: readonly [number, number] = [1, 1], hook: Hex = '0x'): Hex => {
  const small = (value: number) => numberToHex(value, { size: 4 });
  const large = (value: bigint) => numberToHex(value, { size: 32 });
  return concatHex([
    ...[small(versions[0]), small(message.sourceDomain), small(message.destinationDomain), message.nonce],
    ...[message.sender, message.recipient, message.destinationCaller],
    ...[small(message.minFinalityThreshold), small(message.finalityThresholdExecuted)],
    ...[small(versions[1]), message.burnToken, message.mintRecipient, large(message.amount), message.messageSender],
    ...[large(message.maxFee), large(message.feeExecuted), large(message.expirationBlock), hook],
  ]);
};

describe('a burn message', () => {
  it('decodes to the encoded fields, in upper and lower case', () => {
    fc.assert(
      fc.property(burn, (message) => {
        const bytes = encode(message);
        expect(decodeBurnMessage(bytes)).toEqual(message);
        expect(decodeBurnMessage(`0x${bytes.slice(2).toUpperCase()}`)).toEqual(message);
      }),
    );
  });

  it('is rejected when it is truncated, extended or not hexadecimal', () => {
    fc.assert(
      fc.property(burn, fc.nat(751), (message, kept) => {
        const bytes = encode(message);
        expect(decodeBurnMessage(bytes.slice(0, 2 + kept))).toBeUndefined();
        expect(decodeBurnMessage(`0x${bytes.slice(2 + kept)}`)).toEqual(kept === 0 ? message : undefined);
        expect(decodeBurnMessage(`${bytes.slice(0, 2 + kept)}g${bytes.slice(3 + kept)}`)).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(burn, fc.uint8Array({ minLength: 1, maxLength: 40 }), (message, hook) => {
        expect(decodeBurnMessage(encode(message, [1, 1], `0x${Buffer.from(hook).toString('hex')}`))).toBeUndefined();
      }),
    );
  });

  it('is rejected with another version of envelope or body', () => {
    fc.assert(
      fc.property(burn, uint32, (message, version) => {
        fc.pre(version !== 1);
        expect(decodeBurnMessage(encode(message, [version, 1]))).toBeUndefined();
        expect(decodeBurnMessage(encode(message, [1, version]))).toBeUndefined();
      }),
    );
  });

  it('is attested by a message that differs only in the fields of the attesters, within the maximum fee', () => {
    fc.assert(
      fc.property(burn, burn, fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), (message, other, nonce) => {
        const sent = { ...message, nonce: toWord('0x00') };
        const { finalityThresholdExecuted, expirationBlock } = other;
        const given = { nonce: numberToHex(nonce, { size: 32 }), finalityThresholdExecuted, expirationBlock };
        const feeExecuted = other.feeExecuted % (sent.maxFee + 1n);
        expect(isAttestationOf({ ...sent, ...given, feeExecuted }, sent)).toBe(true);
        expect(isAttestationOf({ ...sent, ...given, feeExecuted: sent.maxFee + 1n }, sent)).toBe(false);
        expect(isAttestationOf({ ...sent, ...given, feeExecuted, nonce: sent.nonce }, sent)).toBe(false);
      }),
    );
  });

  const fixed = [
    ...(['sourceDomain', 'destinationDomain', 'sender', 'recipient', 'destinationCaller'] as const),
    ...(['minFinalityThreshold', 'burnToken', 'mintRecipient', 'amount', 'messageSender', 'maxFee'] as const),
  ];
  it.each(fixed)('is not attested by a message with another %s', (field) => {
    fc.assert(
      fc.property(burn, burn, (sent, other) => {
        fc.pre(sent[field] !== other[field] && sent.maxFee > 0n && other.maxFee > 0n && BigInt(sent.nonce) !== 0n);
        const attested = { ...sent, [field]: other[field], feeExecuted: 0n };
        expect(isAttestationOf(attested, sent)).toBe(false);
      }),
    );
  });
});
