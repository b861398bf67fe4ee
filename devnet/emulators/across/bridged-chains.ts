import { ACROSS_TOKENS } from '../../across/across-contracts';
import type { DevnetChain } from '../../universe';
import type { BridgedChainOptions } from './bridged-chain';

/** The local chains as the emulator of Across wants them. */
export function bridgedChainsOf(chains: readonly DevnetChain[]): readonly BridgedChainOptions[] {
  const bridged: readonly string[] = ACROSS_TOKENS;
  return chains.flatMap(({ chainId, rpcUrl, across, tokens }) =>
    across === undefined
      ? []
      : [{ chainId, rpcUrl, ...across, tokens: tokens.filter(({ symbol }) => bridged.includes(symbol)) }],
  );
}
