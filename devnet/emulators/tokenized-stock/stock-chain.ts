import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  type PublicClient,
} from 'viem';
import { privateKeyToAccount, signTypedData } from 'viem/accounts';
import { DevnetError } from '../../devnet-error';
import { COW, SOLVER_USER_ID, STOCK, STOCK_CONTRACTS, STOCK_KEYS } from '../../stocks/stock-contracts';

export interface StockChainOptions {
  readonly chainId: number;
  readonly rpcUrl: string;
  /** The dollar token that buys stocks. */
  readonly dollar: { readonly address: Address; readonly decimals: number };
}

/** A price that the issuer has signed. */
export interface Attestation {
  readonly attestationId: bigint;
  /** Dollars for one token, with 18 decimals. */
  readonly price: bigint;
  /** Tokens with 18 decimals. */
  readonly quantity: bigint;
  /** Unix seconds. */
  readonly expiration: bigint;
  readonly side: Side;
  readonly signature: Hex;
}
export type Side = 'BUY' | 'SELL';

export interface StockChain extends StockChainOptions {
  readonly client: PublicClient;
  /** Sends a call and waits for its receipt. @throws DevnetError when it reverts, before it is sent if possible */
  send(key: Hex, to: Address, data: Hex): Promise<Hex>;
  /** Time of the newest block, in Unix seconds. */
  now(): Promise<bigint>;
  attest(terms: Omit<Attestation, 'signature'>): Promise<Attestation>;
  /** Writes a price in dollars with 18 decimals to the price feed. */
  publishPrice(price: bigint): Promise<void>;
}

const feed = parseAbi(['function setRound(int256 price, uint256 startedAt, uint256 updatedAt)']);

export const quoteTypes = {
  Quote: [
    { name: 'chainId', type: 'uint256' },
    { name: 'attestationId', type: 'uint256' },
    { name: 'userId', type: 'bytes32' },
    { name: 'asset', type: 'address' },
    { name: 'price', type: 'uint256' },
    { name: 'quantity', type: 'uint256' },
    { name: 'expiration', type: 'uint256' },
    { name: 'side', type: 'uint8' },
    { name: 'additionalData', type: 'bytes32' },
  ],
} as const;

/** An attestation as the manager of the tokens takes it. */
export const quoteTuple = (
  { chainId }: Pick<StockChainOptions, 'chainId'>,
  { attestationId, price, quantity, expiration, side }: Omit<Attestation, 'signature'>,
) => ({
  chainId: BigInt(chainId),
  attestationId,
  userId: SOLVER_USER_ID,
  asset: STOCK_CONTRACTS.token,
  price,
  quantity,
  expiration,
  side: side === 'BUY' ? 0 : 1,
  additionalData: NO_DATA,
});
const NO_DATA: Hex = `0x${'0'.repeat(64)}`;

export function openStockChain(options: StockChainOptions): StockChain {
  const transport = http(options.rpcUrl);
  const client: PublicClient = createPublicClient({ transport, pollingInterval: 20, cacheTime: 0 });
  const send: StockChain['send'] = async (key, to, data) => {
    const account = privateKeyToAccount(key);
    await client.call({ account, to, data }); // fails with the reason, before gas is spent
    const hash = await createWalletClient({ account, transport }).sendTransaction({ to, data, chain: null });
    const receipt = await client.waitForTransactionReceipt({ hash, timeout: 10_000 });
    if (receipt.status !== 'success') throw new DevnetError(`a transaction of the stock emulator reverted: ${hash}`);
    return hash;
  };
  return {
    ...options,
    client,
    send,
    now: async () => (await client.getBlock()).timestamp,
    async attest(terms) {
      const signature = await signTypedData({
        privateKey: STOCK_KEYS.attester,
        domain: {
          name: 'OndoGMTokenManager',
          version: '1',
          chainId: options.chainId,
          verifyingContract: STOCK_CONTRACTS.manager,
        },
        types: quoteTypes,
        primaryType: 'Quote',
        message: quoteTuple(options, terms),
      });
      return { ...terms, signature };
    },
    async publishPrice(price) {
      const rounded = price / 10n ** BigInt(18 - STOCK.feedDecimals);
      const data = encodeFunctionData({ abi: feed, functionName: 'setRound', args: [rounded, 0n, 0n] });
      await send(STOCK_KEYS.feeder, STOCK_CONTRACTS.priceFeed, data);
    },
  };
}

/** The filled amount of an order, in the token sold; the largest integer for an order that was invalidated. */
export const filledAmountOf = ({ client }: Pick<StockChain, 'client'>, uid: Hex): Promise<bigint> =>
  client.readContract({
    address: COW.settlement,
    abi: parseAbi(['function filledAmount(bytes orderUid) view returns (uint256)']),
    functionName: 'filledAmount',
    args: [uid],
  });
