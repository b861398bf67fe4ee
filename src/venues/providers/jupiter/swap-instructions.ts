import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { WRAPPED_SOL } from '../../../chains/addresses';
import type { SolanaInstruction } from '../../quote-provider';

/** A swap as it was ordered. Amount in base units. */
export interface SwapOrder {
  /** Program of the aggregator. */
  readonly program: string | undefined;
  readonly sender: string;
  readonly recipient: string;
  /** Mints. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
}

/**
 * What of the instructions a swap does not need; `undefined` when they fit. Beside the aggregator's own, which must name
 * the account that is to receive, there may be those that open accounts, wrap what is sold and unwrap what is left: with
 * any other the wallet would sign away what it does not sell.
 */
export function instructionsFlaw(instructions: readonly SolanaInstruction[], order: SwapOrder): string | undefined {
  for (const instruction of instructions) {
    const flaw = strangerFlaw(instruction, order) ?? sideFlaw(instruction, order);
    if (flaw !== undefined) return flaw;
  }
  const own = instructions.filter(({ programId }) => programId === order.program);
  if (own.length === 0) return 'does not call the aggregator';
  return namesReceiver(own, instructions, order) ? undefined : 'does not name the account of the recipient';
}

const strangerFlaw = ({ accounts }: SolanaInstruction, { sender }: SwapOrder): string | undefined =>
  accounts.some(({ isSigner, pubkey }) => isSigner && pubkey !== sender) ? 'needs the signature of another' : undefined;

const TOKEN_PROGRAMS = [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID];

function sideFlaw(instruction: SolanaInstruction, order: SwapOrder): string | undefined {
  const { programId } = instruction;
  if (programId === order.program) return undefined;
  const isNeeded = SIDE_PROGRAMS.get(programId);
  if (isNeeded === undefined) return `calls the program ${programId}`;
  const data = Buffer.from(instruction.data, 'base64');
  return isNeeded(instruction.accounts, data, order) ? undefined : `calls ${programId} for something else than a swap`;
}

type IsNeeded = (accounts: SolanaInstruction['accounts'], data: Buffer, order: SwapOrder) => boolean;

/** Numbers of the instructions, as their programs know them. An account is opened with no data, too. */
const OPEN_ACCOUNT: ReadonlySet<number | undefined> = new Set([undefined, 0, 1]);
const SYSTEM_TRANSFER = 2;
const CLOSE_ACCOUNT = 9;
const SYNC_NATIVE = 17;
const TRANSFER_BYTES = 12;

const opensAccount: IsNeeded = (_, data) => OPEN_ACCOUNT.has(data[0]);

/** Coin that is sold goes into the sender's own account of wrapped coin. */
const wraps: IsNeeded = ([from, to], data, { sender, tokenIn, amountIn }) =>
  data.length === TRANSFER_BYTES &&
  data.readUInt32LE(0) === SYSTEM_TRANSFER &&
  data.readBigUInt64LE(4) <= amountIn &&
  tokenIn === WRAPPED_SOL &&
  from?.pubkey === sender &&
  accountsOf(WRAPPED_SOL, sender).includes(to?.pubkey ?? '');

/** What an account still holds of coin goes back to the sender; coin that was bought may go to whom it was bought for. */
const unwraps: IsNeeded = ([, destination], data, { sender, recipient, tokenOut }) => {
  if (data[0] === SYNC_NATIVE) return true;
  if (data[0] !== CLOSE_ACCOUNT) return false;
  return destination?.pubkey === sender || (tokenOut === WRAPPED_SOL && destination?.pubkey === recipient);
};

const SIDE_PROGRAMS: ReadonlyMap<string, IsNeeded> = new Map([
  [ASSOCIATED_TOKEN_PROGRAM_ID.toBase58(), opensAccount],
  [SystemProgram.programId.toBase58(), wraps],
  ...TOKEN_PROGRAMS.map((program) => [program.toBase58(), unwraps] as const),
]);

/** Coin may be unwrapped on its way; then it is whoever pays it out that names the recipient. */
function namesReceiver(
  own: readonly SolanaInstruction[],
  all: readonly SolanaInstruction[],
  { sender, recipient, tokenOut }: SwapOrder,
): boolean {
  const named = (instructions: readonly SolanaInstruction[], account: string): boolean =>
    instructions.some(({ accounts }) => accounts.some(({ pubkey }) => pubkey === account));
  if (tokenOut === WRAPPED_SOL) return recipient === sender || named(all, recipient);
  return accountsOf(tokenOut, recipient).some((account) => named(own, account));
}

/** The token accounts that an owner has by default: a mint belongs to one of the two programs. */
const accountsOf = (mint: string, owner: string): readonly string[] =>
  TOKEN_PROGRAMS.map((program) =>
    getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(owner), true, program).toBase58(),
  );
