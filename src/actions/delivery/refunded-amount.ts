import { z } from 'zod';
import { parseAddress } from '../../chains/addresses';
import { FIAT_CHAIN_ID } from '../../chains/chain';
import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import { toUsd } from '../../money/usd';
import type { Prisma } from '../../persistence/client/client';
import type { DeliveryState } from '../../venues/delivery-source';
import type { Token } from '../../tokens/token';
import type { DeliveryDeps } from './delivery-deps';
import type { Transfer } from './transfer-action';

/** What a transaction was seen to bring back, and to whom. */
export interface SeenReturn {
  readonly token: string;
  /** Of all transfers of that wallet. */
  readonly amount: bigint;
  readonly owner: string;
}

/** What came back for an action, as it is told of it. */
export interface CameBack {
  readonly token: Omit<Token, 'chainId'>;
  readonly amount: BaseUnits;
  /** Who has it: a wallet; `undefined` of a payment to the bank that the money came from. */
  readonly owner: string | undefined;
  /** Decimal text; `undefined` when there was no price. */
  readonly amountInUsd: string | undefined;
}

export interface ReturnQuestion {
  readonly transfer: Transfer;
  readonly state: Extract<DeliveryState, { readonly status: 'refunded' }>;
  /** `undefined` where nobody here reads the chain, or it was paid to a bank. */
  readonly seen: SeenReturn | undefined;
}

/**
 * What came back for an action: of what a transaction brought no more than the provider claims for it, and of what was sold
 * no more than was sold. What is given back of a payment from a bank is all of it: ramps take exact amounts.
 *
 * `undefined` when nobody tells. @throws PROVIDER_UNAVAILABLE when a chain had to be asked and could not be
 */
export async function cameBackOf(deps: DeliveryDeps, question: ReturnQuestion): Promise<CameBack | undefined> {
  const sold = await soldBy(deps, question.transfer.actionId);
  const amount = amountOf(question, sold);
  const found = amount === undefined ? undefined : await tokenOf(deps, question, sold);
  if (amount === undefined || found === undefined) return undefined;
  const { address, symbol, name, decimals, logoURI } = found;
  const token = { address, symbol, name, decimals, logoURI };
  const amountInUsd = isOfSold(question) ? shareOf(sold, amount) : await worthOf(deps, found, amount);
  return { token, amount, owner: ownerOf(question), amountInUsd };
}

/** True where the money came from. */
const isAtHome = ({ transfer, state }: ReturnQuestion): boolean => state.chainId === transfer.chainIdIn;

/** True of what was sold, wrapped or not. */
const isOfSold = (question: ReturnQuestion): boolean => isAtHome(question) && question.state.token === undefined;

function amountOf(question: ReturnQuestion, { amountIn }: Sold): BaseUnits | undefined {
  const { state, seen } = question;
  const isPaidBack = state.chainId === FIAT_CHAIN_ID ? amountIn : undefined;
  // Of an unnamed token on another chain the provider's units are not known.
  const isNamed = isAtHome(question) || state.token !== undefined;
  const told = isNamed ? (state.amount ?? isPaidBack) : undefined;
  const bounds = [seen?.amount, told].filter((bound) => bound !== undefined);
  if (bounds.length === 0) return undefined;
  return toBaseUnits([...bounds, ...(isOfSold(question) ? [amountIn] : [])].reduce((a, b) => (b < a ? b : a)));
}

function ownerOf({ transfer, state, seen }: ReturnQuestion): string | undefined {
  if (state.chainId === FIAT_CHAIN_ID) return undefined;
  return seen?.owner ?? transfer.refundAddress ?? transfer.originAddress;
}

const storedToken = z.object({
  chainId: z.number(),
  address: z.string(),
  symbol: z.string(),
  name: z.string(),
  decimals: z.int(),
  logoURI: z.string().optional(),
});

interface Sold {
  readonly tokenIn: Token;
  readonly amountIn: bigint;
  readonly amountInUsd: Prisma.Decimal | null;
}

async function soldBy({ database }: DeliveryDeps, actionId: string): Promise<Sold> {
  const { tokenIn, amountIn, amountInUsd } = await database.action.findUniqueOrThrow({
    where: { id: actionId },
    select: { tokenIn: true, amountIn: true, amountInUsd: true },
  });
  const token = storedToken.parse(tokenIn);
  return { tokenIn: { ...token, logoURI: token.logoURI }, amountIn: BigInt(amountIn.toFixed(0)), amountInUsd };
}

async function tokenOf(deps: DeliveryDeps, question: ReturnQuestion, { tokenIn }: Sold): Promise<Token | undefined> {
  const { state, seen } = question;
  const address = seen?.token ?? state.token ?? (isAtHome(question) ? tokenIn.address : undefined);
  const chain = deps.chains.byId(state.chainId);
  if (address === undefined || chain === undefined) return undefined;
  const canonical = parseAddress(chain.kind, address) ?? address;
  const isSold = isAtHome(question) && canonical.toLowerCase() === tokenIn.address.toLowerCase();
  return isSold ? tokenIn : deps.tokens.find(chain, canonical);
}

/** As `amounts` are valued: by the price of the quote. */
function shareOf({ amountIn, amountInUsd }: Sold, amount: bigint): string | undefined {
  if (amountInUsd === null || amountIn === 0n) return undefined;
  return amountInUsd.mul(amount.toString()).div(amountIn.toString()).toDecimalPlaces(6).toFixed();
}

/** What was sold is worth what it was at the quote; of other tokens the price is read. */
async function worthOf({ prices }: DeliveryDeps, token: Token, amount: bigint): Promise<string | undefined> {
  const price = await prices.priceUsd(token).catch(() => undefined);
  if (price === undefined) return undefined;
  const text = toUsd(amount, token.decimals, price.usd).toFixed(6);
  return text.length > MOST_DIGITS ? undefined : text.replace(/\.?0+$/, '');
}

/** Dollars of a sum that says nothing any more: amounts go up to 2^256. */
const MOST_DIGITS = 25;
