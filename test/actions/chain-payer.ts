import { type Address, createWalletClient, encodeFunctionData, erc20Abi, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { minedReceipt } from '../setup/mined-receipt';
import type { TestUniverse } from '../setup/universe-of-tests';

export interface SampleCall {
  readonly to: Address;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
}

export interface ChainPayer {
  /** Resolves to the hash once the transaction is mined, reverted or not. */
  send(call: SampleCall): Promise<Hex>;
  /** Mines five blocks. */
  confirm(): Promise<unknown>;
}

/** Sends transactions of an account on a local chain. */
export function chainPayer(
  { rpcUrl }: TestUniverse['chains'][number],
  { privateKey }: TestUniverse['accounts'][number],
): ChainPayer {
  const account = privateKeyToAccount(privateKey);
  const wallet = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions);
  return {
    async send({ to, data = '0x', value = 0n, gas = 300_000n }) {
      const hash = await wallet.sendTransaction({ chain: null, to, data, value, gas });
      await minedReceipt(wallet, hash);
      return hash;
    },
    confirm: () => wallet.request({ method: 'anvil_mine' as never, params: ['0x5'] as never }),
  };
}

/** Calldata of an ERC-20 transfer. */
export const transferData = (to: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
