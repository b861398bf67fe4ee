import type { SolanaInstruction } from '../../venues/quote-provider';
import type { BankInstructions } from '../../ramps/ramp-provider';
import type {
  ExecutableCalls,
  ExecutableDeposit,
  ExecutablePayment,
  ExecutableProgram,
  ExecutableSwap,
} from './executable';
import { callItem, programItem, type TransactionItem } from './transaction-item';

/** What the answers of all executable routes tell of an execution; a field is there when the execution has it. */
export interface ExecutionAnswer {
  /** Id of the origin chain. */
  readonly chainId: number;
  /** Everything to send, in sending order; nothing for a deposit. */
  readonly transactions: readonly TransactionItem[];
  /** With the output `userOperation`. */
  readonly userOperation?: object;
  /** With the output `custody`: the same calls as the bodies that the custody vault takes. */
  readonly custody?: readonly object[];
  /** With the output `instructions`. */
  readonly instructions?: readonly SolanaInstruction[];
  /** Addresses in look-up tables, by table; `undefined` when the transaction uses none. */
  readonly lutsByAddress?: Readonly<Record<string, readonly string[]>>;
  /** Where to pay to. */
  readonly depositAddress?: string;
  /** What to pay, in base units of the origin chain's coin. */
  readonly depositAmount?: string;
  /** How to pay in fiat. */
  readonly paymentInstructions?: PaymentInstructionsView;
}

/** How a customer pays in: exactly one of `pix`, `wire` and `ach`. `amountRaw` is in cents. */
interface PaymentInstructionsView {
  readonly pix?: { readonly copyPaste: string; readonly qrCodeUrl: string } | undefined;
  readonly wire?: BankInstructions | undefined;
  readonly ach?: BankInstructions | undefined;
  readonly expiresAt: Date | undefined;
  readonly amount: { readonly amountRaw: string; readonly currency: string };
}

export function executionAnswer(executable: ExecutableSwap): ExecutionAnswer {
  switch (executable.kind) {
    case 'calls':
      return callsAnswer(executable);
    case 'program':
      return programAnswer(executable);
    case 'deposit':
      return depositAnswer(executable);
    case 'payment':
      return paymentAnswer(executable);
  }
}

const callsAnswer = ({ approvals, swap, userOperation, custody }: ExecutableCalls): ExecutionAnswer => ({
  chainId: swap.chainId,
  transactions: [...approvals, swap].map(callItem),
  ...(userOperation === undefined ? {} : { userOperation: userOperation.userOperation }),
  ...(custody === undefined ? {} : { custody }),
});

function programAnswer(program: ExecutableProgram): ExecutionAnswer {
  const { chainId, composable } = program;
  const answer = { chainId, transactions: [programItem(program)] };
  if (composable === undefined) return answer;
  const { instructions, lookupTables } = composable;
  const tables = Object.keys(lookupTables).length === 0 ? {} : { lutsByAddress: lookupTables };
  return { ...answer, instructions, ...tables };
}

const depositAnswer = ({ chainId, address, amount }: ExecutableDeposit): ExecutionAnswer => ({
  chainId,
  transactions: [],
  depositAddress: address,
  depositAmount: amount.toString(),
});

function paymentAnswer({ chainId, instructions, qrCodeUrl }: ExecutablePayment): ExecutionAnswer {
  const { pix, ...rest } = instructions;
  const shown = pix === undefined || qrCodeUrl === undefined ? {} : { pix: { ...pix, qrCodeUrl } };
  return { chainId, transactions: [], paymentInstructions: { ...shown, ...rest } };
}
