import { type Address, erc20Abi, zeroAddress } from 'viem';
import { isSameAddress } from '../../../chains/addresses';
import { minBigInt } from '../../../money/min-max';
import { contractRead } from '../../../rpc/contract-read';
import { isRequested, REQUEST_CONTRACTS, type Strategy } from '../../strategy';
import type { StrategyRow } from '../../strategy-row';
import type { StrategyHolding, LendParameters, Preview, Protocol, ProtocolRead, Resolution } from '../protocol';
import { protocolRead } from '../protocol-read';
import { MAX_SHARE_DECIMALS, worthOfShares } from '../share-price';
import { lendProblem, trustedLimit } from '../vault-problems';
import { requestClaimCall, depositClaim, withdrawalClaim } from './claims';
import { INTERFACES, REQUEST_VAULT_ABI } from './erc7540-abi';
import { requestEvents } from './erc7540-events';
import { convertRead, requestsIn, type VaultHolding, vaultHolding, vaultOf, walletReads } from './held-requests';
import { vaultRequests } from './vault-requests';

/**
 * Vaults of ERC-7540, whose deposits, withdrawals or both are asynchronous: requested, fulfilled by the vault later, and claimed
 * then. A synchronous side is that of `sync`, the adapter of ERC-4626.
 */
export const createErc7540 = (sync: Protocol): Protocol => ({
  name: 'erc7540',
  resolution: (row) => ({
    kind: 'next',
    read: protocolRead(
      [
        contractRead({ address: row.market, abi: REQUEST_VAULT_ABI, functionName: 'asset' }),
        contractRead({ address: row.market, abi: REQUEST_VAULT_ABI, functionName: 'share' }),
        interfaceRead(row, INTERFACES.deposits),
        interfaceRead(row, INTERFACES.redemptions),
      ],
      ([asset, share = row.market, deposits = false, redemptions = false]) =>
        asset === undefined ? undefined : vaultResolution(row, { asset, share, deposits, redemptions }),
    ),
  }),
  market: (strategy) => {
    const { reads, decode } = sync.market(strategy);
    // The limit of an asynchronous side is what can be claimed.
    const isLimited = !isRequested(strategy, 'lend');
    return {
      reads,
      decode(results, block) {
        const state = decode(results, block);
        return state === undefined || isLimited ? state : { ...state, depositLimit: undefined, acceptsDeposits: true };
      },
    };
  },
  holding: (strategy, wallet) =>
    isRequested(strategy, 'withdraw') ? requestedHolding(strategy, wallet) : directHolding(sync, strategy, wallet),
  lendPreview: (strategy, request) =>
    isRequested(strategy, 'lend') ? depositClaim(strategy, request) : directLend(strategy, request),
  lend: (strategy, request) =>
    isRequested(strategy, 'lend')
      ? requestClaimCall(strategy, {
          functionName: 'deposit',
          args: [request.assets, request.receiver, request.wallet],
        })
      : sync.lend(strategy, request),
  withdrawPreview: (strategy, request) =>
    isRequested(strategy, 'withdraw') ? withdrawalClaim(strategy, request) : sync.withdrawPreview(strategy, request),
  withdraw(strategy, request, preview) {
    if (!isRequested(strategy, 'withdraw')) return sync.withdraw(strategy, request, preview);
    const { wallet, receiver, amount } = request;
    return amount.kind === 'assets'
      ? requestClaimCall(strategy, { functionName: 'withdraw', args: [amount.assets, receiver, wallet] })
      : requestClaimCall(strategy, { functionName: 'redeem', args: [preview.shares, receiver, wallet] });
  },
  requests: vaultRequests,
  explainRevert: (reason) => sync.explainRevert(reason),
  events: requestEvents(sync.events),
});

const interfaceRead = ({ market }: StrategyRow, id: (typeof INTERFACES)[keyof typeof INTERFACES]) =>
  contractRead({ address: market, abi: REQUEST_VAULT_ABI, functionName: 'supportsInterface', args: [id] });

interface VaultTraits {
  readonly asset: Address;
  /** The token of the shares: the vault itself, or another contract (ERC-7575). */
  readonly share: Address;
  readonly deposits: boolean;
  readonly redemptions: boolean;
}

function vaultResolution(row: StrategyRow, { asset, share, deposits, redemptions }: VaultTraits): Resolution {
  const { market } = row;
  if (!isSameAddress(asset, row.underlying))
    return { kind: 'refused', reason: `The vault ${market} has the asset ${asset} and not ${row.underlying}.` };
  if (!deposits && !redemptions)
    return {
      kind: 'refused',
      reason: `The vault ${market} states no interface of ERC-7540: use the protocol erc4626.`,
    };
  if (share === zeroAddress) return { kind: 'refused', reason: `The vault ${market} names no token of its shares.` };
  const contracts = {
    vault: market,
    ...(deposits ? { [REQUEST_CONTRACTS.lend]: market } : {}),
    ...(redemptions ? { [REQUEST_CONTRACTS.withdraw]: market } : {}),
  };
  const read = protocolRead(
    [contractRead({ address: share, abi: erc20Abi, functionName: 'decimals' })],
    ([decimals]): Resolution | undefined => {
      if (decimals === undefined) return undefined;
      if (decimals <= MAX_SHARE_DECIMALS) return { kind: 'resolved', contracts, receipt: share };
      const reason = `The shares ${share} have ${decimals} decimals; at most ${MAX_SHARE_DECIMALS} are supported.`;
      return { kind: 'refused', reason };
    },
  );
  return { kind: 'next', read };
}

/** Shares of a requested withdrawal stay in the position until their assets are claimed. */
const requestedHolding = (strategy: Strategy, wallet: Address): ProtocolRead<StrategyHolding> =>
  protocolRead(walletReads(strategy, wallet), (results) => {
    const held = vaultHolding(strategy, results);
    if (held === undefined) return undefined;
    const { balance, converted, requests, payable } = held;
    const { withdraw, claimableWithdraw } = requests;
    const invested = balance + withdraw.shares;
    const { assets } = claimableWithdraw;
    const { trustMax } = strategy.row;
    return {
      shares: invested + claimableWithdraw.shares,
      value: worthOfShares(invested, converted, strategy.receipt.decimals) + assets,
      receiptBalance: balance,
      availableToWithdraw: trustMax ? minBigInt(assets, payable ?? 0n) : assets,
      isAvailableTrusted: trustMax,
      debt: 0n,
      ...requestsOf(held),
    };
  });

function directHolding(sync: Protocol, strategy: Strategy, wallet: Address): ProtocolRead<StrategyHolding> {
  const direct = sync.holding(strategy, wallet);
  const own = walletReads(strategy, wallet);
  const { length } = direct.reads;
  return {
    reads: [...direct.reads, ...own],
    decode(results, block) {
      const holding = direct.decode(results.slice(0, length), block);
      const requested = protocolRead(own, (values) => vaultHolding(strategy, values));
      const held = requested.decode(results.slice(length), block);
      return holding === undefined || held === undefined ? undefined : { ...holding, ...requestsOf(held) };
    },
  };
}

function requestsOf(held: VaultHolding): Pick<StrategyHolding, 'requests'> {
  const requests = requestsIn(held);
  return requests === undefined ? {} : { requests };
}

/** A synchronous deposit, into a vault whose withdrawals are asynchronous: these have no preview. */
const directLend = (strategy: Strategy, { wallet, receiver, assets }: LendParameters): ProtocolRead<Preview> =>
  protocolRead(
    [
      contractRead({ ...vaultOf(strategy), functionName: 'previewDeposit', args: [assets] }),
      convertRead(strategy),
      contractRead({ ...vaultOf(strategy), functionName: 'maxDeposit', args: [receiver] }),
      contractRead({ address: strategy.row.underlying, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }),
    ],
    ([previewed, redeemed, maxDeposit, tokens]) => {
      if (tokens === undefined) return undefined;
      const limit = trustedLimit(strategy.row, maxDeposit);
      const problem = lendProblem(strategy, { assets, previewed, redeemed, limit, tokens });
      return { assets, shares: previewed ?? 0n, problem };
    },
  );
