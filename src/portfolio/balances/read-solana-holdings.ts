import { WRAPPED_SOL } from '../../chains/addresses';
import type { Chain } from '../../chains/chain';
import { serviceError } from '../../errors/service-error';
import type { BlockHead } from '../../rpc/block-reads/block-head';
import type { OwnedTokens } from '../../rpc/solana/owned-tokens';
import type { SolanaRpc } from '../../rpc/solana/solana-rpc';
import type { ChainCalls } from './chain-calls';
import { type Holding, heldAmount, unreadableHolding, type WalletHoldings, type WalletTokenRequest } from './holding';

/** Mints of one wallet that one request returns. */
const MAX_MINTS = 2000;
/** Slots that token accounts may be behind SOL. Those of a node that is further behind are not current balances. */
const MAX_LAG_SLOTS = 150n;
/** Upper bound of the time of a slot, which is about 0.4 seconds: the block must not be later than the balances. */
const SECONDS_PER_SLOT = 1n;

/** Reads SOL, and the accounts of both token programs, of wallets on one Solana chain. */
export interface SolanaSource {
  readonly solana: Pick<SolanaRpc, 'walletLamports' | 'ownedTokensOfEach'>;
  readonly chain: Chain;
  readonly calls: ChainCalls;
}

/**
 * Holdings by wallet. A wallet whose token accounts cannot be read, are too many, or are far behind, has its SOL only, and is
 * truncated. The block is the earliest slot of the calls, with a time that is not later: no balance is older.
 *
 * @throws PROVIDER_UNAVAILABLE when the chain does not respond
 */
export async function readSolanaHoldings(
  { solana, chain: { chainId, slug }, calls }: SolanaSource,
  wallets: readonly WalletTokenRequest[],
): Promise<ReadonlyMap<string, WalletHoldings>> {
  const addresses = wallets.map(({ address }) => address);
  const [{ clock, lamports }, owned] = await Promise.all([
    calls.required((signal) => solana.walletLamports(chainId, addresses, signal)),
    calls.optional((signal) => solana.ownedTokensOfEach(chainId, addresses, signal)),
  ]);
  if (clock === undefined) {
    throw serviceError('PROVIDER_UNAVAILABLE', { provider: `${slug} RPC`, reason: 'its clock could not be read' });
  }
  const head: BlockHead = { number: clock.slot, timestamp: clock.unixSeconds };
  const byWallet = wallets.map(({ address, tokens }, index) => {
    const sol = solOf(lamports[index]);
    const read = owned?.[index];
    if (read?.status !== 'fulfilled' || read.value.slot + MAX_LAG_SLOTS < head.number) {
      const unread = tokens.map((token) => unreadableHolding(token, 'NOT_READ'));
      return [address, { block: head, holdings: [sol, ...unread], isTruncated: true }] as const;
    }
    const held = sumOfMints(read.value, tokens);
    const isTruncated = held.length > MAX_MINTS;
    return [
      address,
      { block: notLaterThan(head, read.value.slot), holdings: [sol, ...held.slice(0, MAX_MINTS)], isTruncated },
    ] as const;
  });
  return new Map(byWallet);
}

function notLaterThan({ number, timestamp }: BlockHead, slot: bigint): BlockHead {
  const lag = slot < number ? number - slot : 0n;
  return { number: number - lag, timestamp: timestamp - lag * SECONDS_PER_SLOT };
}

const solOf = (lamports: bigint | undefined): Holding =>
  lamports === undefined
    ? unreadableHolding(WRAPPED_SOL, 'INVALID_DATA', true)
    : heldAmount(WRAPPED_SOL, lamports, { isNative: true });

/** One holding for each mint: the requested tokens first, with 0 where the wallet has no account. */
function sumOfMints({ holdings }: OwnedTokens, tokens: readonly string[]): readonly Holding[] {
  const sums = new Map<string, Holding>(tokens.map((token) => [token, heldAmount(token, 0n)]));
  for (const { mint, amount, decimals } of holdings) {
    const sum = sums.get(mint)?.amount ?? 0n;
    sums.set(mint, heldAmount(mint, sum + amount, { decimals }));
  }
  return [...sums.values()];
}
