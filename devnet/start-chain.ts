import { existsSync, renameSync } from 'node:fs';
import { type Anvil, type AnvilOptions, startAnvil } from './anvil';
import { type ChainSetup, isSetUp, setUpChain } from './set-up-chain';
import { unixNow } from './unix-now';

export interface ChainStart {
  readonly anvil: AnvilOptions;
  readonly setup: ChainSetup;
  readonly log: (line: string) => void;
}

/**
 * How long ago the set-up was, for the contracts: a pool that was opened in this very second needs more gas in the
 * next one than was estimated, because it then writes its price history.
 */
const SETUP_AGE_SECONDS = 3600;

/**
 * A chain with everything on it: from its state file when that is whole, else set up anew. A file that cannot be
 * loaded (the machine went down while it was written) is kept beside it with the ending `.unusable`.
 *
 * @throws DevnetError when an empty chain does not start or cannot be set up.
 */
export async function startChain(start: ChainStart): Promise<Anvil> {
  if (existsSync(start.anvil.stateFile)) {
    const continued = await continueChain(start);
    if (continued !== undefined) return continued;
    renameSync(start.anvil.stateFile, `${start.anvil.stateFile}.unusable`);
    start.log(`chain ${String(start.anvil.chainId)} starts anew: ${start.anvil.stateFile} cannot be used`);
  }
  const anvil = await startAnvil({ ...start.anvil, genesisTime: unixNow() - SETUP_AGE_SECONDS });
  try {
    await setUpChain(anvil.rpc, start.setup);
    return anvil;
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

async function continueChain({ anvil: options, log }: ChainStart): Promise<Anvil | undefined> {
  try {
    const anvil = await startAnvil(options);
    if (await isSetUp(anvil.rpc)) return anvil;
    await anvil.stop();
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
  }
  return undefined;
}
