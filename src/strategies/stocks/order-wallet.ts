import { hkdfSync } from 'node:crypto';
import { type Address, bytesToHex, type Hex, keccak256 } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Logger } from 'pino';
import { broadcast } from '../../rpc/broadcast';
import type { Rpc } from '../../rpc/rpc';
import { feesOf } from '../../rpc/transaction-terms';

/** Order of the curve secp256k1, the bound of its private keys. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * The single-use wallet of an action's order. Its key is derived from the secret of the deployment and never stored: with the
 * secret, every wallet can be derived again.
 */
export function orderWalletOf(secret: string, actionId: string): PrivateKeyAccount {
  for (let attempt = 0; ; attempt += 1) {
    const info = `order wallet ${actionId} ${String(attempt)}`;
    const key = bytesToHex(new Uint8Array(hkdfSync('sha256', Buffer.from(secret, 'hex'), '', info, 32)));
    if (BigInt(key) > 0n && BigInt(key) < CURVE_ORDER) return privateKeyToAccount(key);
  }
}

export interface WalletCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint;
}

interface WalletDeps {
  readonly rpc: Rpc;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Sends a call with the next nonce of an order wallet, unless the node has a transaction of the wallet that is not mined: the
 * caller reads from the chain whether its call has taken effect, and repeats it otherwise. Returns the hash of a sent call.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function sendFromWallet(
  { rpc, log }: WalletDeps,
  { account, chainId }: { readonly account: PrivateKeyAccount; readonly chainId: number },
  call: WalletCall,
): Promise<Hex | undefined> {
  const { address } = account;
  const countOf = (blockTag: 'latest' | 'pending'): Promise<number> =>
    rpc.request(chainId, (client) => client.getTransactionCount({ address, blockTag }));
  const [nonce, pending, fees] = await Promise.all([countOf('latest'), countOf('pending'), rpc.feeData(chainId)]);
  if (pending > nonce) return undefined;
  const terms = feesOf(fees);
  const transaction = { ...call, chainId, nonce };
  const raw =
    'gasPrice' in terms
      ? await account.signTransaction({ type: 'legacy', ...transaction, ...terms })
      : await account.signTransaction({ type: 'eip1559', ...transaction, ...terms });
  const txHash = keccak256(raw);
  await broadcast({ rpc, log }, chainId, { raw, txHash });
  return txHash;
}
