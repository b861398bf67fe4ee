import { pbkdf2Sync } from 'node:crypto';
import { type Address, type Hex, bytesToHex } from 'viem';
import { HDKey, privateKeyToAddress } from 'viem/accounts';
import { DevnetError } from './devnet-error';

/** The phrase that every Ethereum development tool uses: its keys are public, never send anything of value to them. */
export const MNEMONIC = 'test test test test test test test test test test test junk';
export const ACCOUNT_COUNT = 10;

export interface DevnetAccount {
  readonly address: Address;
  readonly privateKey: Hex;
}

/** The funded accounts, at `m/44'/60'/0'/0/0` and on. The same on every chain. */
export function devnetAccounts(): readonly DevnetAccount[] {
  // BIP-39's stretching by hand: the library's takes a third of the chains' whole start.
  const seed = pbkdf2Sync(MNEMONIC, 'mnemonic', 2048, 64, 'sha512');
  const parent = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0");
  return Array.from({ length: ACCOUNT_COUNT }, (_, index) => {
    const key = parent.deriveChild(index).privateKey;
    if (key === null) throw new DevnetError('the mnemonic gave no private key');
    const privateKey = bytesToHex(key);
    return { address: privateKeyToAddress(privateKey), privateKey };
  });
}
