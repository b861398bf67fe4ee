import { registerEnumType } from 'type-graphql';

/** What the transaction is wanted as. */
export const SwapOutput = {
  bytecode: 'bytecode',
  userOperation: 'userOperation',
  custody: 'custody',
  instructions: 'instructions',
} as const;

registerEnumType(SwapOutput, {
  name: 'SwapOutput',
  description: 'What the transaction is wanted as. Which one is possible depends on the origin chain.',
  valuesConfig: {
    bytecode: { description: 'Plain transactions for the wallet to sign.' },
    userOperation: { description: 'An ERC-4337 user operation. EVM origins only.' },
    custody: { description: 'A payload for a custody vault; needs `accountId`. EVM origins only.' },
    instructions: { description: 'Instructions to compose a transaction of. Solana origins only.' },
  },
});

export const TransferSpeed = { fast: 'fast', standard: 'standard' } as const;

registerEnumType(TransferSpeed, {
  name: 'TransferSpeed',
  description: 'How soon a transfer between chains counts as final. Without effect within one chain.',
  valuesConfig: {
    fast: { description: 'As soon as the origin transaction is confirmed; costs more.' },
    standard: { description: 'Once the origin chain is final.' },
  },
});

export const UsdPaymentMethod = { ACH: 'ACH', WIRE: 'WIRE' } as const;

registerEnumType(UsdPaymentMethod, {
  name: 'UsdPaymentMethod',
  description: 'Rail of a payment in US dollars.',
  valuesConfig: { ACH: { description: 'Within days.' }, WIRE: { description: 'Within a day.' } },
});
