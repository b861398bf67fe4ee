import path from 'node:path';
import { devnetAccounts } from '../../devnet/accounts';
import { type Anvil, startAnvil } from '../../devnet/anvil';

export const BARE_CHAIN_ID = 31399;
export type BareChain = Anvil;

/** Starts an empty chain of the test. Each transaction mines a block, and the test can mine blocks. */
export const startBareChain = (directory: string, port?: number): Promise<BareChain> =>
  startAnvil({
    chainId: BARE_CHAIN_ID,
    port,
    stateFile: path.join(directory, 'state.json'),
    logFile: path.join(directory, 'log'),
  });

/** Two accounts with ether on the chain. */
export const fundedAccounts = () => {
  const [sender, other] = devnetAccounts();
  return { sender: sender!, other: other! };
};
