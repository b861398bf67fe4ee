import { type Address, erc20Abi } from 'viem';
import { contractRead } from '../../../rpc/contract-read';
import { isRequested, type Strategy } from '../../strategy';
import type { HeldRequests } from '../protocol';
import { pricedShares, worthOfShares } from '../share-price';
import { REQUEST_ID, REQUEST_VAULT_ABI } from './erc7540-abi';

export const vaultOf = ({ row }: Strategy) => ({ address: row.market, abi: REQUEST_VAULT_ABI }) as const;

export const sharesRead = ({ receipt }: Strategy, owner: Address) =>
  contractRead({ address: receipt.address as Address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });

/** Worth of `pricedShares`. Previews of an asynchronous side revert. */
export const convertRead = (strategy: Strategy) =>
  contractRead({
    ...vaultOf(strategy),
    functionName: 'convertToAssets',
    args: [pricedShares(strategy.receipt.decimals)],
  });

/** What a wallet has in a vault: its shares, their price, and its requests on both sides. */
export const walletReads = (strategy: Strategy, wallet: Address) =>
  [
    sharesRead(strategy, wallet),
    convertRead(strategy),
    ...depositReads(strategy, wallet),
    contractRead({ ...vaultOf(strategy), functionName: 'maxMint', args: [wallet] }),
    ...redeemReads(strategy, wallet),
    contractRead({ ...vaultOf(strategy), functionName: 'maxWithdraw', args: [wallet] }),
  ] as const;

/** Pending assets, and assets whose shares can be claimed. */
export const depositReads = (strategy: Strategy, wallet: Address) =>
  [
    contractRead({ ...vaultOf(strategy), functionName: 'pendingDepositRequest', args: [REQUEST_ID, wallet] }),
    contractRead({ ...vaultOf(strategy), functionName: 'claimableDepositRequest', args: [REQUEST_ID, wallet] }),
  ] as const;

/** Pending shares, and shares whose assets can be claimed. */
export const redeemReads = (strategy: Strategy, wallet: Address) =>
  [
    contractRead({ ...vaultOf(strategy), functionName: 'pendingRedeemRequest', args: [REQUEST_ID, wallet] }),
    contractRead({ ...vaultOf(strategy), functionName: 'claimableRedeemRequest', args: [REQUEST_ID, wallet] }),
  ] as const;

/** Results of `walletReads`. */
type WalletResults = readonly (bigint | undefined)[];

/** What a wallet has in a vault. */
export interface VaultHolding {
  /** Shares in the wallet itself. */
  readonly balance: bigint;
  /** Worth of `pricedShares`. */
  readonly converted: bigint;
  readonly requests: HeldRequests;
  /** What the vault states to pay now for withdrawals; `undefined` when it states nothing. */
  readonly payable: bigint | undefined;
}

const NONE = { assets: 0n, shares: 0n };

/** `undefined` when a needed read failed. A synchronous side has no requests, whatever its vault states. */
export function vaultHolding(strategy: Strategy, results: WalletResults): VaultHolding | undefined {
  const [balance, converted, ...rest] = results;
  if (balance === undefined || converted === undefined) return undefined;
  const price = { strategy, converted };
  const lend = isRequested(strategy, 'lend') ? lendRequests(price, rest.slice(0, 3)) : NO_LEND;
  const withdraw = isRequested(strategy, 'withdraw') ? withdrawRequests(price, rest.slice(3)) : NO_WITHDRAW;
  if (lend === undefined || withdraw === undefined) return undefined;
  return { balance, converted, requests: { ...lend, ...withdraw }, payable: rest[5] };
}

type LendRequests = Pick<HeldRequests, 'lend' | 'claimableLend'>;
type WithdrawRequests = Pick<HeldRequests, 'withdraw' | 'claimableWithdraw'>;
const NO_LEND: LendRequests = { lend: NONE, claimableLend: { ...NONE, worth: 0n } };
const NO_WITHDRAW: WithdrawRequests = { withdraw: NONE, claimableWithdraw: NONE };

interface Price {
  readonly strategy: Strategy;
  readonly converted: bigint;
}

const worthAt = ({ strategy, converted }: Price, shares: bigint): bigint =>
  worthOfShares(shares, converted, strategy.receipt.decimals);

const sharesAt = ({ strategy, converted }: Price, assets: bigint): bigint =>
  converted === 0n ? 0n : (assets * pricedShares(strategy.receipt.decimals)) / converted;

function lendRequests(price: Price, [pending, claimable, mintable]: WalletResults): LendRequests | undefined {
  if (pending === undefined || claimable === undefined) return undefined;
  // A vault that mints nothing at present, as one that is paused, still owes the shares.
  const isStated = mintable !== undefined && mintable > 0n;
  const owed = isStated ? mintable : sharesAt(price, claimable);
  const shares = claimable === 0n ? 0n : owed;
  return {
    lend: { assets: pending, shares: sharesAt(price, pending) },
    claimableLend: { assets: claimable, shares, worth: worthAt(price, shares) },
  };
}

function withdrawRequests(price: Price, [pending, claimable, payable]: WalletResults): WithdrawRequests | undefined {
  if (pending === undefined || claimable === undefined) return undefined;
  // A vault that pays nothing at present, as one that is paused, still owes the assets.
  const isStated = payable !== undefined && payable > 0n;
  const assets = isStated ? payable : worthAt(price, claimable);
  return {
    withdraw: { assets: worthAt(price, pending), shares: pending },
    claimableWithdraw: claimable === 0n ? NONE : { assets, shares: claimable },
  };
}

/** `undefined` when nothing was requested. */
export function requestsIn({ requests }: VaultHolding): HeldRequests | undefined {
  const { lend, withdraw, claimableLend, claimableWithdraw } = requests;
  const isEmpty = lend.assets + withdraw.shares + claimableLend.assets + claimableWithdraw.shares === 0n;
  return isEmpty ? undefined : requests;
}
