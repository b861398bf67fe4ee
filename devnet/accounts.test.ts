import { mnemonicToAccount } from 'viem/accounts';
import { ACCOUNT_COUNT, MNEMONIC, devnetAccounts } from './accounts';

it('derives the accounts that a wallet derives from the phrase', () => {
  const addresses = devnetAccounts().map(({ address }) => address);
  expect(addresses[0]).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
  expect(addresses).toEqual(
    Array.from({ length: ACCOUNT_COUNT }, (_, addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex }).address),
  );
});
