import { type Address, encodeFunctionData, isAddress, parseAbi } from 'viem';
import { Client } from 'pg';
import { initCode, ownArtifact } from '../../devnet/artifacts';
import { invariant } from '../../src/errors/invariant-error';
import type { EmbeddedServer } from '../bench-quotes/with-embedded-server';
import { createLocalSender } from './local-sender';

type LocalChain = EmbeddedServer['chains'][number];

/** Tokens with prices, besides the native coin. Every account may mint them. */
const LISTED = ['USDC', 'DAI', 'BRLA', 'WBTC', 'BRZ'];
/** Tokens that the wallets hold on each chain. */
const TOKENS_PER_CHAIN = 25;
const mint = parseAbi(['function mint(address to, uint256 value)']);

/** Gives wallets the native coin, listed tokens, and pinned tokens without a price: 25 on each chain. */
export async function fund(
  { chains, customerId, databaseUrl }: Pick<EmbeddedServer, 'chains' | 'customerId' | 'databaseUrl'>,
  wallets: readonly Address[],
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const evm = chains.filter(({ tokens }) => tokens.some(({ address }) => isAddress(address)));
    for (const chain of evm) {
      for (const token of await fundOn(chain, wallets)) {
        await client.query(
          `INSERT INTO "PinnedToken" ("customerId", wallet, "chainId", token) SELECT $1, unnest($2::text[]), $3, $4`,
          [customerId, wallets, chain.chainId, token],
        );
      }
    }
  } finally {
    await client.end();
  }
}

/** Returns the unlisted tokens. */
async function fundOn(chain: LocalChain, wallets: readonly Address[]): Promise<readonly Address[]> {
  const sender = await createLocalSender(chain.rpcUrl);
  for (const wallet of wallets) await sender.setBalance(wallet);
  const own: Address[] = [];
  for (let number = 0; number < TOKENS_PER_CHAIN - LISTED.length - 1; number++) {
    const name = `Bench ${String(number)}`;
    const { contractAddress } = await sender.send({
      data: initCode(ownArtifact('FaucetToken'), [name, `B${String(number)}`, 18]),
    });
    invariant(contractAddress, 'a token was not deployed');
    own.push(contractAddress);
  }
  const listed = chain.tokens.filter(({ symbol }) => LISTED.includes(symbol)).map(({ address }) => address as Address);
  for (const token of [...listed, ...own]) {
    for (const wallet of wallets) {
      const data = encodeFunctionData({ abi: mint, functionName: 'mint', args: [wallet, 1_234_567_890n] });
      await sender.send({ to: token, data });
    }
  }
  return own;
}
