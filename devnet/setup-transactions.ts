import type { Address, Hex } from 'viem';
import { z } from 'zod';
import { DevnetError } from './devnet-error';
import type { JsonRpc } from './json-rpc';

/** A transaction of the set-up before it has a sender. */
export interface SetupCall {
  /** What failed, when it fails. */
  readonly label: string;
  /** A deployment when absent. */
  readonly to?: Address;
  readonly data?: Hex;
  readonly value?: bigint;
}

/** A transaction of the set-up, from an account that the chain signs for. */
export interface SetupTransaction extends SetupCall {
  readonly from: Address;
  readonly nonce: number;
}

const receipts = z.array(z.object({ status: z.string() }).nullable());

/** Enough for the largest deployment, so that nothing has to be estimated before what it depends on is there. */
const GAS = 8_000_000;

export function inOrder(from: Address, firstNonce: number, calls: readonly SetupCall[]): readonly SetupTransaction[] {
  return calls.map((call, index) => ({ ...call, from, nonce: firstNonce + index }));
}

/**
 * Sends the transactions and mines them in one block. They run in the order of their nonces, so those that depend
 * on one another have the same sender or go in separate calls.
 *
 * @throws DevnetError naming the first transaction that reverted.
 */
export async function runTransactions(rpc: JsonRpc, transactions: readonly SetupTransaction[]): Promise<void> {
  const sent = transactions.map((item) => ({ method: 'eth_sendTransaction', params: [requestOf(item)] }));
  const hashes = await rpc.batch(sent);
  await rpc.call('evm_mine');
  const mined = receipts.parse(
    await rpc.batch(hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))),
  );
  const failed = transactions.find((_, index) => mined[index]?.status !== '0x1');
  if (failed !== undefined) throw new DevnetError(`the set-up of the chain failed: ${failed.label}`);
}

function requestOf({ from, nonce, to, data, value = 0n }: SetupTransaction): Record<string, unknown> {
  return { from, to, data, nonce: hex(nonce), gas: hex(GAS), value: hex(value) };
}

export const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`;
