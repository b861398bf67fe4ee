import { custodyPayloads } from '../transactions/execution/custody/custody-payloads';
import type { OutputBuilders } from '../transactions/execution/output-builders';
import { buildSolanaTransaction } from '../transactions/execution/solana/build-transaction';
import { transferInstructions } from '../transactions/transfers/solana/transfer-instructions';
import type { SolanaTransferDeps } from '../transactions/transfers/solana-transfer';
import { createPaymasterSigner } from '../transactions/execution/user-operation/paymaster';
import { createSponsoredGasTaker } from '../transactions/execution/user-operation/sponsored-gas';
import { createSafeOperationBuilder } from '../transactions/execution/user-operation/build-safe-operation';
import type { Infrastructure } from './infrastructure';

/** Builders of the output formats of an execution. */
export function outputBuilders({
  config,
  database,
  rpc,
  solana,
  gasBudgets,
  priceGas,
}: Infrastructure): OutputBuilders & Pick<SolanaTransferDeps, 'transferInstructions'> {
  const key = config.PAYMASTER_SIGNER_KEY;
  const paymasterSigner = key === undefined ? undefined : createPaymasterSigner(key);
  const takeSponsoredGas = createSponsoredGasTaker({ database, gasBudgets, priceGas });
  return {
    ...createSafeOperationBuilder({ database, rpc, paymasterSigner, takeSponsoredGas }),
    custodyPayloads,
    buildSolanaTransaction: (request) => buildSolanaTransaction({ solana }, request),
    transferInstructions: (request) => transferInstructions({ solana }, request),
  };
}
