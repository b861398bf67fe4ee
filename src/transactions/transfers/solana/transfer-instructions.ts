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
import { invalidTransfer, type TransferFlaw } from '../transfer-problem';
import { fromLibrary, keyOf, memoInstruction } from '../../execution/solana/instructions';
import { recipientFlaw } from './recipient-problem';
import { tokenFlaw } from './token-problem';
import { readTransferAccounts, type TokenPlace, type TransferAccounts } from './transfer-accounts';

export interface SolanaTransferDeps {
  readonly solana: Pick<SolanaRpc, 'accounts' | 'rent'>;
}

export interface SolanaTransfer {
  /** The wrapped SOL mint stands for SOL. */
  readonly token: Token;
  readonly amount: BaseUnits;
  readonly sender: string;
  /** A wallet; its token account is opened when it has none. */
  readonly recipient: string;
  /** Stands immediately before the transfer, where recipients that insist on one look for it. */
  readonly memo: string | undefined;
  /** False: whether the sender has enough is left to whoever tries the transaction. True when not given. */
  readonly checksFunds?: boolean;
  readonly signal: AbortSignal;
}

/** The longest memo that one instruction of a transaction can hold, in bytes of UTF-8. */
const LONGEST_MEMO_BYTES = 566;
/** What a signature costs, in lamports, before anything is paid for priority. */
const BASE_FEE = 5000n;
const SOL_DECIMALS = 9;

/**
 * Instructions that transfer SOL or a token of either token program, and open the recipient's account when it is missing.
 *
 * @throws VALIDATION_ERROR for a memo that is empty or too long; TRANSFER_VALIDATION_FAILED with `details.reason` when the
 * transfer cannot succeed or nobody could spend what arrives; PROVIDER_UNAVAILABLE
 */
export async function transferInstructions(
  deps: SolanaTransferDeps,
  transfer: SolanaTransfer,
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
  if (bytes > 0 && bytes <= LONGEST_MEMO_BYTES && !/\p{Surrogate}/u.test(memo)) return;
  const message = `must be text of 1 to ${LONGEST_MEMO_BYTES} bytes`;
  throw validationError([{ path: 'memo', message }]);
}

function refuse(condition: boolean, flaw: TransferFlaw): void {
  if (condition) throw invalidTransfer(flaw);
}

const refuseFlaw = (flaw: TransferFlaw | undefined): void => {
  if (flaw !== undefined) throw invalidTransfer(flaw);
};

const sol = (lamports: bigint): string => `${formatBaseUnits(lamports, SOL_DECIMALS)} SOL`;

async function solTransfer(
  { solana }: SolanaTransferDeps,
  transfer: SolanaTransfer,
): Promise<readonly SolanaInstruction[]> {
  const { token, amount, sender, recipient, checksFunds = true, signal } = transfer;
  const [from, to] = await solana.accounts(token.chainId, [sender, recipient], signal);
  refuseFlaw(recipientFlaw(recipient, to));
  const held = from?.lamports ?? 0n;
  refuse(checksFunds && held < amount + BASE_FEE, {
    kind: 'INSUFFICIENT_BALANCE',
    reason: `the sender holds ${sol(held)} of ${sol(amount + BASE_FEE)} needed, the fee included`,
  });
  const least = to === undefined ? await solana.rent(token.chainId, 0, signal) : 0n;
  refuse(amount < least, {
    kind: 'AMOUNT_TOO_SMALL',
    reason: `the recipient holds nothing yet, and an account must hold at least ${sol(least)}`,
  });
  const parties = { fromPubkey: keyOf(sender), toPubkey: keyOf(recipient) };
  return [fromLibrary(SystemProgram.transfer({ ...parties, lamports: amount }))];
}

async function tokenTransfer(
  deps: SolanaTransferDeps,
  transfer: SolanaTransfer,
): Promise<readonly SolanaInstruction[]> {
  const { amount, sender, recipient, memo, checksFunds = true } = transfer;
  const accounts = await readTransferAccounts(deps.solana, transfer);
  if (accounts === undefined) {
    throw invalidTransfer({ kind: 'TOKEN_NOT_SUPPORTED', reason: 'there is no such token on the chain' });
  }
  refuseFlaw(recipientFlaw(recipient, accounts.recipient));
  refuseFlaw(tokenFlaw(accounts, memo));
  const { mint, program, from, to } = accounts;
  if (checksFunds) await requireFunds(deps, transfer, accounts);
  const [payer, owner] = [keyOf(sender), keyOf(recipient)];
  const open = createAssociatedTokenAccountIdempotentInstruction(payer, to.address, owner, mint.address, program);
  const places = [from.address, mint.address, to.address] as const;
  const move = createTransferCheckedInstruction(...places, payer, amount, mint.decimals, [], program);
  return [...(exists(to) ? [] : [open]), move].map(fromLibrary);
}

const exists = ({ state }: TokenPlace): boolean => state !== undefined;

async function requireFunds(
  deps: SolanaTransferDeps,
  transfer: SolanaTransfer,
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

/** Fees, and the deposit of an account that has to be opened, are paid in SOL. */
async function requireFee(
  { solana }: SolanaTransferDeps,
  { token, signal }: SolanaTransfer,
  { sender, to, mint, program }: TransferAccounts,
): Promise<void> {
  const bytes = program.equals(TOKEN_PROGRAM_ID) ? ACCOUNT_SIZE : getAccountLenForMint(mint);
  const deposit = exists(to) ? 0n : await solana.rent(token.chainId, bytes, signal);
  const [held, needed] = [sender?.lamports ?? 0n, deposit + BASE_FEE];
  const purpose = deposit === 0n ? 'for the fee' : "for the fee and for opening the recipient's account of the token";
  refuse(held < needed, {
    kind: 'INSUFFICIENT_BALANCE',
    reason: `the sender holds ${sol(held)} of ${sol(needed)} needed ${purpose}`,
  });
}
