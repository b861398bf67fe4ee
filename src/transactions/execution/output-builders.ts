import type { Address, Hex } from 'viem';
import type { CustomerId } from '../../auth/principal';
import type { Chain } from '../../chains/chain';
import type { SolanaInstruction, SolanaProgramCall, UnsignedCall } from '../../venues/quote-provider';
import type { SimulationView } from '../../quotes/quote-view';

export interface UserOperationRequest {
  readonly customerId: CustomerId;
  readonly chain: Chain;
  /** The smart account that makes the calls. */
  readonly account: Address;
  /** Approvals and the executing call, tagged. */
  readonly calls: readonly UnsignedCall[];
  /** True when a paymaster is to pay for the gas. */
  readonly sponsored: boolean;
  /** Action that the operation executes: of all its operations one is executed at most. */
  readonly actionId: string;
  /** After this the operation is refused on chain; never when `undefined`. */
  readonly deadline: Date | undefined;
  readonly signal: AbortSignal;
}

/** A user operation to sign, and how the trackers find it. */
export interface BuiltUserOperation {
  /** As callers see it. */
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

export interface ProgramRequest {
  readonly program: SolanaProgramCall;
  readonly actionId: string;
  readonly memo?: string | undefined;
  readonly signal: AbortSignal;
}

/** A transaction on Solana that can be signed: limits and prices are set, and it was tried. */
export interface BuiltProgram {
  /** Version 0, unsigned, in base64. */
  readonly rawTransaction: string;
  readonly instructions: readonly SolanaInstruction[];
  readonly lookupTables: Readonly<Record<string, readonly string[]>>;
  /** Account that only this transaction names. */
  readonly reference: string;
  readonly lastValidBlockHeight: number;
  readonly simulation: SimulationView;
  readonly computeUnits: bigint | undefined;
}

/** Makes what was built into what was asked for. */
export interface OutputBuilders {
  /**
   * The calls as one user operation.
   *
   * @throws VALIDATION_ERROR, FEE_SPONSORSHIP_NOT_ALLOWED, BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE
   */
  buildUserOperation(request: UserOperationRequest): Promise<BuiltUserOperation>;
  /** The calls as the bodies that a custody vault takes, in sending order. */
  custodyPayloads(calls: readonly UnsignedCall[], request: CustodyRequest): readonly object[];
  /** The instructions as one transaction. @throws BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE */
  executeProgram(request: ProgramRequest): Promise<BuiltProgram>;
}
