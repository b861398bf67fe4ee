import { type Address, encodeFunctionData, hexToBigInt, type PublicClient } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import { isSameAddress } from '../../chains/addresses';
import { isTransportFailure } from '../../rpc/rpc-failure';
import type { MinedEffects } from './mined-effects';

/**
 * Change of an account's native balance by a transaction, in wei, without the gas that the account paid.
 *
 * `undefined` when the account sent other transactions in the same block, when its gas was not paid in the native coin, or
 * when the node does not return the balances. Other payments to the account in the block are included: see `readIncome`.
 *
 * @throws when the chain does not respond.
 */
export async function readCoinChange(
  client: PublicClient,
  { blockNumber, from, sentBy, gas, entryPoint }: MinedEffects,
  owner: string,
): Promise<bigint | undefined> {
  if (gas === undefined) return undefined;
  const account = { address: owner as Address, entryPoint };
  return unlessRefused(client, account.address, async () => {
    const [before, after] = await Promise.all([
      readAccount(client, account, blockNumber - 1n),
      readAccount(client, account, blockNumber),
    ]);
    const sent = isSameAddress(sentBy, owner) ? 1 : 0;
    // The nonce of a smart account counts no transactions.
    const isSmartAccount = entryPoint !== undefined && isSameAddress(from, owner);
    if (!isSmartAccount && after.nonce - before.nonce !== sent) return undefined;
    return after.coin - before.coin + (isSameAddress(gas.payer, owner) ? gas.cost : 0n);
  });
}

/** Payments in a block whose receipts are read. */
const MAX_PAYMENTS = 10;

/**
 * Native coin that the other transactions of a block sent to an account directly, in wei. `undefined` when they are too
 * many, or the node does not return the block.
 *
 * @throws when the chain does not respond.
 */
export function readIncome(
  client: PublicClient,
  { txHash, blockNumber }: Pick<MinedEffects, 'txHash' | 'blockNumber'>,
  owner: string,
): Promise<bigint | undefined> {
  return unlessRefused(client, owner as Address, async () => {
    const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true });
    const payments = transactions.filter(
      ({ hash, to, value }) => hash !== txHash && value > 0n && isSameAddress(to, owner),
    );
    if (payments.length > MAX_PAYMENTS) return undefined;
    const receipts = await Promise.all(payments.map(({ hash }) => client.getTransactionReceipt({ hash })));
    return payments.reduce((sum, { value }, index) => sum + (receipts[index]?.status === 'success' ? value : 0n), 0n);
  });
}

/**
 * The result of a read of a past block; `undefined` when the node refuses it, in whatever way, but responds otherwise: nodes
 * without old state have many errors for it.
 *
 * @throws when the chain does not respond.
 */
async function unlessRefused<Result>(
  client: PublicClient,
  address: Address,
  read: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isTransportFailure(error)) await client.getBalance({ address });
    return undefined;
  }
}

interface Account {
  readonly address: Address;
  readonly entryPoint: Address | undefined;
}

/** Nonce and coin of an account after a block, with its deposit at the EntryPoint. */
async function readAccount(
  client: PublicClient,
  { address, entryPoint }: Account,
  blockNumber: bigint,
): Promise<{ readonly nonce: number; readonly coin: bigint }> {
  const [nonce, balance, deposit] = await Promise.all([
    client.getTransactionCount({ address, blockNumber }),
    client.getBalance({ address, blockNumber }),
    entryPoint === undefined ? Promise.resolve(0n) : readDeposit(client, { address, entryPoint }, blockNumber),
  ]);
  return { nonce, coin: balance + deposit };
}

const WORD_HEX_LENGTH = 66;

async function readDeposit(
  client: PublicClient,
  { address, entryPoint }: { readonly address: Address; readonly entryPoint: Address },
  blockNumber: bigint,
): Promise<bigint> {
  const data = encodeFunctionData({ abi: entryPoint07Abi, functionName: 'balanceOf', args: [address] });
  const response = await client.call({ to: entryPoint, data, blockNumber });
  return response.data?.length === WORD_HEX_LENGTH ? hexToBigInt(response.data) : 0n;
}
