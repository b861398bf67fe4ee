import { type Log, pad, toEventSelector } from 'viem';
import { isNativeToken, isSameAddress } from '../../chains/addresses';
import { MAX_BASE_UNITS } from '../../money/base-units';

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const WRAPPED = toEventSelector('Deposit(address,uint256)');
const UNWRAPPED = toEventSelector('Withdrawal(address,uint256)');
const ZERO_ADDRESS = pad('0x');
/**
 * Events of tokens of lending markets that grow: their Transfer to or from the zero address contains the interest since the
 * last one, `balanceIncrease`.
 *
 * @see https://aave.com/docs/developers/smart-contracts/tokenization
 */
const GROWN_AT_MINT = toEventSelector('Mint(address,address,uint256,uint256,uint256)');
const GROWN_AT_BURN = toEventSelector('Burn(address,address,uint256,uint256,uint256)');

/** Effects of a mined transaction or user operation. */
export interface TransactionEffects {
  /** Called account, and the native coin sent with the call, in wei. */
  readonly to: string | null;
  readonly value: bigint;
  readonly logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[];
}

/** The balance of a token in an account. */
export interface TokenOfOwner {
  readonly token: string;
  readonly owner: string;
  /** ERC-20 that wraps the native coin of the chain. */
  readonly wrappedNative: string | undefined;
}

/**
 * Base units that a transaction moved to the owner: the token's Transfer events to it minus those from it.
 *
 * The native coin emits no events. It is the value of a direct call to the owner, or else the unwrapped amount, because
 * routers pass all of it on. That is exact for the quoted venues and requires no trace.
 *
 * `undefined` when the events do not show an amount.
 */
export function amountReceived(effects: TransactionEffects, holding: TokenOfOwner): bigint | undefined {
  if (!isNativeToken(holding.token)) return positive(netTransfers(effects, holding));
  if (isSameAddress(effects.to, holding.owner)) return effects.value;
  return wrapperTotal(effects, holding, { event: UNWRAPPED, burnOrMint: 'to' });
}

/**
 * Base units that a transaction moved from the owner. For the native coin: the wrapped amount, because routers return the
 * rest, or else the value of the call. That is too little where a venue takes a fee in coin, see `readSpent`.
 *
 * `undefined` when the events do not show an amount.
 */
export function amountSpent(effects: TransactionEffects, holding: TokenOfOwner): bigint | undefined {
  if (!isNativeToken(holding.token)) return positive(-netTransfers(effects, holding));
  return amountWrapped(effects, holding) ?? positive(effects.value);
}

/**
 * The part of the coin sent with a call that was wrapped. `undefined` when none was, or more than was sent: a route may wrap
 * coin that it bought itself.
 */
export function amountWrapped(effects: TransactionEffects, holding: TokenOfOwner): bigint | undefined {
  const wrapped = wrapperTotal(effects, holding, { event: WRAPPED, burnOrMint: 'from' });
  const isPart = wrapped !== undefined && (effects.value === 0n || wrapped <= effects.value);
  return isPart ? wrapped : undefined;
}

/** The ERC-20 tokens, in lower case, that a transaction moved to the owner, in base units. */
export function arrivedTokens(
  effects: Pick<TransactionEffects, 'logs'>,
  owner: string,
): readonly { readonly token: string; readonly amount: bigint }[] {
  const tokens = new Set(effects.logs.map(({ address }) => address.toLowerCase()));
  return [...tokens].flatMap((token) => {
    const amount = positive(netTransfers(effects, { token, owner }));
    return amount === undefined ? [] : [{ token, amount }];
  });
}

/** More than any balance can hold: any contract may emit events with such a sum, and they show no amount. */
const isPossible = (amount: bigint): boolean => amount > 0n && amount <= MAX_BASE_UNITS;

const positive = (amount: bigint): bigint | undefined => (isPossible(amount) ? amount : undefined);

function netTransfers(
  effects: Pick<TransactionEffects, 'logs'>,
  { token, owner }: Omit<TokenOfOwner, 'wrappedNative'>,
): bigint {
  const party = pad(owner.toLowerCase() as `0x${string}`);
  const transferred = transfersOf(effects, token).reduce(
    (net, { from, to, amount }) => net + (to === party ? amount : 0n) - (from === party ? amount : 0n),
    0n,
  );
  return transferred - interestOf(effects, { token, party });
}

/** Interest that transfers of a lending market's token credited to the owner. The transaction did not move it. */
function interestOf(
  effects: Pick<TransactionEffects, 'logs'>,
  { token, party }: { readonly token: string; readonly party: string },
): bigint {
  return logsOf(effects, token)
    .filter(({ topics: [event, first, second] }) => {
      const owner = event === GROWN_AT_MINT ? second : first;
      return (event === GROWN_AT_MINT || event === GROWN_AT_BURN) && owner?.toLowerCase() === party;
    })
    .reduce((sum, { data }) => sum + amountIn(`0x${data.slice(SECOND_WORD)}`), 0n);
}

/** Where the second word of an event's data begins: after `0x` and 64 digits. */
const SECOND_WORD = 66;

function wrapperTotal(
  effects: TransactionEffects,
  { wrappedNative }: TokenOfOwner,
  { event, burnOrMint }: { readonly event: string; readonly burnOrMint: 'from' | 'to' },
): bigint | undefined {
  if (wrappedNative === undefined) return undefined;
  const total = logsOf(effects, wrappedNative)
    .filter((log) => log.topics[0] === event)
    .reduce((sum, log) => sum + amountIn(log.data), 0n);
  if (isPossible(total)) return total;
  // Bridged wrappers burn and mint without the two events of the original wrapper.
  const moved = transfersOf(effects, wrappedNative).filter((transfer) => transfer[burnOrMint] === ZERO_ADDRESS);
  return positive(moved.reduce((sum, { amount }) => sum + amount, 0n));
}

const logsOf = ({ logs }: Pick<TransactionEffects, 'logs'>, token: string) =>
  logs.filter((log) => isSameAddress(log.address, token));

const transfersOf = (effects: Pick<TransactionEffects, 'logs'>, token: string) =>
  logsOf(effects, token)
    .filter((log) => log.topics[0] === TRANSFER && log.topics.length === 3)
    .map((log) => ({
      from: log.topics[1]?.toLowerCase(),
      to: log.topics[2]?.toLowerCase(),
      amount: amountIn(log.data),
    }));

/** The first word of the event's data; 0 for malformed data, because any contract may emit the event. */
const amountIn = (data: string): bigint => (/^0x[0-9a-fA-F]{64}/.test(data) ? BigInt(data.slice(0, 66)) : 0n);
