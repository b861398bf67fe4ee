import { BaseError } from 'viem';
import { nodeErrorOf } from './rpc-failure';

/** An error of a node, as it stated it. */
export interface NodeRefusal {
  readonly message: string;
  readonly data: unknown;
}

/** Adds the node's own words to an error, for `suggestedBlocks`. */
export const withRefusal = (error: Error, refusal: NodeRefusal | undefined): Error =>
  refusal === undefined ? error : Object.assign(error, { refusal });

function refusalOf(error: unknown): NodeRefusal | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('refusal' in cause) return cause.refusal as NodeRefusal;
  }
  return nodeErrorOf(error);
}

const HEX_RANGE = /\[?\s*(0x[0-9a-f]{1,16})\s*(?:,|-|to)\s*(0x[0-9a-f]{1,16})/i;
const DECIMAL_RANGE = /range\s*:?\s*\[?(\d{1,16})\s*-\s*(\d{1,16})/i;
/** A maximum number of blocks, with the words in front of it. The number of results is another limit. */
const MAX_BLOCKS: readonly RegExp[] = [
  /max(?:imum)? (?:block )?range\s*(?:is|of|:)?\s*([\d,]+)(k?)/i,
  /maximum (?:allowed )?(?:number of )?(?:requested )?blocks is ([\d,]+)(k?)/i,
  /maximum is set to ([\d,]+)(k?)/i,
  /(?:limited to|up to|at most|limit the query to(?: at most)?) an? ?([\d,]+)(k?)[ -]*(?:block|range)/i,
  /(?:limited to|up to|at most) ([\d,]+)(k?)[ -]*(?:block|range)/i,
  /limited to 0 - ([\d,]+)(k?) blocks/i,
  /block range (?:greater than|exceeds|over) ([\d,]+)(k?)/i,
  /ranges? over ([\d,]+)(k?) blocks/i,
  /range allowed for your plan \(\d+ > (\d+)()\)/i,
  /too large, max is ([\d,]+)(k?) blocks/i,
  /too wide \(maximum (\d+)()\)/i,
  /blocks distance: (\d+)()/i,
  /smaller than size ([\d,]+)(k?)/i,
];

/**
 * The number of blocks that a node suggests for `eth_getLogs` after it refused a range, from its message or `error.data`.
 * `undefined` when it suggests none, or no fewer than were requested: then half of them may do.
 */
export function suggestedBlocks(error: unknown, requested: number): number | undefined {
  const refusal = refusalOf(error);
  if (refusal === undefined) return undefined;
  const blocks = rangeOf(refusal) ?? maximumOf(refusal.message);
  return blocks !== undefined && blocks >= 1 && blocks < requested ? blocks : undefined;
}

/**
 * The largest number of blocks that a node states for every `eth_getLogs`. The blocks that it names for one request depend on
 * the number of its results instead.
 */
export function maximumBlocks(error: unknown): number | undefined {
  const blocks = maximumOf(refusalOf(error)?.message ?? '');
  return blocks !== undefined && blocks >= 1 ? blocks : undefined;
}

function rangeOf({ message, data }: NodeRefusal): number | undefined {
  const stated = HEX_RANGE.exec(message) ?? DECIMAL_RANGE.exec(message);
  if (stated !== null) return countBlocks(stated[1], stated[2]);
  if (typeof data !== 'object' || data === null) return undefined;
  const { from, to } = data as Readonly<Record<string, unknown>>;
  return countBlocks(from, to);
}

function countBlocks(from: unknown, to: unknown): number | undefined {
  if (!isNumeral(from) || !isNumeral(to)) return undefined;
  const count = BigInt(to) - BigInt(from) + 1n;
  return count >= 1n && count <= 1_000_000n ? Number.parseInt(count.toString(), 10) : undefined;
}

const isNumeral = (value: unknown): value is string =>
  typeof value === 'string' && /^(?:0x[0-9a-f]{1,16}|\d{1,16})$/i.test(value);

function maximumOf(message: string): number | undefined {
  for (const pattern of MAX_BLOCKS) {
    const [, digits, thousands] = pattern.exec(message) ?? [];
    if (digits === undefined) continue;
    const number = Number.parseInt(digits.replaceAll(',', ''), 10);
    return thousands === '' || thousands === undefined ? number : number * 1000;
  }
  return undefined;
}

const BEHIND_MESSAGE =
  /beyond (?:the )?(?:current |latest )?(?:head|block)|after (?:the )?last accepted block|unknown block|header not found|block not found|cannot find (?:the )?block|block (?:is )?(?:not available|out of range)|blocks? (?:does not|doesn't) exist|(?:one|all) of the blocks specified.*not (?:be )?found|ahead of (?:the )?(?:chain )?head/i;

/** True when the node does not have the blocks yet: a request for fewer would not help, a later one may. */
export function isNodeBehind(error: unknown): boolean {
  const refusal = error instanceof BaseError ? refusalOf(error) : undefined;
  return refusal !== undefined && BEHIND_MESSAGE.test(refusal.message);
}

const RANGE_MESSAGE =
  /block range|range (?:is )?(?:too|over|exceed)|ranges? over|(?:eth_getLogs|query|requests?) (?:is |are )?limited to|limited to 0 -|max(?:imum)? range|requested too many blocks|number of requested blocks|limit the query to|blocks distance|smaller than size|query exceeds (?:limit|max)|maximum block range|log response size|more than \d+ results|too many (?:logs|results)|exceeds the range/i;

/** True when a node refused a range of blocks, in whatever words: a smaller one may do. */
export function isRangeRefused(error: unknown): boolean {
  const refusal = refusalOf(error);
  return refusal !== undefined && !isNodeBehind(error) && RANGE_MESSAGE.test(refusal.message);
}
