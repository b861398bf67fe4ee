import { hkdfSync } from 'node:crypto';
import { bytesToHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

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
