import { encodeFunctionData, erc20Abi, type Hex, maxUint256, parseAbi } from 'viem';
import { sleep } from '../../../src/async/sleep';
import { COW, STOCK_CONTRACTS, STOCK_KEYS } from '../../stocks/stock-contracts';
import { ATTESTATION_SECONDS } from './issuer-routes';
import { type Market, priceOf, refusalOf } from './market';
import type { BookedOrder } from './order-book';
import { type Attestation, filledAmountOf, quoteTuple, type Side, type StockChain } from './stock-chain';

const QUOTE =
  'struct Quote { uint256 chainId; uint256 attestationId; bytes32 userId; address asset; uint256 price; uint256 quantity; uint256 expiration; uint8 side; bytes32 additionalData; }';
const manager = parseAbi([
  QUOTE,
  'function mintWithAttestation(Quote quote, bytes signature, address depositToken, uint256 depositTokenAmount) returns (uint256)',
  'function redeemWithAttestation(Quote quote, bytes signature, address receiveToken, uint256 minimumReceiveAmount) returns (uint256)',
]);
const settlement = parseAbi([
  'struct Trade { uint256 sellTokenIndex; uint256 buyTokenIndex; address receiver; uint256 sellAmount; uint256 buyAmount; uint32 validTo; bytes32 appData; uint256 feeAmount; uint256 flags; uint256 executedAmount; bytes signature; }',
  'struct Interaction { address target; uint256 value; bytes callData; }',
  'function settle(address[] tokens, uint256[] clearingPrices, Trade[] trades, Interaction[][3] interactions)',
]);

/** A sale of all or nothing from and to balances of tokens, signed by EIP-712. */
const PLAIN_SELL_ORDER = 0n;
const ONE = 10n ** 18n;

export interface SolverDeps {
  readonly chain: StockChain;
  readonly market: Market;
  readonly orders: ReadonlyMap<string, BookedOrder>;
  readonly nextId: () => bigint;
  readonly log: (line: string) => void;
}

/** Whether a trade buys the stock or sells it; `undefined` for other tokens. */
export function sideOf(
  { dollar }: Pick<StockChain, 'dollar'>,
  { sellToken, buyToken }: { readonly sellToken: string; readonly buyToken: string },
): Side | undefined {
  const { token } = STOCK_CONTRACTS;
  if (sellToken === dollar.address && buyToken === token) return 'BUY';
  return sellToken === token && buyToken === dollar.address ? 'SELL' : undefined;
}

/** What a sale brings at the price of the market, in base units; `undefined` while the issuer does not trade. */
export function outputOf(
  { dollar }: Pick<StockChain, 'dollar'>,
  market: Market,
  { side, sellAmount }: { readonly side: Side; readonly sellAmount: bigint },
): bigint | undefined {
  if (refusalOf(market, side) !== undefined) return undefined;
  const unit = 10n ** BigInt(18 - dollar.decimals);
  const price = priceOf(market);
  return side === 'BUY' ? (sellAmount * unit * ONE) / price : (sellAmount * price) / ONE / unit;
}

const POLL_MS = 200;
/** An order whose settlement failed is tried again after this time. */
const RETRY_MS = 3000;

/** Settles open orders, one after another, until it is stopped. */
export function startSolver(deps: SolverDeps): () => Promise<void> {
  const stopping = new AbortController();
  const notBefore = new Map<string, number>();
  const attempt = async (order: BookedOrder): Promise<void> => {
    if ((notBefore.get(order.uid) ?? 0) > Date.now()) return;
    try {
      await advance(deps, order);
    } catch (error) {
      notBefore.set(order.uid, Date.now() + RETRY_MS);
      deps.log(`the solver of CoW: order ${order.uid}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      for (const order of [...deps.orders.values()].filter(({ status }) => status === 'open')) await attempt(order);
      await sleep(POLL_MS, stopping.signal);
    }
  };
  const ended = run();
  return async () => {
    stopping.abort();
    await ended;
  };
}

async function advance(deps: SolverDeps, order: BookedOrder): Promise<void> {
  const { chain, market } = deps;
  const filled = await filledAmountOf(chain, order.uid);
  if (filled !== 0n) {
    order.status = filled === maxUint256 ? 'cancelled' : 'fulfilled';
    return;
  }
  if ((await chain.now()) > BigInt(order.validTo)) {
    order.status = 'expired';
    return;
  }
  const isEarly = market.solver === 'late' && Date.now() < order.createdAt.getTime() + market.lateMs;
  const side = sideOf(chain, order);
  if (market.solver === 'never' || isEarly || side === undefined) return;
  const output = outputOf(chain, market, { side, sellAmount: order.sellAmount });
  if (output === undefined || output < order.buyAmount) return;
  order.txHash = await settle(deps, order, { side, output });
  order.status = 'fulfilled';
  order.executedSellAmount = order.sellAmount;
  order.executedBuyAmount = output;
}

interface Fill {
  readonly side: Side;
  readonly output: bigint;
}

/** Mints or redeems between the two payments of the settlement, by an attestation of the issuer. */
async function settle({ chain, market, nextId }: SolverDeps, order: BookedOrder, fill: Fill): Promise<Hex> {
  const { sellToken, buyToken, receiver, sellAmount, buyAmount, validTo, appData, signature } = order;
  const { side, output } = fill;
  const attestation = await chain.attest({
    side,
    price: priceOf(market),
    quantity: side === 'BUY' ? output : sellAmount,
    expiration: (await chain.now()) + ATTESTATION_SECONDS,
    attestationId: nextId(),
  });
  const trade = {
    sellTokenIndex: 0n,
    buyTokenIndex: 1n,
    feeAmount: 0n,
    executedAmount: 0n,
    flags: PLAIN_SELL_ORDER,
    receiver,
    sellAmount,
    buyAmount,
    validTo,
    appData,
    signature,
  };
  const data = encodeFunctionData({
    abi: settlement,
    functionName: 'settle',
    // The price of each token is the amount of the other one.
    args: [[sellToken, buyToken], [output, sellAmount], [trade], [[], interactions(chain, attestation, fill), []]],
  });
  return chain.send(STOCK_KEYS.solver, COW.settlement, data);
}

function interactions(chain: StockChain, attestation: Attestation, { side, output }: Fill) {
  const quote = quoteTuple(chain, attestation);
  const { signature, price, quantity } = attestation;
  const to = (target: Hex, callData: Hex) => ({ target, value: 0n, callData });
  const { address: dollar, decimals } = chain.dollar;
  if (side === 'SELL') {
    const args = [quote, signature, dollar, output] as const;
    return [
      to(STOCK_CONTRACTS.manager, encodeFunctionData({ abi: manager, functionName: 'redeemWithAttestation', args })),
    ];
  }
  const unit = 10n ** BigInt(18 - decimals);
  const paid = ((quantity * price) / ONE + unit - 1n) / unit;
  const approval = [STOCK_CONTRACTS.manager, paid] as const;
  const args = [quote, signature, dollar, paid] as const;
  return [
    to(dollar, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: approval })),
    to(STOCK_CONTRACTS.manager, encodeFunctionData({ abi: manager, functionName: 'mintWithAttestation', args })),
  ];
}
