import {
  ACCOUNT_SIZE,
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAccountLenForMint,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { SystemProgram } from '@solana/web3.js';
import { WRAPPED_SOL } from '../../../chains/addresses';
import { validationError } from '../../../errors/validation';
import { type BaseUnits, formatBaseUnits } from '../../../money/base-units';
import type { SolanaInstruction, SolanaProgramCall } from '../../../venues/quote-provider';
import type { SolanaRpc } from '../../../rpc/solana/solana-rpc';
import type { Token } from '../../../tokens/token';
import { transferError, type TransferProblem } from '../transfer-problem';
import { fromWeb3Instruction, parsePublicKey, memoInstruction } from '../../execution/solana/instructions';
import { recipientProblem } from './recipient-problem';
import { tokenProblem } from './token-problem';
import { readTransferAccounts, type AssociatedAccount, type TransferAccounts } from './transfer-accounts';

export interface TransferInstructionsDeps {
  readonly solana: Pick<SolanaRpc, 'accounts' | 'rent'>;
}

export interface TransferInstructionsRequest {
  /** The wrapped SOL mint stands for SOL. */
  readonly token: Token;
  readonly amount: BaseUnits;
  readonly sender: string;
  /** A wallet; its token account is created when it has none. */
  readonly recipient: string;
  /** Placed immediately before the transfer, where accounts that require a memo expect it. */
  readonly memo: string | undefined;
  /** False to leave the check of the sender's funds to the simulation. Default: true. */
  readonly checksFunds?: boolean;
  readonly signal: AbortSignal;
}

/** Maximum memo of one instruction, in bytes of UTF-8. */
const MAX_MEMO_BYTES = 566;
/** Fee for one signature, in lamports, without a priority fee. */
const BASE_FEE = 5000n;
const SOL_DECIMALS = 9;

/**
 * Builds the instructions that transfer SOL or a token of either token program, and create the recipient's token account
 * when it is missing.
 *
 * @throws VALIDATION_ERROR for a memo that is empty or too long; TRANSFER_VALIDATION_FAILED with `details.reason` when the
 * transfer cannot succeed or its recipient could not spend the tokens; PROVIDER_UNAVAILABLE
 */
export async function transferInstructions(
  deps: TransferInstructionsDeps,
  transfer: TransferInstructionsRequest,
): Promise<SolanaProgramCall> {
  const { token, sender, recipient, memo } = transfer;
  checkMemo(memo);
  refuse(recipient === sender, { kind: 'RECIPIENT_IS_SENDER', reason: 'the recipient is the sender' });
  const moves = token.address === WRAPPED_SOL ? await solTransfer(deps, transfer) : await tokenTransfer(deps, transfer);
  const before = moves.slice(0, -1);
  const last = moves.slice(-1);
  const instructions = [...before, ...(memo === undefined ? [] : [memoInstruction(memo)]), ...last];
  return { kind: 'instructions', chainId: token.chainId, from: sender, instructions, lookupTables: {} };
}

function checkMemo(memo: string | undefined): void {
  if (memo === undefined) return;
  const bytes = Buffer.byteLength(memo, 'utf8');
  if (bytes > 0 && bytes <= MAX_MEMO_BYTES && !/\p{Surrogate}/u.test(memo)) return;
  const message = `must be text of 1 to ${MAX_MEMO_BYTES} bytes`;
  throw validationError([{ path: 'memo', message }]);
}

function refuse(condition: boolean, problem: TransferProblem): void {
  if (condition) throw transferError(problem);
}

const refuseProblem = (problem: TransferProblem | undefined): void => {
  if (problem !== undefined) throw transferError(problem);
};

const sol = (lamports: bigint): string => `${formatBaseUnits(lamports, SOL_DECIMALS)} SOL`;

async function solTransfer(
  { solana }: TransferInstructionsDeps,
  transfer: TransferInstructionsRequest,
): Promise<readonly SolanaInstruction[]> {
  const { token, amount, sender, recipient, checksFunds = true, signal } = transfer;
  const [from, to] = await solana.accounts(token.chainId, [sender, recipient], signal);
  refuseProblem(recipientProblem(recipient, to));
  const held = from?.lamports ?? 0n;
  refuse(checksFunds && held < amount + BASE_FEE, {
    kind: 'INSUFFICIENT_BALANCE',
    reason: `the sender holds ${sol(held)} of ${sol(amount + BASE_FEE)} needed, the fee included`,
  });
  const minAmount = to === undefined ? await solana.rent(token.chainId, 0, signal) : 0n;
  refuse(amount < minAmount, {
    kind: 'AMOUNT_TOO_SMALL',
    reason: `the recipient is empty so far, and an account must hold at least ${sol(minAmount)}`,
  });
  const parties = { fromPubkey: parsePublicKey(sender), toPubkey: parsePublicKey(recipient) };
  return [fromWeb3Instruction(SystemProgram.transfer({ ...parties, lamports: amount }))];
}

async function tokenTransfer(
  deps: TransferInstructionsDeps,
  transfer: TransferInstructionsRequest,
): Promise<readonly SolanaInstruction[]> {
  const { amount, sender, recipient, memo, checksFunds = true } = transfer;
  const accounts = await readTransferAccounts(deps.solana, transfer);
  if (accounts === undefined) {
    throw transferError({ kind: 'TOKEN_NOT_SUPPORTED', reason: 'the token does not exist on the chain' });
  }
  refuseProblem(recipientProblem(recipient, accounts.recipient));
  refuseProblem(tokenProblem(accounts, memo));
  const { mint, program, from, to } = accounts;
  if (checksFunds) await requireFunds(deps, transfer, accounts);
  const [payer, owner] = [parsePublicKey(sender), parsePublicKey(recipient)];
  const open = createAssociatedTokenAccountIdempotentInstruction(payer, to.address, owner, mint.address, program);
  const accountKeys = [from.address, mint.address, to.address] as const;
  const move = createTransferCheckedInstruction(...accountKeys, payer, amount, mint.decimals, [], program);
  return [...(exists(to) ? [] : [open]), move].map(fromWeb3Instruction);
}

const exists = ({ state }: AssociatedAccount): boolean => state !== undefined;

async function requireFunds(
  deps: TransferInstructionsDeps,
  transfer: TransferInstructionsRequest,
  accounts: TransferAccounts,
): Promise<void> {
  const { token, amount } = transfer;
  const held = accounts.from.state?.amount ?? 0n;
  const units = (value: bigint): string => `${formatBaseUnits(value, accounts.mint.decimals)} ${token.symbol}`;
  refuse(held < amount, {
    kind: 'INSUFFICIENT_BALANCE',
    reason: `the sender holds ${units(held)} of ${units(amount)} needed`,
  });
  await requireFee(deps, transfer, accounts);
}

/** Fees, and the rent of a new token account, are paid in SOL. */
async function requireFee(
  { solana }: TransferInstructionsDeps,
  { token, signal }: TransferInstructionsRequest,
  { sender, to, mint, program }: TransferAccounts,
): Promise<void> {
  const bytes = program.equals(TOKEN_PROGRAM_ID) ? ACCOUNT_SIZE : getAccountLenForMint(mint);
  const deposit = exists(to) ? 0n : await solana.rent(token.chainId, bytes, signal);
  const [held, needed] = [sender?.lamports ?? 0n, deposit + BASE_FEE];
  const purpose = deposit === 0n ? 'for the fee' : "for the fee and for creating the recipient's token account";
  refuse(held < needed, {
    kind: 'INSUFFICIENT_BALANCE',
    reason: `the sender holds ${sol(held)} of ${sol(needed)} needed ${purpose}`,
  });
}
