import type { SolanaInstruction } from '../../venues/quote-provider';
import type { BankInstructions } from '../../ramps/ramp-provider';
import type {
  ExecutableCalls,
  ExecutableDeposit,
  ExecutablePayment,
  ExecutableSolanaTransaction,
  Executable,
} from './executable';
import { callItem, solanaItem, type TransactionItem } from './transaction-item';

/** The fields of an executable in the responses of all executable routes. */
export interface ExecutionView {
  /** Id of the origin chain. */
  readonly chainId: number;
  /** Everything to send, in sending order. Empty for a deposit or a payment. */
  readonly transactions: readonly TransactionItem[];
  /** Only with the output `userOperation`. */
  readonly userOperation?: object;
  /** Only with the output `custody`: the same calls as request bodies of the custody vault. */
  readonly custody?: readonly object[];
  /** Only with the output `instructions`. */
  readonly instructions?: readonly SolanaInstruction[];
  /** Addresses in lookup tables, by table; `undefined` when the transaction uses none. */
  readonly lutsByAddress?: Readonly<Record<string, readonly string[]>>;
  /** Address of the deposit. */
  readonly depositAddress?: string;
  /** Amount of the deposit, in base units of the origin chain's coin. */
  readonly depositAmount?: string;
  /** Instructions for a fiat payment. */
  readonly paymentInstructions?: PaymentInstructionsView;
}

/** Exactly one of `pix`, `wire` and `ach` is present. `amountRaw` is in cents. */
interface PaymentInstructionsView {
  readonly pix?: { readonly copyPaste: string; readonly qrCodeUrl: string } | undefined;
  readonly wire?: BankInstructions | undefined;
  readonly ach?: BankInstructions | undefined;
  readonly expiresAt: Date | undefined;
  readonly amount: { readonly amountRaw: string; readonly currency: string };
}

export function executionView(executable: Executable): ExecutionView {
  switch (executable.kind) {
    case 'calls':
      return callsView(executable);
    case 'solanaTransaction':
      return solanaView(executable);
    case 'deposit':
      return depositView(executable);
    case 'payment':
      return paymentView(executable);
  }
}

const callsView = ({ approvals, swap, userOperation, custody }: ExecutableCalls): ExecutionView => ({
  chainId: swap.chainId,
  transactions: [...approvals, swap].map(callItem),
  ...(userOperation === undefined ? {} : { userOperation: userOperation.userOperation }),
  ...(custody === undefined ? {} : { custody }),
});

function solanaView(transaction: ExecutableSolanaTransaction): ExecutionView {
  const { chainId, composable } = transaction;
  const view = { chainId, transactions: [solanaItem(transaction)] };
  if (composable === undefined) return view;
  const { instructions, lookupTables } = composable;
  const tables = Object.keys(lookupTables).length === 0 ? {} : { lutsByAddress: lookupTables };
  return { ...view, instructions, ...tables };
}

const depositView = ({ chainId, address, amount }: ExecutableDeposit): ExecutionView => ({
  chainId,
  transactions: [],
  depositAddress: address,
  depositAmount: amount.toString(),
});

function paymentView({ chainId, instructions, qrCodeUrl }: ExecutablePayment): ExecutionView {
  const { pix, ...rest } = instructions;
  const pixView = pix === undefined || qrCodeUrl === undefined ? {} : { pix: { ...pix, qrCodeUrl } };
  return { chainId, transactions: [], paymentInstructions: { ...pixView, ...rest } };
}
