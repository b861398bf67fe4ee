import { createWalletClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { DevnetAccount } from '../../devnet/accounts';
import { minedReceipt } from '../setup/mined-receipt';
import type { StrategyChain } from './local-strategies';
import { ROUTER } from './router-world';

/** Sends calls to the router whether they succeed or not. Resolves to whether they did. */
export const signerOf =
  ({ chain, client }: StrategyChain) =>
  async ({ privateKey }: DevnetAccount, data: Hex): Promise<boolean> => {
    const wallet = createWalletClient({ account: privateKeyToAccount(privateKey), transport: http(chain.rpcUrl) });
    const hash = await wallet.sendTransaction({ to: ROUTER, data, gas: 3_000_000n, chain: null });
    return (await minedReceipt(client, hash)).status === 'success';
  };
