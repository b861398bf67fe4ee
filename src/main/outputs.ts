import { custodyPayloads } from '../transactions/custody/custody-payload';
import type { OutputBuilders } from '../transactions/output-builders';
import { executableProgram } from '../transactions/solana/executable-program';
import { transferInstructions } from '../transactions/solana/transfer-instructions';
import type { SolanaTransferDeps } from '../transactions/transfers/solana-transfer';
import { createPaymasterSigner } from '../transactions/user-operation/paymaster';
import { createUserOperationBuilder } from '../transactions/user-operation/user-operation';
import type { Infrastructure } from './infrastructure';

/** What an execution can be made as. */
export function outputBuilders({
  config,
  database,
  rpc,
  solana,
}: Infrastructure): OutputBuilders & Pick<SolanaTransferDeps, 'transferInstructions'> {
  const key = config.PAYMASTER_SIGNER_KEY;
  const paymasterSigner = key === undefined ? undefined : createPaymasterSigner(key);
  return {
    ...createUserOperationBuilder({ database, rpc, paymasterSigner }),
    custodyPayloads,
    executeProgram: (request) => executableProgram({ solana }, request),
    transferInstructions: (request) => transferInstructions({ solana }, request),
  };
}
