import { type Hex, bytesToHex, hexToBytes, numberToBytes } from 'viem';

/** Where the fields of a message of the protocol's second version begin and end, with a burn message as its body. */
const FIELDS = {
  sourceDomain: [4, 8],
  destinationDomain: [8, 12],
  nonce: [12, 44],
  sender: [44, 76],
  recipient: [76, 108],
  destinationCaller: [108, 140],
  minFinalityThreshold: [140, 144],
  finalityThresholdExecuted: [144, 148],
  burnToken: [152, 184],
  mintRecipient: [184, 216],
  amount: [216, 248],
  messageSender: [248, 280],
  maxFee: [280, 312],
  feeExecuted: [312, 344],
  expirationBlock: [344, 376],
} as const satisfies Record<string, readonly [number, number]>;

const BODY_START = 148;
const HOOK_DATA_START = 376;

type Field = keyof typeof FIELDS;

/** True when the message is long enough to be a burn message. */
export const isBurnMessage = (message: Hex): boolean => hexToBytes(message).length >= HOOK_DATA_START;

export function fieldOf(message: Hex, field: Field): Hex {
  const [start, end] = FIELDS[field];
  return bytesToHex(hexToBytes(message).subarray(start, end));
}

export const numberOf = (message: Hex, field: Field): bigint => BigInt(fieldOf(message, field));

/** The message with other values in some fields: what the attesters fill in. */
export function withFields(message: Hex, values: Partial<Readonly<Record<Field, bigint>>>): Hex {
  const bytes = hexToBytes(message);
  for (const [field, value] of Object.entries(values)) {
    const [start, end] = FIELDS[field as Field];
    bytes.set(numberToBytes(value, { size: end - start }), start);
  }
  return bytesToHex(bytes);
}

/** The decoded fields that the attestation service returns beside the bytes: numbers as text, addresses of 20 bytes. */
export function decodedMessage(message: Hex): object {
  const text = (field: Field) => numberOf(message, field).toString();
  const address = (field: Field) => `0x${fieldOf(message, field).slice(-40)}`;
  return {
    sourceDomain: text('sourceDomain'),
    destinationDomain: text('destinationDomain'),
    nonce: fieldOf(message, 'nonce'),
    sender: address('sender'),
    recipient: address('recipient'),
    destinationCaller: address('destinationCaller'),
    minFinalityThreshold: text('minFinalityThreshold'),
    finalityThresholdExecuted: text('finalityThresholdExecuted'),
    messageBody: bytesToHex(hexToBytes(message).subarray(BODY_START)),
    decodedMessageBody: {
      burnToken: address('burnToken'),
      mintRecipient: address('mintRecipient'),
      amount: text('amount'),
      messageSender: address('messageSender'),
      maxFee: text('maxFee'),
      feeExecuted: text('feeExecuted'),
      expirationBlock: text('expirationBlock'),
      hookData: bytesToHex(hexToBytes(message).subarray(HOOK_DATA_START)),
    },
  };
}
