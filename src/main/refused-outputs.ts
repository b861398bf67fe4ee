import { serviceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import type { OutputBuilders } from '../transactions/output-builders';
import type { SolanaTransferDeps } from '../transactions/transfers/solana-transfer';

const notServed = (output: string) => validationError([{ path: 'output', message: `${output} is not served here` }]);

/** What this deployment cannot make of a transaction: asked for, it is refused rather than left out. */
export const refusedOutputs: OutputBuilders & Pick<SolanaTransferDeps, 'transferInstructions'> = {
  buildUserOperation: () => Promise.reject(notServed('userOperation')),
  custodyPayloads() {
    throw notServed('custody');
  },
  executeProgram: () => Promise.reject(noSolana()),
  transferInstructions: () => Promise.reject(noSolana()),
};

const noSolana = () => serviceError('BYTECODE_GENERATION_FAILED', { reason: 'Solana is not served here' });
