import { decodeEventLog, type Hex, parseAbi, toFunctionSelector } from 'viem';
import { isSameAddress } from '../../chains/addresses';
import type { TransactionEffects } from './moved-amounts';

/**
 * Requests of asynchronous vaults.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7540
 */
const EVENTS = parseAbi([
  'event DepositRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 amount)',
  'event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 amount)',
]);

const SELECTORS: ReadonlySet<string> = new Set([
  toFunctionSelector('requestDeposit(uint256,address,address)'),
  toFunctionSelector('requestRedeem(uint256,address,address)'),
]);

/** True for the call of a request, which another one may follow, such as the transfer of a fee. */
export const isRequestCall = ({ data }: { readonly data: Hex }): boolean => SELECTORS.has(data.slice(0, 10));

/**
 * What the called vault has recorded for a controller, by its events: assets of a deposit, shares of a withdrawal. `undefined` when
 * it has recorded nothing. The request with the quoted amount, which its call states, counts when a transaction has several.
 */
export function requestedAmount(
  { to, logs }: Pick<TransactionEffects, 'to' | 'logs'>,
  { controller, quoted }: { readonly controller: string; readonly quoted: bigint },
): bigint | undefined {
  const amounts = logs
    .filter(({ address }) => isSameAddress(address, to))
    .flatMap((log) => requestOf(log) ?? [])
    .filter((request) => isSameAddress(request.controller, controller))
    .map(({ amount }) => amount);
  return amounts.find((amount) => amount === quoted) ?? amounts[0];
}

/** `undefined` for other and malformed events. */
function requestOf({
  topics,
  data,
}: TransactionEffects['logs'][number]): { readonly controller: string; readonly amount: bigint } | undefined {
  try {
    return decodeEventLog({ abi: EVENTS, topics, data }).args;
  } catch {
    return undefined;
  }
}
