import path from 'node:path';
import { devnetAccounts } from '../../devnet/accounts';
import { type Anvil, startAnvil } from '../../devnet/anvil';

export const BARE_CHAIN_ID = 31399;
export type BareChain = Anvil;

/** A chain with nothing on it, of the test's own: blocks are mined when the test says so, and by each transaction. */
export const startBareChain = (directory: string, port?: number): Promise<BareChain> =>
  startAnvil({
    chainId: BARE_CHAIN_ID,
    port,
    stateFile: path.join(directory, 'state.json'),
    logFile: path.join(directory, 'log'),
  });

/** Two accounts that hold ether on it. */
export const fundedAccounts = () => {
  const [sender, other] = devnetAccounts();
  return { sender: sender!, other: other! };
};
