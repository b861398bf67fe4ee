import { type Address, encodeFunctionData } from 'viem';
import { invariant } from '../../errors/invariant-error';
import { MAX_BASE_UNITS } from '../../money/base-units';
import type { LendParameters, Preview, ProtocolCall, WithdrawParameters } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { ProtocolName } from '../strategy-row';
import { ROUTER_ABI } from './router-abi';
import { grown } from './router-bounds';

/** Protocols that the router has calls for. Requests of ERC-7540 and their claims are made by the wallet itself. */
export type RoutedProtocolName = keyof typeof DEPOSITS;

export const isRouted = (protocol: ProtocolName): protocol is RoutedProtocolName => protocol in DEPOSITS;

/** A fee that the router pays, in base units of the underlying asset. */
export interface RoutedFee {
  readonly recipient: string;
  readonly amount: bigint;
}

/** What every call of the router states. */
interface RouterTerms {
  readonly router: Address;
  readonly fees: readonly RoutedFee[];
  /** Unix seconds: the last second at which the call succeeds. */
  readonly deadline: bigint;
}

export interface RoutedDeposit extends RouterTerms {
  readonly lend: LendParameters;
  /** Base units of the receipt token that the receiver gets at least. */
  readonly minReceipt: bigint;
}

export interface RoutedWithdrawal extends RouterTerms {
  readonly withdraw: WithdrawParameters;
  readonly preview: Preview;
  /** Base units of the underlying asset that the receiver gets at least, after the fees. */
  readonly minAssets: bigint;
  /** Shares of a vault that a withdrawal of assets takes at most. */
  readonly maxShares: bigint;
}

const DEPOSITS = {
  'aave-v3': 'supplyAave',
  erc4626: 'depositVault',
  'compound-v3': 'supplyComet',
} as const satisfies Partial<Record<ProtocolName, string>>;

/** The deposit as a call of the router: it pulls the assets and the fees from the wallet. */
export function depositCall(strategy: Strategy, { lend, minReceipt, ...terms }: RoutedDeposit): ProtocolCall {
  const { router, fees, deadline } = terms;
  const amount = fees.reduce((sum, fee) => sum + fee.amount, lend.assets);
  const args = {
    ...contractsOf(strategy),
    assets: lend.assets,
    receiver: lend.receiver,
    minReceipt,
    fees: feesOf(fees),
    deadline,
  };
  return {
    to: router,
    data: encodeFunctionData({ abi: ROUTER_ABI, functionName: DEPOSITS[routedProtocol(strategy)], args: [args] }),
    value: 0n,
    allowance: { token: args.asset, spender: router, amount },
  };
}

/**
 * The withdrawal as a call of the router, which takes the receipt tokens of the wallet: vault shares and aTokens by an allowance
 * of their amount, a deposit in a Comet by a permission without an amount, because a Comet has no other.
 */
export function withdrawalCall(
  strategy: Strategy,
  { withdraw, preview, minAssets, maxShares, ...terms }: RoutedWithdrawal,
): ProtocolCall {
  const { router, fees, deadline } = terms;
  const { functionName, amount, maxReceipt, allowance } = TAKEN[routedProtocol(strategy)]({
    withdraw,
    preview,
    maxShares,
  });
  const args = {
    ...contractsOf(strategy),
    amount,
    maxReceipt,
    receiver: withdraw.receiver,
    minAssets,
    fees: feesOf(fees),
    deadline,
  };
  return {
    to: router,
    data: encodeFunctionData({ abi: ROUTER_ABI, functionName, args: [args] }),
    value: 0n,
    allowance: { token: args.receipt, spender: router, amount: allowance },
  };
}

interface TakenReceipt {
  readonly functionName: 'redeemVault' | 'withdrawVault' | 'withdrawAave' | 'withdrawComet';
  readonly amount: bigint;
  readonly maxReceipt: bigint;
  readonly allowance: bigint;
}

type Withdrawn = Pick<RoutedWithdrawal, 'withdraw' | 'preview' | 'maxShares'>;

/** Balances of tokens that grow are rounded at each transfer. */
const ROUNDING = 2n;

const TAKEN: Readonly<Record<RoutedProtocolName, (withdrawn: Withdrawn) => TakenReceipt>> = {
  erc4626: ({ withdraw: { amount }, preview: { shares }, maxShares }) =>
    amount.kind === 'assets'
      ? { functionName: 'withdrawVault', amount: amount.assets, maxReceipt: maxShares, allowance: maxShares }
      : { functionName: 'redeemVault', amount: shares, maxReceipt: shares, allowance: shares },
  'aave-v3': ({ preview }) => {
    const { amount, maxReceipt } = growingAmounts(preview);
    return { functionName: 'withdrawAave', amount, maxReceipt, allowance: maxReceipt };
  },
  'compound-v3': ({ preview }) => ({
    functionName: 'withdrawComet',
    ...growingAmounts(preview),
    allowance: MAX_BASE_UNITS,
  }),
};

/** The largest integer is the whole balance at the time of execution. */
const growingAmounts = ({ assets, isWhole }: Preview): Pick<TakenReceipt, 'amount' | 'maxReceipt'> =>
  isWhole === true
    ? { amount: MAX_BASE_UNITS, maxReceipt: grown(assets) + ROUNDING }
    : { amount: assets, maxReceipt: assets + ROUNDING };

const contractsOf = ({ row, contracts, underlying, receipt }: Strategy) => ({
  market: contracts['pool'] ?? row.market,
  asset: underlying.address as Address,
  receipt: receipt.address as Address,
});

const feesOf = (fees: readonly RoutedFee[]) =>
  fees.map(({ recipient, amount }) => ({ recipient: recipient as Address, amount }));

function routedProtocol({ row: { protocol } }: Strategy): RoutedProtocolName {
  invariant(isRouted(protocol), `the router has no calls for ${protocol}`);
  return protocol;
}
