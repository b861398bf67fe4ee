import { erc20Abi, type Hex } from 'viem';
import { z } from 'zod';
import type { EmulatorResponse, EmulatorRoutes } from '../http-emulator';
import type { Market } from './market';
import { type BookedOrder, newOrder, orderBody, type PostedOrder, signerOf, uidOf } from './order-book';
import { outputOf, sideOf } from './solver';
import type { StockChain } from './stock-chain';

export interface CowDeps {
  readonly chain: StockChain;
  readonly market: Market;
  readonly orders: Map<string, BookedOrder>;
}

/** Shortest validity of a new order, in seconds. */
const MIN_VALIDITY = 60n;
/** CoW's VaultRelayer, the creation of the settlement, which takes the tokens sold. */
const VAULT_RELAYER = '0xC92E8bdf79f0507f65a392b0ab4667716BFE0110';

const quoteBody = z.object({
  sellToken: orderBody.shape.sellToken,
  buyToken: orderBody.shape.buyToken,
  from: orderBody.shape.from,
  receiver: orderBody.shape.receiver.nullish(),
  kind: z.literal('sell'),
  sellAmountBeforeFee: orderBody.shape.sellAmount,
  validTo: z.int().optional(),
});

/** CoW Protocol's order book. */
export const cowRoutes = (deps: CowDeps): EmulatorRoutes => ({
  'POST /api/v1/quote': ({ body }) => quote(deps, body),
  'POST /api/v1/orders': ({ body }) => post(deps, body),
  'GET /api/v1/orders/:uid': ({ parameters }) => {
    const order = deps.orders.get(String(parameters['uid']).toLowerCase());
    return order === undefined ? refusal(404, 'NotFound', 'Order was not found') : { body: orderView(order) };
  },
  'GET /api/v1/trades': ({ query }) => {
    const order = deps.orders.get((query.get('orderUid') ?? '').toLowerCase());
    return { body: order?.txHash === undefined ? [] : [tradeView(order, order.txHash)] };
  },
});

const refusal = (status: number, errorType: string, description: string): EmulatorResponse => ({
  status,
  body: { errorType, description },
});

function quote({ chain, market }: CowDeps, body: unknown): EmulatorResponse {
  const parsed = quoteBody.safeParse(body);
  if (!parsed.success) return refusal(400, 'InvalidQuote', z.prettifyError(parsed.error));
  const { sellToken, buyToken, from, receiver, sellAmountBeforeFee: sellAmount, validTo } = parsed.data;
  const side = sideOf(chain, { sellToken, buyToken });
  if (side === undefined) return refusal(404, 'NoLiquidity', 'no route found');
  if (market.solver === 'never') return refusal(404, 'NoLiquidity', 'no solver quotes the trade');
  const buyAmount = outputOf(chain, market, { side, sellAmount });
  if (buyAmount === undefined) return refusal(404, 'NoLiquidity', 'the market is closed');
  return {
    body: {
      quote: {
        sellToken,
        buyToken,
        receiver: receiver ?? from,
        sellAmount: sellAmount.toString(),
        buyAmount: buyAmount.toString(),
        validTo: validTo ?? Math.floor(Date.now() / 1000) + 1800,
        feeAmount: '0',
        kind: 'sell',
        partiallyFillable: false,
        sellTokenBalance: 'erc20',
        buyTokenBalance: 'erc20',
      },
      from,
      expiration: new Date(Date.now() + 120_000).toISOString(),
      id: Math.floor(Date.now() / 1000),
      verified: true,
    },
  };
}

async function post(deps: CowDeps, body: unknown): Promise<EmulatorResponse> {
  const { chain, orders, market } = deps;
  const parsed = orderBody.safeParse(body);
  if (!parsed.success) return refusal(400, 'InvalidOrder', z.prettifyError(parsed.error));
  if (!market.acceptsOrders) return refusal(503, 'ServiceUnavailable', 'no orders are accepted at present');
  const order = parsed.data;
  const problem = await problemOf(deps, order);
  if (problem !== undefined) return problem;
  const uid = uidOf(chain.chainId, order).toLowerCase() as Hex;
  if (orders.has(uid)) return refusal(400, 'DuplicatedOrder', 'order already exists');
  orders.set(uid, newOrder(uid, order));
  return { status: 201, body: uid };
}

async function problemOf({ chain }: CowDeps, order: PostedOrder): Promise<EmulatorResponse | undefined> {
  const { sellToken: address, from, sellAmount, validTo, feeAmount } = order;
  if (sideOf(chain, order) === undefined) return refusal(400, 'UnsupportedToken', 'a token is not supported');
  if (feeAmount !== 0n) return refusal(400, 'NonZeroFee', 'the fee must be zero');
  if (BigInt(validTo) < (await chain.now()) + MIN_VALIDITY)
    return refusal(400, 'InsufficientValidTo', 'validTo is not far enough in the future');
  if ((await signerOf(chain.chainId, order)) !== from) return refusal(400, 'WrongOwner', 'the signer is not the owner');
  const token = { address, abi: erc20Abi };
  const balance = await chain.client.readContract({ ...token, functionName: 'balanceOf', args: [from] });
  if (balance < sellAmount) return refusal(400, 'InsufficientBalance', 'the balance of the owner is too small');
  const args = [from, VAULT_RELAYER] as const;
  const allowance = await chain.client.readContract({ ...token, functionName: 'allowance', args });
  if (allowance < sellAmount) return refusal(400, 'InsufficientAllowance', 'the allowance is too small');
  return undefined;
}

const orderView = (order: BookedOrder): object => ({
  uid: order.uid,
  owner: order.from,
  sellToken: order.sellToken,
  buyToken: order.buyToken,
  receiver: order.receiver,
  sellAmount: order.sellAmount.toString(),
  buyAmount: order.buyAmount.toString(),
  validTo: order.validTo,
  appData: order.appData,
  feeAmount: '0',
  kind: order.kind,
  partiallyFillable: false,
  creationDate: order.createdAt.toISOString(),
  status: order.status,
  executedSellAmount: order.executedSellAmount.toString(),
  executedSellAmountBeforeFees: order.executedSellAmount.toString(),
  executedBuyAmount: order.executedBuyAmount.toString(),
  invalidated: order.status === 'cancelled',
  signingScheme: order.signingScheme,
  signature: order.signature,
});

const tradeView = (order: BookedOrder, txHash: Hex): object => ({
  orderUid: order.uid,
  owner: order.from,
  sellToken: order.sellToken,
  buyToken: order.buyToken,
  sellAmount: order.executedSellAmount.toString(),
  buyAmount: order.executedBuyAmount.toString(),
  txHash,
});
