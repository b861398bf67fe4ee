import type { OperationKind } from './operation-logs';
import type { MovementKind } from './record-movements';

/** Tokens or native coin that a wallet received or sent. Addresses are checksummed. */
export interface MovementView {
  readonly chainId: number;
  /** The slot on Solana. */
  readonly blockNumber: number;
  /** `null` on Solana. */
  readonly blockHash: string | null;
  readonly blockTime: Date;
  /** The signature on Solana. */
  readonly txHash: string;
  /** `null` for the native coin, and on Solana. */
  readonly logIndex: number | null;
  readonly kind: MovementKind;
  readonly token: string;
  /** In the smallest unit of the token. */
  readonly amount: bigint;
  readonly counterparty: string;
  /** The operation of the wallet that made it: of a Safe or another smart account. `null` for all other movements. */
  readonly operation: OperationKind | null;
  /** Hash of the Safe transaction or user operation. */
  readonly operationHash: string | null;
  /** The contract that reported the operation: the Safe or the EntryPoint. */
  readonly operationContract: string | null;
  /** False while a reorganisation may remove it. */
  readonly isFinal: boolean;
}

export interface MovementConnection {
  readonly edges: readonly { readonly cursor: string; readonly node: MovementView }[];
  readonly nodes: readonly MovementView[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}
