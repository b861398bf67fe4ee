import { ENTRY_POINT } from '../../src/smart-accounts/safe-contracts';
import type { ExecutableDeps } from '../../src/transactions/execution/executable';
import type { BuiltSolanaTransaction, OutputBuilders } from '../../src/transactions/execution/output-builders';

/** Account that only the fake transaction names. */
export const REFERENCE = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

const SUCCESS = { status: 'SUCCESS', reason: undefined } as const;

/** Builders in memory whose results contain their parameters. */
export function fakeOutputs(changes: Partial<OutputBuilders> = {}): OutputBuilders & Pick<ExecutableDeps, 'qrCodeUrl'> {
  return {
    qrCodeUrl: (actionId) => `https://pay.example/${actionId}.png`,
    buildUserOperation: ({ account, calls, sponsored }) =>
      Promise.resolve({
        userOperation: { sender: account, calls: calls.length, sponsored },
        entryPoint: ENTRY_POINT,
        callData: `0xabcd${calls.map(({ data }) => data.slice(2)).join('')}`,
        simulation: SUCCESS,
        gasLimit: 777_000n,
      }),
    custodyPayloads: (calls, { accountId, chain, actionId }) =>
      calls.map(({ to }) => ({ accountId, chain: chain.slug, actionId, to })),
    buildSolanaTransaction: (request) => Promise.resolve(builtProgram({ instructions: request.program.instructions })),
    ...changes,
  };
}

export const builtProgram = (changes: Partial<BuiltSolanaTransaction> = {}): BuiltSolanaTransaction => ({
  rawTransaction: 'AQID',
  instructions: [],
  lookupTables: {},
  reference: REFERENCE,
  lastValidBlockHeight: 100,
  simulation: SUCCESS,
  computeUnits: 42_000n,
  ...changes,
});
