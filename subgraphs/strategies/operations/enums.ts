import { registerEnumType } from 'type-graphql';

export const StrategyOutput = { bytecode: 'bytecode', userOperation: 'userOperation', custody: 'custody' } as const;

registerEnumType(StrategyOutput, {
  name: 'StrategyOutput',
  description: 'Form of the transactions of an operation.',
  valuesConfig: {
    bytecode: { description: 'Plain transactions for the wallet to sign.' },
    userOperation: { description: 'One ERC-4337 user operation with all calls.' },
    custody: { description: 'Payloads for a custody vault. Requires `accountId`.' },
  },
});
