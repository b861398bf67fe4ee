import { type Log, pad, toEventSelector } from 'viem';
import { isNativeToken, isSameAddress } from '../../chains/addresses';

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const WRAPPED = toEventSelector('Deposit(address,uint256)');
const UNWRAPPED = toEventSelector('Withdrawal(address,uint256)');
const NOBODY = pad('0x');

/** A transaction as it was carried out. */
export interface CarriedOut {
  /** Called account, and native coin sent along in wei. */
  readonly to: string | null;
  readonly value: bigint;
  readonly logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[];
}

/** A token and whose balance of it is in question. */
export interface Holding {
  readonly token: string;
  readonly owner: string;
  /** ERC-20 that wraps the native coin of the chain. */
  readonly wrappedNative: string | undefined;
}

/**
 * What a transaction really brought to the owner, in base units: the token's Transfer events to it less those from it.
 *
 * The native coin leaves no events. It is read from the transaction itself when it went straight to the owner, else
 * from what was unwrapped: routers send on all of it. Exact for the venues that are quoted, and no node needs to
 * trace for it.
 *
 * `undefined` when the events do not tell.
 */
export function amountReceived(carriedOut: CarriedOut, holding: Holding): bigint | undefined {
  if (!isNativeToken(holding.token)) return positive(netTransfers(carriedOut, holding));
  if (isSameAddress(carriedOut.to, holding.owner)) return carriedOut.value;
  return wrapperTotal(carriedOut, holding, { event: UNWRAPPED, burnOrMint: 'to' });
}

/**
 * What a transaction really took from the owner, in base units; the native coin by what was wrapped, because routers
 * give the rest back, else by what was sent along.
 *
 * `undefined` when the events do not tell.
 */
export function amountSpent(carriedOut: CarriedOut, holding: Holding): bigint | undefined {
  if (!isNativeToken(holding.token)) return positive(-netTransfers(carriedOut, holding));
  return wrapperTotal(carriedOut, holding, { event: WRAPPED, burnOrMint: 'from' }) ?? positive(carriedOut.value);
}

/** Every ERC-20, in lower case, of which a transaction brought something to the owner, in base units. */
export function arrivedTokens(
  carriedOut: Pick<CarriedOut, 'logs'>,
  owner: string,
): readonly { readonly token: string; readonly amount: bigint }[] {
  const tokens = new Set(carriedOut.logs.map(({ address }) => address.toLowerCase()));
  return [...tokens].flatMap((token) => {
    const amount = positive(netTransfers(carriedOut, { token, owner }));
    return amount === undefined ? [] : [{ token, amount }];
  });
}

const positive = (amount: bigint): bigint | undefined => (amount > 0n ? amount : undefined);

function netTransfers(carriedOut: Pick<CarriedOut, 'logs'>, { token, owner }: Omit<Holding, 'wrappedNative'>): bigint {
  const party = pad(owner.toLowerCase() as `0x${string}`);
  return transfersOf(carriedOut, token).reduce(
    (net, { from, to, amount }) => net + (to === party ? amount : 0n) - (from === party ? amount : 0n),
    0n,
  );
}

function wrapperTotal(
  carriedOut: CarriedOut,
  { wrappedNative }: Holding,
  { event, burnOrMint }: { readonly event: string; readonly burnOrMint: 'from' | 'to' },
): bigint | undefined {
  if (wrappedNative === undefined) return undefined;
  const total = logsOf(carriedOut, wrappedNative)
    .filter((log) => log.topics[0] === event)
    .reduce((sum, log) => sum + amountIn(log.data), 0n);
  if (total > 0n) return total;
  // Bridged wrappers burn and mint without the two events of the original.
  const moved = transfersOf(carriedOut, wrappedNative).filter((transfer) => transfer[burnOrMint] === NOBODY);
  return positive(moved.reduce((sum, { amount }) => sum + amount, 0n));
}

const logsOf = ({ logs }: Pick<CarriedOut, 'logs'>, token: string) =>
  logs.filter((log) => isSameAddress(log.address, token));

const transfersOf = (carriedOut: Pick<CarriedOut, 'logs'>, token: string) =>
  logsOf(carriedOut, token)
    .filter((log) => log.topics[0] === TRANSFER && log.topics.length === 3)
    .map((log) => ({
      from: log.topics[1]?.toLowerCase(),
      to: log.topics[2]?.toLowerCase(),
      amount: amountIn(log.data),
    }));

/** The first word of the event's data; contracts are strangers, so anything else counts as nothing. */
const amountIn = (data: string): bigint => (/^0x[0-9a-fA-F]{64}/.test(data) ? BigInt(data.slice(0, 66)) : 0n);
