import { randomBytes } from 'node:crypto';
import {
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  type Hex,
  keccak256,
  numberToHex,
  parseTransaction,
  pad,
  RpcRequestError,
} from 'viem';
import type { Rpc } from '../../src/rpc/rpc';
import { type ReceiptLog, receiptResponse } from './receipt-response';

/** Effect of a transaction of the account. */
export interface Effect {
  readonly name: string;
  readonly succeeds: boolean;
}

type Call = Pick<ReturnType<typeof parseTransaction>, 'to' | 'data'>;

export interface ScriptedChainOptions {
  /** Number of blocks until finality. */
  readonly confirmations: number;
  /** Effect of a call at the present state. */
  readonly effectOf: (call: Call) => Effect;
}

interface Mined {
  readonly hash: Hex;
  readonly nonce: number;
  /** All transactions that were sent with the nonce. */
  readonly variants: readonly Hex[];
  readonly effect: Effect;
}

interface Payment {
  readonly token: Hex;
  readonly to: Hex;
  /** Amounts of the transfers. */
  readonly amounts: readonly bigint[];
  readonly hash?: Hex;
}

const randomHash = (): Hex => keccak256(`0x${randomBytes(32).toString('hex')}`);

const GAS_PRICE = 1_000_000_000n;
const TIP = 1_000_000n;
const MAX_FAILURES = 4;

/** A chain in memory with one sending account. Tests add and drop its blocks. */
export class ScriptedChain {
  /** Wei of the account. */
  balance = 10n ** 20n;
  /** False when sent transactions do not reach the node. */
  reachable = true;
  private failures = 0;
  /** Number of the newest block that is final. */
  private final = 0;
  private readonly pool = new Map<number, Hex[]>();
  private readonly blocks: Mined[][] = [];
  private readonly payments = new Map<string, { readonly block: number; readonly logs: ReceiptLog[] }>();

  constructor(private readonly options: ScriptedChainOptions) {}

  /** Names of the effects in order. */
  get effects(): readonly string[] {
    return this.mined.filter(({ effect }) => effect.succeeds).map(({ effect }) => effect.name);
  }
  get waiting(): number {
    return this.pool.size;
  }
  private get mined(): readonly Mined[] {
    return this.blocks.flat();
  }
  private get head(): number {
    return this.blocks.length;
  }

  /** A transaction of another account that transfers a token to this one. */
  pay({ token, to, amounts, hash = randomHash() }: Payment): Hex {
    const topics = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from: token, to } });
    const logs = amounts.map((amount) => {
      const data = encodeAbiParameters([{ type: 'uint256' }], [amount]);
      return { address: token, topics, data };
    });
    this.blocks.push([]);
    this.payments.set(hash, { block: this.head, logs });
    return hash;
  }

  /**
   * Mines a block with all executable transactions. `pick` selects among the transactions of one nonce. `failing` makes
   * them revert, in four blocks at most.
   */
  mine({ pick = 0, failing: wanted = false } = {}): void {
    const block: Mined[] = [];
    const failing = wanted && this.failures < MAX_FAILURES;
    if (failing && this.pool.size > 0) this.failures += 1;
    for (let nonce = this.mined.length; this.pool.has(nonce); nonce += 1) {
      const variants = this.pool.get(nonce)!;
      const raw = variants[pick % variants.length]!;
      const effect = this.options.effectOf(parseTransaction(raw));
      block.push({ hash: keccak256(raw), nonce, variants, effect: failing ? { ...effect, succeeds: false } : effect });
      this.pool.delete(nonce);
    }
    this.blocks.push(block);
    this.final = Math.max(this.final, this.head - this.options.confirmations);
  }

  /** Drops the newest block unless it is final. Its transactions are pending again. */
  reorganize(): void {
    if (this.head <= this.final) return;
    const dropped = this.blocks.pop() ?? [];
    for (const { nonce, variants } of dropped) this.pool.set(nonce, [...variants]);
  }

  /** Drops the pending transactions. */
  forget(): void {
    this.pool.clear();
  }

  readonly rpc: Rpc = {
    serves: () => true,
    client: () => this.client as never,
    request: (_, call) => call(this.client as never),
    multicall: () => Promise.reject(new TypeError('not scripted')),
    simulate: () => Promise.reject(new TypeError('not scripted')),
    feeData: () =>
      Promise.resolve({ expectedFeePerGas: GAS_PRICE, maxFeePerGas: 2n * GAS_PRICE, maxPriorityFeePerGas: TIP }),
    blockNumber: () => Promise.resolve(BigInt(this.head)),
    health: () => Promise.reject(new TypeError('not scripted')),
  };

  private receiptOf(hash: Hex): object | null {
    const payment = this.payments.get(hash);
    if (payment !== undefined) {
      return receiptResponse({ hash, status: 'success', blockNumber: BigInt(payment.block), logs: payment.logs });
    }
    const index = this.blocks.findIndex((block) => block.some((mined) => mined.hash === hash));
    const found = this.blocks[index]?.find((mined) => mined.hash === hash);
    if (found === undefined) return null;
    const status = found.effect.succeeds ? 'success' : 'reverted';
    return receiptResponse({ hash, status, blockNumber: BigInt(index + 1), logs: [] });
  }

  private readonly client = {
    getTransactionCount: () => Promise.resolve(this.mined.length),
    getBalance: () => Promise.resolve(this.balance),
    /** No account has code: the chain charges no fee for data. */
    call: () => Promise.resolve({ data: undefined }),
    getBlockNumber: () => Promise.resolve(BigInt(this.head)),
    estimateGas: (call: Call) => {
      if (this.options.effectOf(call).succeeds) return Promise.resolve(50_000n);
      const error = { code: 3, message: 'execution reverted' };
      return Promise.reject(new RpcRequestError({ body: {}, error, url: 'http://chain' }));
    },
    sendRawTransaction: ({ serializedTransaction: raw }: { readonly serializedTransaction: Hex }) => {
      if (!this.reachable) return Promise.reject(new Error('the connection was refused'));
      const nonce = parseTransaction(raw).nonce ?? 0;
      const pending = this.pool.get(nonce) ?? [];
      if (nonce >= this.mined.length && !pending.includes(raw)) this.pool.set(nonce, [raw, ...pending]);
      return Promise.resolve(keccak256(raw));
    },
    request: ({ method, params: [hash] }: { readonly method: string; readonly params: readonly [Hex] }) =>
      method === 'eth_getTransactionReceipt'
        ? Promise.resolve(this.receiptOf(hash))
        : Promise.reject(new TypeError('not scripted')),
  };
}

/** Encodes a word of calldata for the scripted venue. */
export const word = (value: bigint): Hex => pad(numberToHex(value), { size: 32 });
