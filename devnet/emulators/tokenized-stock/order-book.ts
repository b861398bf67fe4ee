import {
  type Address,
  concatHex,
  getAddress,
  hashTypedData,
  type Hex,
  numberToHex,
  recoverTypedDataAddress,
} from 'viem';
import { z } from 'zod';
import { COW } from '../../stocks/stock-contracts';

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => getAddress(text));
const amount = z
  .string()
  .regex(/^[0-9]{1,78}$/)
  .transform(BigInt);
const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text as Hex);

/** An order as it is posted to CoW Protocol's order book. */
export const orderBody = z.object({
  sellToken: address,
  buyToken: address,
  receiver: address,
  sellAmount: amount,
  buyAmount: amount,
  validTo: z.int().min(0).max(0xffff_ffff),
  appData: hex,
  feeAmount: amount,
  kind: z.literal('sell'),
  partiallyFillable: z.literal(false),
  sellTokenBalance: z.literal('erc20'),
  buyTokenBalance: z.literal('erc20'),
  signingScheme: z.literal('eip712'),
  signature: hex,
  from: address,
  quoteId: z.int().nullish(),
});
export type PostedOrder = z.infer<typeof orderBody>;

export interface BookedOrder extends PostedOrder {
  readonly uid: Hex;
  readonly createdAt: Date;
  status: 'open' | 'fulfilled' | 'cancelled' | 'expired';
  executedSellAmount: bigint;
  executedBuyAmount: bigint;
  txHash: Hex | undefined;
}

const orderTypes = {
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

const typedOrder = (chainId: number, order: PostedOrder) => ({
  domain: { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract: COW.settlement },
  types: orderTypes,
  primaryType: 'Order' as const,
  message: order,
});

/** The account that signed an order. */
export const signerOf = (chainId: number, order: PostedOrder): Promise<Address> =>
  recoverTypedDataAddress({ ...typedOrder(chainId, order), signature: order.signature });

/** Id of an order: digest, owner and last second of its validity. */
export const uidOf = (chainId: number, order: PostedOrder): Hex =>
  concatHex([hashTypedData(typedOrder(chainId, order)), order.from, numberToHex(order.validTo, { size: 4 })]);

export const newOrder = (uid: Hex, order: PostedOrder): BookedOrder => ({
  ...order,
  uid,
  createdAt: new Date(),
  status: 'open',
  executedSellAmount: 0n,
  executedBuyAmount: 0n,
  txHash: undefined,
});
