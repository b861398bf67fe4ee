import type { Address, Hex } from 'viem';
import type { CustomerId } from '../../auth/principal';
import type { Chain } from '../../chains/chain';
import type { SolanaInstruction, SolanaProgramCall, UnsignedCall } from '../../venues/quote-provider';
import type { SimulationView } from '../../quotes/quote-view';

export interface UserOperationRequest {
  readonly customerId: CustomerId;
  readonly chain: Chain;
  /** The smart account that executes the calls. */
  readonly account: Address;
  /** Approvals and the executing call, tagged. */
  readonly calls: readonly UnsignedCall[];
  /** True when a paymaster pays for the gas. */
  readonly sponsored: boolean;
  /** Action that the operation executes. At most one of an action's operations can be executed. */
  readonly actionId: string;
  /** After this time the operation fails on chain; it does not expire when `undefined`. */
  readonly deadline: Date | undefined;
  readonly signal: AbortSignal;
}

/** A user operation to sign, and what the trackers find it by. */
export interface BuiltUserOperation {
  /** The operation as shown to callers. */
  readonly userOperation: object;
  readonly entryPoint: Address;
  readonly callData: Hex;
  readonly simulation: SimulationView;
  readonly gasLimit: bigint | undefined;
}

export interface CustodyRequest {
  /** Account of the customer's custody vault. */
  readonly accountId: string;
  readonly chain: Chain;
  readonly actionId: string;
}

export interface SolanaTransactionRequest {
  readonly program: SolanaProgramCall;
  readonly actionId: string;
  /** Added unless the instructions contain it already. */
  readonly memo?: string | undefined;
  readonly signal: AbortSignal;
}

/** A Solana transaction ready to sign: simulated, with compute limit and price set. */
export interface BuiltSolanaTransaction {
  /** Version 0, unsigned, in base64. */
  readonly rawTransaction: string;
  /** In order: compute limit and price, the provider's instructions, memo, reference. */
  readonly instructions: readonly SolanaInstruction[];
  readonly lookupTables: Readonly<Record<string, readonly string[]>>;
  /** Account that only this transaction names. */
  readonly reference: string;
  /** Height of the last block that may contain the transaction. */
  readonly lastValidBlockHeight: number;
  readonly simulation: SimulationView;
  /** Compute units with a margin; `undefined` when the simulation failed. */
  readonly computeUnits: bigint | undefined;
}

/** Converts built calls and instructions into the requested output. */
export interface OutputBuilders {
  /**
   * Builds one user operation that executes the calls.
   *
   * @throws VALIDATION_ERROR, FEE_SPONSORSHIP_NOT_ALLOWED, BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE,
   * RATE_LIMIT_EXCEEDED
   */
  buildUserOperation(request: UserOperationRequest): Promise<BuiltUserOperation>;
  /** Builds the request bodies of the custody vault for the calls, in sending order. */
  custodyPayloads(calls: readonly UnsignedCall[], request: CustodyRequest): readonly object[];
  /** Builds one transaction from the instructions. @throws BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE */
  buildSolanaTransaction(request: SolanaTransactionRequest): Promise<BuiltSolanaTransaction>;
}
