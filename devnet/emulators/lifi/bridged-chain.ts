import { type Address, createWalletClient, encodeFunctionData, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { ZERO_ADDRESS } from '../../../src/chains/addresses';
import { DevnetError } from '../../devnet-error';
import { LIFI_BRIDGED_TOKENS, LIFI_RELAYER_KEY } from '../../lifi/lifi-contracts';
import { openVenueChain, type VenueChain, type VenueChainOptions, type VenueToken } from '../local-venues/venue-chain';
import { diamondAbi } from './diamond';

export interface BridgedChainOptions extends VenueChainOptions {
  readonly slug: string;
  readonly lifi?: { readonly diamond: Address } | undefined;
}

/** What the relayer pays, and for which transfer. */
export interface Payment {
  readonly transferId: Hex;
  readonly receiver: Address;
  /** The zero address for the coin. */
  readonly token: Address;
  readonly amount: bigint;
}

export interface BridgedChain extends VenueChain {
  readonly slug: string;
  readonly diamond: Address;
  /** The token at an address; the zero address is the coin. */
  tokenAt(address: Address): VenueToken | undefined;
  tokenNamed(symbol: string): VenueToken | undefined;
  /** Pays from the relayer's balance. @throws DevnetError when it reverts */
  pay(payment: Payment): Promise<void>;
}

/** @throws DevnetError for a chain without the contract */
export function openBridgedChain(options: BridgedChainOptions): BridgedChain {
  const { slug, lifi, tokens, nativeCurrency, rpcUrl } = options;
  if (lifi === undefined) throw new DevnetError(`${slug} has no contract of LI.FI`);
  const venue = openVenueChain(options);
  const { diamond } = lifi;
  const account = privateKeyToAccount(LIFI_RELAYER_KEY);
  const wallet = createWalletClient({ account, transport: http(rpcUrl) });
  return {
    ...venue,
    slug,
    diamond,
    tokenAt: (address) =>
      address === ZERO_ADDRESS ? { address, ...nativeCurrency } : tokens.find((token) => token.address === address),
    tokenNamed: (symbol) => tokens.find((token) => token.symbol === symbol),
    async pay({ transferId, receiver, token, amount }) {
      const args = [transferId, receiver, token, amount] as const;
      const data = encodeFunctionData({ abi: diamondAbi, functionName: 'complete', args });
      const value = token === ZERO_ADDRESS ? amount : 0n;
      await venue.client.call({ account, to: diamond, data, value }); // fails with the reason, before gas is spent
      const hash = await wallet.sendTransaction({ to: diamond, data, value, chain: null });
      const receipt = await venue.client.waitForTransactionReceipt({ hash, timeout: 10_000 });
      if (receipt.status !== 'success') throw new DevnetError(`a payment of LI.FI's relayer reverted: ${hash}`);
    },
  };
}

export const isBridged = (symbol: string): boolean => LIFI_BRIDGED_TOKENS.some((bridged) => bridged === symbol);
