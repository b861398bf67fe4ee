import { type Address, createWalletClient, http, parseEther, publicActions, type TransactionReceipt } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createJsonRpc } from '../../devnet/json-rpc';
import { invariant } from '../../src/errors/invariant-error';

interface LocalCall {
  /** Absent for a deployment. */
  readonly to?: Address;
  readonly data: `0x${string}`;
  readonly value?: bigint;
}

/** An account with coins on a local chain. */
export interface LocalSender {
  readonly address: Address;
  /** Resolves when the transaction is in a block. @throws InvariantError when it reverts */
  send(call: LocalCall): Promise<TransactionReceipt>;
  setBalance(address: Address): Promise<void>;
}

export async function createLocalSender(rpcUrl: string): Promise<LocalSender> {
  const rpc = createJsonRpc(rpcUrl);
  const setBalance = async (address: Address): Promise<void> => {
    await rpc.call('anvil_setBalance', [address, `0x${parseEther('100').toString(16)}`]);
  };
  const account = privateKeyToAccount(generatePrivateKey());
  await setBalance(account.address);
  const client = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions);
  return {
    address: account.address,
    setBalance,
    async send(call) {
      const hash = await client.sendTransaction({ ...call, chain: null });
      const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
      invariant(receipt.status === 'success', `a transaction to ${String(call.to)} reverted`);
      return receipt;
    },
  };
}
