import { type Address, encodeFunctionData } from 'viem';
import { divideUp } from '../../../money/divide-up';
import type { Strategy } from '../../strategy';
import { notClaimable, tooSmall } from '../problems';
import type {
  LendParameters,
  Preview,
  ProtocolCall,
  ProtocolRead,
  RequestedAmount,
  WithdrawParameters,
} from '../protocol';
import { protocolRead } from '../protocol-read';
import { REQUEST_VAULT_ABI } from './erc7540-abi';
import { vaultHolding, walletReads } from './held-requests';

/** The claim of a fulfilled deposit: its shares, which the vault keeps for the wallet. */
export const depositClaim = (strategy: Strategy, { wallet, assets }: LendParameters): ProtocolRead<Preview> =>
  protocolRead(walletReads(strategy, wallet), (results) => {
    const requests = vaultHolding(strategy, results)?.requests;
    if (requests === undefined) return undefined;
    const { lend, claimableLend } = requests;
    const parts = { claimable: claimableLend.assets, pending: lend.assets };
    const shares = parts.claimable === 0n ? 0n : (claimableLend.shares * assets) / parts.claimable;
    const problem = notClaimable(strategy, { side: 'lend', amount: assets }, parts) ?? problemOf(shares);
    return { assets, shares, isClaim: true, problem };
  });

/** The claim of a fulfilled withdrawal: its assets. */
export const withdrawalClaim = (strategy: Strategy, { wallet, amount }: WithdrawParameters): ProtocolRead<Preview> =>
  protocolRead(walletReads(strategy, wallet), (results) => {
    const requests = vaultHolding(strategy, results)?.requests;
    if (requests === undefined) return undefined;
    const { withdraw, claimableWithdraw } = requests;
    const { assets, shares } = claimedAmounts(amount, claimableWithdraw);
    const parts = { claimable: claimableWithdraw.assets, pending: withdraw.assets };
    const isWhole = amount.kind === 'all' || shares === claimableWithdraw.shares;
    const excess = shares > claimableWithdraw.shares ? parts.claimable + 1n : assets;
    const problem = notClaimable(strategy, { side: 'withdraw', amount: excess }, parts) ?? problemOf(assets);
    return { assets, shares, isWhole, isClaim: true, problem };
  });

const problemOf = (given: bigint) => (given === 0n ? tooSmall('The amount is too small to be claimed.') : undefined);

/** Both in the proportion of what can be claimed, shares rounded up as the vault does. */
function claimedAmounts(amount: WithdrawParameters['amount'], claimable: RequestedAmount): RequestedAmount {
  switch (amount.kind) {
    case 'all':
      return claimable;
    case 'shares': {
      const { shares } = amount;
      return { shares, assets: claimable.shares === 0n ? 0n : (claimable.assets * shares) / claimable.shares };
    }
    case 'assets': {
      const { assets } = amount;
      return { assets, shares: claimable.assets === 0n ? 0n : divideUp(claimable.shares * assets, claimable.assets) };
    }
  }
}

/** Takes nothing from the wallet: what the claim costs was transferred to the vault with the request. */
export const requestClaimCall = (
  { row }: Strategy,
  call: {
    readonly functionName: 'deposit' | 'withdraw' | 'redeem';
    readonly args: readonly [amount: bigint, receiver: Address, controller: Address];
  },
): ProtocolCall => ({
  to: row.market,
  data: encodeFunctionData({ abi: REQUEST_VAULT_ABI, ...call }),
  value: 0n,
  allowance: undefined,
});
