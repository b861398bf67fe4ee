import type { Address, PublicClient, TransactionReceipt } from 'viem';
import type { TransactionEffects } from './moved-amounts';

/** Payment for the gas of a transaction or user operation. */
export interface GasPayment {
  readonly payer: string;
  /** In wei. */
  readonly cost: bigint;
}

/** Effects of a transaction, or of a user operation in a bundle, and its place in the chain. */
export interface MinedEffects extends TransactionEffects {
  readonly txHash: string;
  readonly blockNumber: bigint;
  /** Account that made the call. */
  readonly from: string;
  /** Account that sent the transaction. Another one than `from` for a user operation. */
  readonly sentBy: string;
  /** `undefined` when the gas was not paid in the native coin. */
  readonly gas: GasPayment | undefined;
  /** EntryPoint of a user operation: accounts also pay from their deposits there. */
  readonly entryPoint: Address | undefined;
}

/** Completes a receipt with the value of its transaction. */
export async function readMined(client: PublicClient, receipt: TransactionReceipt): Promise<MinedEffects> {
  const { value } = await client.getTransaction({ hash: receipt.transactionHash });
  const { transactionHash: txHash, from, to, logs, blockNumber } = receipt;
  const cost = gasCostOf(receipt);
  const gas = cost === undefined ? undefined : { payer: from, cost };
  return { txHash, to, value, logs, blockNumber, from, sentBy: from, gas, entryPoint: undefined };
}

/** Transactions of other types may pay for their gas in another currency, or let another account pay. */
const PAID_IN_COIN: ReadonlySet<string> = new Set(['legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702']);

/** Cost of a transaction's gas in wei, with its blobs and its data on the L1; `undefined` when the receipt lacks it. */
function gasCostOf(receipt: TransactionReceipt): bigint | undefined {
  const { type, gasUsed, effectiveGasPrice, blobGasUsed = 0n, blobGasPrice = 0n } = receipt;
  const isStated = [gasUsed, effectiveGasPrice].every((quantity) => typeof quantity === 'bigint');
  if (!isStated || !PAID_IN_COIN.has(type)) return undefined;
  return gasUsed * effectiveGasPrice + blobGasUsed * blobGasPrice + l1FeeOf(receipt);
}

/** Receipts of OP stack chains state the fee for the data on the L1 in addition to the gas. */
function l1FeeOf(receipt: object): bigint {
  const fee: unknown = 'l1Fee' in receipt ? receipt.l1Fee : undefined;
  return typeof fee === 'string' && /^0x[0-9a-f]{1,64}$/i.test(fee) ? BigInt(fee) : 0n;
}
