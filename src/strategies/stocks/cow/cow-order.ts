import { type Address, concatHex, hashTypedData, type Hex, numberToHex, zeroHash } from 'viem';
import { COW_SETTLEMENT } from '../../cow-settlement';
import type { StockOrder } from '../stock-order';

/**
 * What takes the tokens that orders of CoW Protocol sell, at the same address on every network.
 *
 * @see https://docs.cow.fi/cow-protocol/reference/contracts/core
 */
export const COW_VAULT_RELAYER: Address = '0xC92E8bdf79f0507f65a392b0ab4667716BFE0110';

const ORDER_TYPES = {
  Order: [
    { name: 'sellToken', type: 'address' },
    { name: 'buyToken', type: 'address' },
    { name: 'receiver', type: 'address' },
    { name: 'sellAmount', type: 'uint256' },
    { name: 'buyAmount', type: 'uint256' },
    { name: 'validTo', type: 'uint32' },
    { name: 'appData', type: 'bytes32' },
    { name: 'feeAmount', type: 'uint256' },
    { name: 'kind', type: 'string' },
    { name: 'partiallyFillable', type: 'bool' },
    { name: 'sellTokenBalance', type: 'string' },
    { name: 'buyTokenBalance', type: 'string' },
  ],
} as const;

const secondsOf = (date: Date): number => Math.trunc(date.getTime() / 1000);

/** The order as its wallet signs it: a sale of all or nothing, without a fee. */
export const cowOrder = ({ sellToken, buyToken, receiver, sellAmount, buyAmount, validTo }: OrderTerms) => ({
  sellToken,
  buyToken,
  receiver,
  sellAmount,
  buyAmount,
  validTo: secondsOf(validTo),
  appData: zeroHash,
  feeAmount: 0n,
  kind: 'sell',
  partiallyFillable: false,
  sellTokenBalance: 'erc20',
  buyTokenBalance: 'erc20',
});

type OrderTerms = Pick<StockOrder, 'sellToken' | 'buyToken' | 'receiver' | 'sellAmount' | 'buyAmount' | 'validTo'>;

/** EIP-712 data of an order. */
export const typedOrder = (order: OrderTerms & Pick<StockOrder, 'chainId'>) => ({
  domain: { name: 'Gnosis Protocol', version: 'v2', chainId: order.chainId, verifyingContract: COW_SETTLEMENT },
  types: ORDER_TYPES,
  primaryType: 'Order' as const,
  message: cowOrder(order),
});

/** Id of an order: its digest, its owner, and the last second of its validity. */
export const orderUidOf = (order: OrderTerms & Pick<StockOrder, 'chainId' | 'orderWallet'>): Hex =>
  concatHex([
    hashTypedData(typedOrder(order)),
    order.orderWallet,
    numberToHex(secondsOf(order.validTo), { size: 4 }),
  ]).toLowerCase() as Hex;
