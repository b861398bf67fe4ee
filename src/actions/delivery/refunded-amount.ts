import { isSameAddress, parseAddress } from '../../chains/addresses';
import { FIAT_CHAIN_ID } from '../../chains/chain';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import { formatUsd, type MicroUsd, plausibleUsd, toMicroUsd, usdValue } from '../../money/usd';
import { usdOfColumn } from '../../persistence/usd-column';
import type { Token } from '../../tokens/token';
import type { DeliveryState } from '../../venues/delivery-source';
import { parseTerms, storedToken } from '../amounts/transfer-terms';
import type { DeliveryDeps } from './delivery-deps';
import type { TransferAction } from './transfer-action';

/** Tokens that a transaction returned to a wallet, for all transfers of that wallet together. Base units. */
export interface ReturnedTokens {
  readonly token: string;
  readonly amount: bigint;
  readonly owner: string;
}

/** The refund of one action. */
export interface RefundedAmount {
  readonly token: Omit<Token, 'chainId'>;
  readonly amount: BaseUnits;
  /** Wallet that received the refund; `undefined` for a payment to a bank account. */
  readonly owner: string | undefined;
  /** Exact decimal, rounded down to a millionth; `undefined` without a price. */
  readonly amountInUsd: string | undefined;
}

export interface ReportedRefund {
  readonly transfer: TransferAction;
  readonly state: Extract<DeliveryState, { readonly status: 'refunded' }>;
  /** `undefined` on a chain that the service does not read, and for a payment to a bank account. */
  readonly returned: ReturnedTokens | undefined;
}

/**
 * The part of a refund that belongs to the action: at most the amount that the provider reports and, for the sold token,
 * at most the amount that was sold. A bank payment is refunded whole, because ramps accept exact amounts only.
 *
 * `undefined` when neither the provider nor the chain states an amount. @throws PROVIDER_UNAVAILABLE
 */
export async function readRefundedAmount(
  deps: DeliveryDeps,
  refund: ReportedRefund,
): Promise<RefundedAmount | undefined> {
  const sold = await readSold(deps, refund.transfer.actionId);
  const amount = amountOf(refund, sold);
  const found = amount === undefined ? undefined : await findToken(deps, refund, sold);
  if (amount === undefined || found === undefined) return undefined;
  const { address, symbol, name, decimals, logoURI } = found;
  const token = { address, symbol, name, decimals, logoURI };
  const usd = isSoldToken(refund) ? quotedValue(sold, amount) : await marketValue(deps, found, amount);
  return { token, amount, owner: ownerOf(refund), amountInUsd: usd === undefined ? undefined : formatUsd(usd) };
}

const isOnOriginChain = ({ transfer, state }: ReportedRefund): boolean => state.chainId === transfer.chainIdIn;

/** True for the sold token, wrapped or not. */
const isSoldToken = (refund: ReportedRefund): boolean => isOnOriginChain(refund) && refund.state.token === undefined;

function amountOf(refund: ReportedRefund, { amountIn }: SoldAmount): BaseUnits | undefined {
  const { state, returned } = refund;
  const bankRefund = state.chainId === FIAT_CHAIN_ID ? amountIn : undefined;
  // The units of an unnamed token on another chain are unknown.
  const isNamed = isOnOriginChain(refund) || state.token !== undefined;
  const reported = isNamed ? (state.amount ?? bankRefund) : undefined;
  const bounds = [returned?.amount, reported].filter((bound) => bound !== undefined);
  if (bounds.length === 0) return undefined;
  return toBaseUnits([...bounds, ...(isSoldToken(refund) ? [amountIn] : [])].reduce((a, b) => (b < a ? b : a)));
}

function ownerOf({ transfer, state, returned }: ReportedRefund): string | undefined {
  if (state.chainId === FIAT_CHAIN_ID) return undefined;
  return returned?.owner ?? transfer.refundAddress ?? transfer.originAddress;
}

/** The tokens that the provider took. */
interface SoldAmount {
  readonly tokenIn: Token;
  readonly amountIn: bigint;
  readonly amountInUsd: MicroUsd | undefined;
}

async function readSold({ database }: DeliveryDeps, actionId: string): Promise<SoldAmount> {
  const { tokenIn, amountIn, amountInUsd, delivery } = await database.action.findUniqueOrThrow({
    where: { id: actionId },
    select: { tokenIn: true, amountIn: true, amountInUsd: true, delivery: { select: { terms: true } } },
  });
  const terms = parseTerms(delivery?.terms);
  if (terms !== undefined) return terms;
  return {
    tokenIn: storedToken.parse(tokenIn),
    amountIn: BigInt(amountIn.toFixed(0)),
    amountInUsd: usdOfColumn(amountInUsd),
  };
}

async function findToken(
  deps: DeliveryDeps,
  refund: ReportedRefund,
  { tokenIn }: SoldAmount,
): Promise<Token | undefined> {
  const { state, returned } = refund;
  const address = returned?.token ?? state.token ?? (isOnOriginChain(refund) ? tokenIn.address : undefined);
  const chain = deps.chains.byId(state.chainId);
  if (address === undefined || chain === undefined) return undefined;
  const canonical = parseAddress(chain.kind, address) ?? address;
  const isSold = isOnOriginChain(refund) && isSameAddress(canonical, tokenIn.address);
  return isSold ? tokenIn : deps.tokens.find(chain, canonical);
}

/** Value at the price of the quote, as for `amounts` of an action, rounded down. */
function quotedValue({ amountIn, amountInUsd }: SoldAmount, amount: bigint): MicroUsd | undefined {
  if (amountInUsd === undefined || amountIn === 0n) return undefined;
  return toMicroUsd((amountInUsd * amount) / amountIn);
}

/** Value at the present price, rounded down. */
async function marketValue({ prices }: DeliveryDeps, token: Token, amount: bigint): Promise<MicroUsd | undefined> {
  const price = await prices.priceUsd(token).catch(() => undefined);
  return price && plausibleUsd(usdValue(amount, token.decimals, price.usd));
}
