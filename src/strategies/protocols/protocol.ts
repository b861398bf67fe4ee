import type { Address, Hex, Log } from 'viem';
import type { ContractRead } from '../../rpc/contract-read';
import type { Token } from '../../tokens/token';
import type { RequestSide, Strategy } from '../strategy';
import type { DirectProtocolName, ProtocolName, StrategyRow } from '../strategy-row';

/**
 * A protocol in which assets earn interest. An adapter builds reads, calls and log filters, and decodes results; it requests
 * nothing itself, so that the reads of many strategies share one multicall.
 *
 * Amounts are base units of the underlying asset (`assets`), or shares: vault shares, scaled aTokens, principal of a Comet.
 * One ray is 1e27.
 */
export interface ProtocolReader {
  readonly name: ProtocolName;
  /** Reads the contracts of a row. Each round may depend on those before it. */
  readonly resolution: (row: StrategyRow) => Resolution;
  readonly market: (strategy: Strategy) => ProtocolRead<MarketState>;
  readonly holding: (strategy: Strategy, wallet: Address) => ProtocolRead<StrategyHolding>;
  readonly events: ProtocolEvents;
  /** Holding and events with the order wallets of a wallet. Absent where there are no orders. */
  readonly withOrders?: (orders: WalletOrders) => Pick<ProtocolReader, 'holding' | 'events'>;
}

/** The orders of a wallet in one strategy that are carried out from wallets of their own. */
export interface WalletOrders extends WalletSales {
  /** Order wallets of the purchases that have not ended. Their assets are requested deposits, and no part of the position. */
  readonly purchases: readonly Address[];
}

/** Sales, whose shares belong to the position of the wallet. */
export interface WalletSales {
  /** Order wallets. `isOpen`: false once nothing more is sold or refunded. */
  readonly sales: readonly { readonly orderWallet: Address; readonly isOpen: boolean }[];
  /** Those of all sales on the chain: filters of different strategies with the same topics are requested together. */
  readonly allSaleWallets: readonly Address[];
}

/** A protocol that wallets deposit into, and withdraw from, by calls of their own. */
export interface Protocol extends ProtocolReader {
  readonly name: DirectProtocolName;
  /** Result of a deposit at the block of the reads, and the reason why it would fail. */
  readonly lendPreview: (strategy: Strategy, request: LendParameters) => ProtocolRead<Preview>;
  readonly lend: (strategy: Strategy, request: LendParameters) => ProtocolCall;
  /** Result of a withdrawal at the block of the reads, and the reason why it would fail. */
  readonly withdrawPreview: (strategy: Strategy, request: WithdrawParameters) => ProtocolRead<Preview>;
  /** `preview` is the one of the same request: it has the assets of the requested shares, and the shares of everything. */
  readonly withdraw: (strategy: Strategy, request: WithdrawParameters, preview: Preview) => ProtocolCall;
  /** Set where deposits or withdrawals of some strategies are requested first. `lend` and `withdraw` claim them then. */
  readonly requests?: ProtocolRequests;
  /** Claims all of one reward for the wallet. Absent where the protocol pays none. */
  readonly claim?: (strategy: Strategy, request: ClaimParameters) => ProtocolCall;
  /** Sentence about a revert of a deposit or withdrawal; `undefined` for an unknown reason. Takes the revert data or the reason. */
  readonly explainRevert: (reason: string) => string | undefined;
  /** The same for a claim, which calls another contract. */
  readonly explainClaimRevert?: (reason: string) => string | undefined;
}

/**
 * Deposits and withdrawals that are pending until the vault fulfils them (ERC-7540). Only for an asynchronous side, see `isRequested`. The
 * wallet is the owner and the controller of its requests: it alone claims them.
 */
export interface ProtocolRequests {
  /** Shares that a request would give at the price of the block, and the reason why it would fail. */
  readonly lendPreview: (strategy: Strategy, request: RequestedLend) => ProtocolRead<Preview>;
  readonly lend: (strategy: Strategy, request: RequestedLend) => ProtocolCall;
  /** Shares that the vault takes, what they are worth at the block, and the reason why the request would fail. */
  readonly withdrawPreview: (strategy: Strategy, request: RequestedWithdrawal) => ProtocolRead<Preview>;
  /** `preview` is the one of the same request: it has the shares. */
  readonly withdraw: (strategy: Strategy, request: RequestedWithdrawal, preview: Preview) => ProtocolCall;
  /** What the vault has recorded for a wallet, pending or claimable: assets of deposits, shares of withdrawals. The sum counts. */
  readonly recorded: (
    strategy: Strategy,
    request: { readonly side: RequestSide; readonly wallet: Address },
  ) => readonly ContractRead<bigint>[];
}

export type RequestedLend = Pick<LendParameters, 'wallet' | 'assets'>;
export type RequestedWithdrawal = Pick<WithdrawParameters, 'wallet' | 'amount'>;

export interface ProtocolRead<Result> {
  readonly reads: readonly ContractRead<unknown>[];
  /** `undefined` when a needed read failed. Results in the order of the reads, `undefined` for failed ones. */
  readonly decode: (results: readonly unknown[], block: ReadBlock) => Result | undefined;
}

/** The block that all results of a multicall belong to. */
export interface ReadBlock {
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
}

/** The contracts of a row, read in one round, or in up to four when each needs addresses of the one before. */
export type Resolution =
  | { readonly kind: 'next'; readonly read: ProtocolRead<Resolution> }
  | {
      readonly kind: 'resolved';
      readonly contracts: Strategy['contracts'];
      readonly receipt: Address;
      /** Tokens in which the market pays rewards; absent without rewards. */
      readonly rewardTokens?: readonly Address[];
    }
  /** The row contradicts the chain: the vault has another asset, the market does not list the token. */
  | { readonly kind: 'refused'; readonly reason: string };

/** State of a market at one block. */
export interface MarketState {
  /** Assets per share as a ray: of both in base units. Positive. Aave: the liquidity index. */
  readonly sharePriceRay: bigint;
  /** Simple interest of a year as a ray, as the protocol states it for this moment. `undefined` when it states none. */
  readonly yearlyRateRay: bigint | undefined;
  /** All deposits. */
  readonly tvl: bigint;
  /** What all depositors together may withdraw now; `undefined` when the protocol does not state it. */
  readonly liquidity: bigint | undefined;
  /** What may still be deposited; `undefined` without a limit, or when the protocol states none. */
  readonly depositLimit: bigint | undefined;
  readonly acceptsDeposits: boolean;
  readonly allowsWithdrawals: boolean;
  /** What the market pays besides interest; absent without rewards. */
  readonly emissions?: readonly RewardEmission[];
}

/** What a market pays to all depositors together in one reward token, at the present speed. */
export interface RewardEmission {
  readonly token: Token;
  /** Base units of the reward token in a year; `undefined` when they cannot be read. */
  readonly perYear: bigint | undefined;
  /** Unix seconds of the end; absent when the protocol states none. */
  readonly endsAt?: bigint;
}

/** What a wallet has in a strategy at one block. */
export interface StrategyHolding {
  /** With those of a requested withdrawal, until their assets are claimed, and those of a sale, until they are sold. */
  readonly shares: bigint;
  /**
   * What a withdrawal of everything would pay now, the protocol's own fees included. A withdrawal that was requested counts with
   * what can be claimed, and with what the pending shares are worth, as do the shares of an open sale.
   */
  readonly value: bigint;
  /** Balance of the receipt token. */
  readonly receiptBalance: bigint;
  /** Worth of `receiptBalance` in the underlying asset. When absent: `value` minus the requested withdrawals. */
  readonly receiptWorth?: bigint;
  readonly availableToWithdraw: bigint;
  /** False when the protocol's limits are not trusted: `availableToWithdraw` is the value then. */
  readonly isAvailableTrusted: boolean;
  /**
   * Debt of the wallet in the same market, which a deposit would repay or which may block a withdrawal. Zero when there is
   * none; its unit depends on the protocol (Aave: the base currency of its oracle).
   */
  readonly debt: bigint;
  /** What the wallet may claim now, also after it has withdrawn everything; absent when that is nothing. */
  readonly rewards?: readonly Reward[];
  /** Tokens of rewards whose amounts cannot be read; absent when all can. */
  readonly unreadRewards?: readonly Token[];
  /** Pending and claimable requests; absent when there are none. */
  readonly requests?: HeldRequests;
}

/** The requests of a wallet. A claimable part is no longer pending. */
export interface HeldRequests {
  /** Pending deposits, and open purchases. `shares`: what they would bring at the current price. Their assets are no part of the value. */
  readonly lend: RequestedAmount;
  /** Pending withdrawals, and open sales. `assets`: what the shares are worth now. */
  readonly withdraw: RequestedAmount;
  /** Deposits whose shares can be claimed for `assets`. `worth`: of the shares now. No part of the value until then. */
  readonly claimableLend: RequestedAmount & { readonly worth: bigint };
  /** Withdrawals whose assets can be claimed for `shares`. */
  readonly claimableWithdraw: RequestedAmount;
}

export interface RequestedAmount {
  readonly assets: bigint;
  readonly shares: bigint;
}

export const NOTHING_REQUESTED: RequestedAmount = { assets: 0n, shares: 0n };

/** A reward of a market, in base units of its token. More than zero. */
export interface Reward {
  readonly token: Token;
  readonly amount: bigint;
}

export interface ClaimParameters {
  /** Has earned the reward, and receives it. */
  readonly wallet: Address;
  /** The token of the reward. */
  readonly token: Address;
  /** The rewards contract. */
  readonly rewards: Address;
}

export interface LendParameters {
  /** Pays. */
  readonly wallet: Address;
  /** Owns the deposit. */
  readonly receiver: Address;
  readonly assets: bigint;
}

export interface WithdrawParameters {
  /** Owns the deposit. */
  readonly wallet: Address;
  /** Receives the assets. */
  readonly receiver: Address;
  readonly amount: WithdrawAmount;
}

/** `all` leaves nothing behind. */
export type WithdrawAmount =
  | { readonly kind: 'assets'; readonly assets: bigint }
  | { readonly kind: 'shares'; readonly shares: bigint }
  | { readonly kind: 'all' };

/** What an operation gives at the block of the reads. */
export interface Preview {
  /** Assets that move into or out of the protocol. */
  readonly assets: bigint;
  /** Shares that are created or redeemed. */
  readonly shares: bigint;
  /** True when a withdrawal takes everything: also the interest until it is mined, so that nothing is left. */
  readonly isWhole?: boolean | undefined;
  /** True when the operation claims a request: the vault has what it costs already. */
  readonly isClaim?: boolean | undefined;
  /**
   * Why the call would fail or lose assets; `undefined` when the call should succeed. The wallet's own balance of the underlying
   * asset comes last: a deposit after a swap may ignore `BALANCE`.
   */
  readonly problem: ProtocolProblem | undefined;
}

export interface ProtocolProblem {
  readonly kind:
    | 'DEPOSITS_PAUSED'
    | 'WITHDRAWALS_PAUSED'
    | 'DEPOSIT_LIMIT'
    | 'LIQUIDITY'
    | 'BALANCE'
    | 'DEBT'
    /** The amount is so small that it would give nothing. */
    | 'TOO_SMALL'
    /** An immediate withdrawal would return less than the vault's known fees explain. */
    | 'UNFAIR_PRICE'
    /** Nothing was requested, it is still pending, or less than the amount can be claimed. */
    | 'NOT_CLAIMABLE';
  /** A sentence for the caller, with amounts in tokens where there are any. */
  readonly message: string;
  /** The largest amount that is possible now, in base units of the underlying asset; `undefined` when unknown. */
  readonly maximum?: bigint | undefined;
}

/** One call of an operation, and the allowance that it needs. */
export interface ProtocolCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly allowance: { readonly token: Address; readonly spender: Address; readonly amount: bigint } | undefined;
}

/** The deposits of a wallet in the logs of a chain. */
export interface ProtocolEvents {
  /**
   * Filters that together find every transaction that changed a wallet's deposit, wherever it was made. Filters of several
   * strategies whose topics are equal are requested together.
   */
  readonly filters: (strategy: Strategy, wallet: Address) => readonly LogFilter[];
  /** Changes of a wallet's deposit from all logs of one transaction, in the order of the logs. */
  readonly changes: (strategy: Strategy, wallet: Address, logs: readonly Log[]) => readonly PositionChange[];
  /** Raised when the same logs become other changes: histories of an earlier version are read again. 0 when absent. */
  readonly version?: number;
}

export interface LogFilter {
  readonly address: Address;
  /** As in `eth_getLogs`. */
  readonly topics: readonly (Hex | readonly Hex[] | null)[];
}

export const POSITION_CHANGE_KINDS = ['deposit', 'withdrawal', 'transferIn', 'transferOut'] as const;
export type PositionChangeKind = (typeof POSITION_CHANGE_KINDS)[number];

export interface PositionChange {
  readonly kind: PositionChangeKind;
  /** `undefined` when the logs do not state them: the wallet's shares after the block do. */
  readonly shares: bigint | undefined;
  /** `undefined` when the logs do not state them: then the share price at the block does. */
  readonly assets: bigint | undefined;
  /** Assets per share at the change as a ray; `undefined` when the logs do not state it. */
  readonly sharePriceRay: bigint | undefined;
  readonly txHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly logIndex: number;
}
