import { registerEnumType } from 'type-graphql';

/** Form of the executing transaction. */
export const SwapOutput = {
  bytecode: 'bytecode',
  userOperation: 'userOperation',
  custody: 'custody',
  instructions: 'instructions',
} as const;

registerEnumType(SwapOutput, {
  name: 'SwapOutput',
  description: 'Form of the executing transaction. The possible forms depend on the origin chain.',
  valuesConfig: {
    bytecode: { description: 'Plain transactions for the wallet to sign.' },
    userOperation: { description: 'An ERC-4337 user operation. EVM origins only.' },
    custody: { description: 'A payload for a custody vault. Requires `accountId`. EVM origins only.' },
    instructions: { description: 'Instructions for a transaction that the client composes. Solana origins only.' },
  },
});

export const TransferSpeed = { fast: 'fast', standard: 'standard' } as const;

registerEnumType(TransferSpeed, {
  name: 'TransferSpeed',
  description: 'Speed of a transfer between chains. Ignored within one chain.',
  valuesConfig: {
    fast: { description: 'The transfer counts as final when the origin transaction is confirmed. Costs more.' },
    standard: { description: 'The transfer counts as final when the origin chain has finalized it.' },
  },
});

export const UsdPaymentMethod = { ACH: 'ACH', WIRE: 'WIRE' } as const;

registerEnumType(UsdPaymentMethod, {
  name: 'UsdPaymentMethod',
  description: 'Payment rail for US dollars.',
  valuesConfig: { ACH: { description: 'Within days.' }, WIRE: { description: 'Within a day.' } },
});
