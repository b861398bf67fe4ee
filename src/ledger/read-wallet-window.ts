import { type Hex, numberToHex, pad, type PublicClient } from 'viem';
import { z } from 'zod';
import { describeFailure } from '../errors/describe-failure';
import { readHead } from '../rpc/head-reader';
import { type SearchableBlock, searchable } from './find-operation';
import type { BlockPlace } from './ledger-cursor';
import { SAFE_TOPICS, USER_OPERATION_TOPIC } from './operation-logs';
import { readFullBlock } from './read-full-blocks';
import { type BlockHeader, readHeader } from './read-headers';
import { type BlockTransfers, CutLogsError, readByReceipts, requireWhole } from './read-transfers';
import { TRANSFER_TOPIC } from '../tokens/transfer-topic';
import { type ParsedLogs, parseLogs, UnusableLogsError } from './transfer-logs';

/** Final blocks, and the wallet whose transfers in them are read. */
export interface WalletWindow {
  /** In lower case. */
  readonly wallet: string;
  readonly first: bigint;
  readonly last: bigint;
}

/** Blocks of one window that have transfers of the wallet: their times are read one by one. */
const MAX_BLOCKS = 300;
/** Headers requested at the same time. */
const HEADERS_PER_ROUND = 25;

const placedSchema = z.array(
  z.looseObject({
    blockHash: z.string().transform((text) => text.toLowerCase()),
    blockNumber: z
      .string()
      .regex(/^0x[0-9a-f]{1,12}$/i)
      .transform(BigInt),
  }),
);
type PlacedLogs = z.infer<typeof placedSchema>;

/**
 * The blocks of a window with token transfers of the wallet, in their order, without those of others.
 *
 * @throws CutLogsError when fewer blocks have to be requested, UnusableLogsError, and the failure of the node
 */
export async function readWalletWindow(
  node: PublicClient,
  { wallet, first, last }: WalletWindow,
  signal: AbortSignal,
): Promise<readonly SearchableBlock[]> {
  const client: Reader = { node, signal };
  const own = pad(wallet as Hex);
  const range = { fromBlock: numberToHex(first), toBlock: numberToHex(last) };
  const [sent, received] = await Promise.all([
    readLogs(client, { ...range, topics: [TRANSFER_TOPIC, own] }),
    readLogs(client, { ...range, topics: [TRANSFER_TOPIC, null, own] }),
  ]);
  const places = placesOf([...sent, ...received]);
  if (places.size > MAX_BLOCKS) throw new CutLogsError('the wallet has transfers in too many blocks of the range');
  const headers = await readHeadersOf(client, places, { first, last });
  if (headers.length === 0) return [];
  const hashes = new Set(places.keys());
  const transfers = parseLogs([...sent, ...received], hashes);
  const operations = parseLogs(await readOperations(client, { wallet, range, hashes }), hashes);
  return headers.map((header) => searchable(blockOf(header, { ...operations, transfers: transfers.transfers })));
}

/** The node shows some of the transfers of a block only, or not in time. */
export class UnreadableBlockError extends Error {
  override readonly name = 'UnreadableBlockError';
}

/**
 * One block with too many logs for a response, from the receipts of its transactions.
 *
 * @throws UnreadableBlockError when the node responds, but not with all of them
 */
export async function readLargeBlock(
  client: PublicClient,
  { wallet, first }: WalletWindow,
  signal: AbortSignal,
): Promise<readonly SearchableBlock[]> {
  const header = await readFullBlock(client, first, signal);
  if (header === undefined) throw new UnusableLogsError('the node does not have the block');
  const block = searchable(await readByReceipts(client, header, signal));
  signal.throwIfAborted();
  if (block.failure !== undefined) {
    // A node that does not respond at all says nothing about the block.
    await readHead(client);
    throw new UnreadableBlockError(`a block is incomplete: ${describeFailure(block.failure).message}`);
  }
  const transfers = block.transfers.filter(({ from, to }) => from === wallet || to === wallet);
  return [{ ...block, transfers, header: { ...header, coins: [] } }];
}

/** A node, and the signal that ends all requests to it. */
interface Reader {
  readonly node: PublicClient;
  readonly signal: AbortSignal;
}

interface LogFilter {
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
  readonly address?: Hex;
  readonly topics: (Hex | Hex[] | null)[];
}

async function readLogs({ node, signal }: Reader, filter: LogFilter): Promise<PlacedLogs> {
  const response: unknown = await node.request({ method: 'eth_getLogs', params: [filter] }, { signal });
  const { data } = placedSchema.safeParse(response);
  if (data === undefined) throw new UnusableLogsError('the node returned malformed logs');
  requireWhole({ count: data.length });
  return data;
}

/** Numbers of the blocks of logs, by hash. */
const placesOf = (logs: PlacedLogs): ReadonlyMap<string, bigint> =>
  new Map(logs.map(({ blockHash, blockNumber }) => [blockHash, blockNumber]));

/** The headers of these blocks, in their order. @throws UnusableLogsError for a block that the chain does not have */
async function readHeadersOf(
  client: Reader,
  places: ReadonlyMap<string, bigint>,
  { first, last }: Pick<WalletWindow, 'first' | 'last'>,
): Promise<readonly BlockHeader[]> {
  const wanted: readonly BlockPlace[] = [...places].map(([hash, number]) => ({ hash, number }));
  const headers: BlockHeader[] = [];
  for (let start = 0; start < wanted.length; start += HEADERS_PER_ROUND) {
    const round = wanted.slice(start, start + HEADERS_PER_ROUND);
    const found = await Promise.all(round.map(({ number }) => readHeader(client.node, number, client.signal)));
    for (const [index, { hash, number }] of round.entries()) {
      const header = found[index];
      if (header?.hash !== hash || number < first || number > last) {
        throw new UnusableLogsError('the node returned a log of another block');
      }
      headers.push(header);
    }
  }
  return headers.sort((one, other) => (one.number < other.number ? -1 : 1));
}

/** The ends of operations of the wallet in blocks with transfers. */
async function readOperations(
  client: Reader,
  {
    wallet,
    range,
    hashes,
  }: {
    readonly wallet: string;
    readonly range: Pick<LogFilter, 'fromBlock' | 'toBlock'>;
    readonly hashes: ReadonlySet<string>;
  },
): Promise<PlacedLogs> {
  const [safe, user] = await Promise.all([
    readLogs(client, { ...range, address: wallet as Hex, topics: [[...SAFE_TOPICS]] }),
    readLogs(client, { ...range, topics: [USER_OPERATION_TOPIC, null, pad(wallet as Hex)] }),
  ]);
  return [...safe, ...user].filter(({ blockHash }) => hashes.has(blockHash));
}

/** Coin and calldata are in the transactions, which are not read. */
function blockOf(
  header: BlockHeader,
  logs: Pick<ParsedLogs, 'transfers' | 'operations' | 'batchStarts'>,
): BlockTransfers {
  const isOwn = ({ blockHash }: { readonly blockHash: string }): boolean => blockHash === header.hash;
  return {
    header: { ...header, coins: [], batches: new Set() },
    isOfOneWallet: true,
    transfers: logs.transfers.filter(isOwn),
    operations: logs.operations.filter(isOwn),
    batchStarts: logs.batchStarts.filter(isOwn),
  };
}
