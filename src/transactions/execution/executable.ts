import type { CustomerId } from '../../auth/principal';
import type {
  DepositRequest,
  PaymentRequest,
  ProviderQuote,
  QuoteProvider,
  QuoteRequest,
  SolanaInstruction,
  UnsignedCall,
} from '../../venues/quote-provider';
import type { SimulationView } from '../../quotes/quote-view';
import type { Output } from '../../quotes/request/swap-intent';
import type { Rpc } from '../../rpc/rpc';
import type { BuiltUserOperation, OutputBuilders } from './output-builders';

export interface ExecutableDeps extends OutputBuilders {
  readonly providers: readonly QuoteProvider[];
  readonly rpc: Pick<Rpc, 'multicall' | 'simulate'>;
  /** URL of the QR code of an action's Pix payment. */
  readonly qrCodeUrl: (actionId: string) => string;
}

export interface ExecutableParameters {
  readonly customerId: CustomerId;
  readonly quoteId: string;
  /** Id of the action that executes the quote: the transactions carry it. */
  readonly actionId: string;
  readonly request: QuoteRequest;
  readonly offer: ProviderQuote;
  readonly sender: string;
  readonly recipient: string;
  /** When the quote expires: the transaction reverts afterwards. */
  readonly deadline: Date;
  readonly output: Output;
  /** Account of the custody vault. Only with the output `custody`. */
  readonly accountId: string | undefined;
  /** True when a paymaster pays for the gas of the user operation. */
  readonly sponsored: boolean;
  readonly signal: AbortSignal;
}

/** Calls on an EVM chain, in sending order: `approvals`, then `swap`, which carries the tag of the action if possible. */
export interface ExecutableCalls {
  readonly kind: 'calls';
  readonly approvals: readonly UnsignedCall[];
  readonly swap: UnsignedCall;
  /** Contract that pulls the token that `swap` sells; `undefined` for the native coin, and for calls of strategies. */
  readonly spender?: string | undefined;
  /** Set when `swap` has no tag: the first nonce of the sender that was free. */
  readonly minNonce?: bigint | undefined;
  readonly simulation: SimulationView;
  /** Gas units with a margin; `undefined` when the simulation failed. */
  readonly gasLimit: bigint | undefined;
  /** The calls as one user operation of the sender. Only with the output `userOperation`. */
  readonly userOperation: (BuiltUserOperation & { readonly account: string }) | undefined;
  /** The calls as payloads for a custody vault. Only with the output `custody`. */
  readonly custody: readonly object[] | undefined;
}

/** One Solana transaction. */
export interface ExecutableSolanaTransaction {
  readonly kind: 'solanaTransaction';
  readonly chainId: number;
  readonly sender: string;
  /** Version 0, unsigned, in base64. */
  readonly rawTransaction: string;
  /** Account that only this transaction names. The trackers find the transaction by it. */
  readonly reference: string;
  /** Only with the output `instructions`. */
  readonly composable:
    | {
        readonly instructions: readonly SolanaInstruction[];
        readonly lookupTables: Readonly<Record<string, readonly string[]>>;
      }
    | undefined;
  readonly simulation: SimulationView;
  /** Compute units with a margin; `undefined` when the simulation failed. */
  readonly gasLimit: bigint | undefined;
}

/** A deposit that the customer sends from any wallet: nothing to sign or simulate. */
export interface ExecutableDeposit extends Pick<DepositRequest, 'chainId' | 'address' | 'amount' | 'reference'> {
  readonly kind: 'deposit';
  readonly simulation: undefined;
  readonly gasLimit: undefined;
}

/** A fiat payment that the ramp expects: nothing to sign or simulate. */
export interface ExecutablePayment extends Pick<PaymentRequest, 'chainId' | 'rail' | 'reference' | 'instructions'> {
  readonly kind: 'payment';
  /** URL of the QR code of a Pix payment. */
  readonly qrCodeUrl: string | undefined;
  readonly simulation: undefined;
  readonly gasLimit: undefined;
}

/** What the customer signs, sends or pays to execute a quote. */
export type Executable = ExecutableCalls | ExecutableSolanaTransaction | ExecutableDeposit | ExecutablePayment;
