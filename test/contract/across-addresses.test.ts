import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';

const contract = z.object({ address: z.string() }).optional();
const deployments = z.object({
  chains: z.record(z.string(), z.object({ contracts: z.object({ SpokePool: contract, MulticallHandler: contract }) })),
});

describe('the contracts of Across on the listed chains', () => {
  const file = require.resolve('@across-protocol/contracts/dist/broadcast/deployed-addresses.json');
  const { chains } = deployments.parse(JSON.parse(readFileSync(file, 'utf8')));

  it.each(KNOWN_CHAINS.map(({ slug, chainId, across }) => ({ slug, chainId, across })))(
    'are the published ones on $slug, or absent',
    ({ chainId, across }) => {
      const published = chains[String(chainId)]?.contracts;
      expect(across?.spokePool).toBe(published?.SpokePool?.address);
      expect(across?.multicallHandler).toBe(across === undefined ? undefined : published?.MulticallHandler?.address);
    },
  );
});
