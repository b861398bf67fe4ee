import {
  AccountState,
  ExtensionType,
  getDefaultAccountState,
  getExtensionTypes,
  getMemoTransfer,
  getPausableConfig,
  getTransferFeeConfig,
  getTransferHook,
  type Mint,
} from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import type { TransferProblem } from '../transfer-problem';
import type { AssociatedAccount, TransferAccounts } from './transfer-accounts';

/** The problem with a transfer of a token: an unsupported extension of Token-2022, or a frozen account. */
export function tokenProblem(
  { mint, from, to }: Pick<TransferAccounts, 'mint' | 'from' | 'to'>,
  memo: string | undefined,
): TransferProblem | undefined {
  return mintProblem(mint) ?? frozenProblem(mint, from, to) ?? memoProblem(to, memo);
}

function mintProblem(mint: Mint): TransferProblem | undefined {
  if (mint.tlvData.length === 0) return undefined;
  if (getPausableConfig(mint)?.paused === true) return { kind: 'TOKEN_PAUSED', reason: 'the token is paused' };
  if (getExtensionTypes(mint.tlvData).includes(ExtensionType.NonTransferable)) {
    return { kind: 'TOKEN_NOT_SUPPORTED', reason: 'the token cannot be transferred' };
  }
  const hook = getTransferHook(mint)?.programId ?? PublicKey.default;
  if (!hook.equals(PublicKey.default)) {
    return {
      kind: 'TOKEN_NOT_SUPPORTED',
      reason: 'the token runs a program on every transfer, which is not supported',
    };
  }
  if (!takesFees(mint)) return undefined;
  return { kind: 'FEE_ON_TRANSFER', reason: 'the token takes a fee on every transfer: less would arrive' };
}

function takesFees(mint: Mint): boolean {
  const fees = getTransferFeeConfig(mint);
  return fees !== null && [fees.olderTransferFee, fees.newerTransferFee].some((fee) => fee.transferFeeBasisPoints > 0);
}

function frozenProblem(mint: Mint, from: AssociatedAccount, to: AssociatedAccount): TransferProblem | undefined {
  if (from.state?.isFrozen === true) return frozen("the sender's account of the token is frozen");
  if (to.state?.isFrozen === true) return frozen("the recipient's account of the token is frozen");
  const opensFrozen = to.state === undefined && getDefaultAccountState(mint)?.state === AccountState.Frozen;
  return opensFrozen ? frozen('new accounts of the token are frozen until its issuer thaws them') : undefined;
}

const frozen = (reason: string): TransferProblem => ({ kind: 'ACCOUNT_FROZEN', reason });

function memoProblem({ state }: AssociatedAccount, memo: string | undefined): TransferProblem | undefined {
  if (state === undefined || memo !== undefined) return undefined;
  if (getMemoTransfer(state)?.requireIncomingTransferMemos !== true) return undefined;
  return { kind: 'MEMO_REQUIRED', reason: 'the recipient accepts transfers with a memo only' };
}
