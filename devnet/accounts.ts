import { type Address, type Hex, bytesToHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
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
  return Array.from({ length: ACCOUNT_COUNT }, (_, addressIndex) => {
    const account = mnemonicToAccount(MNEMONIC, { addressIndex });
    const { privateKey } = account.getHdKey();
    if (privateKey === null) throw new DevnetError('the mnemonic gave no private key');
    return { address: account.address, privateKey: bytesToHex(privateKey) };
  });
}
