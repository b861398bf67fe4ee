import { PublicKey } from '@solana/web3.js';
import { serviceError } from '../../errors/service-error';
import { nameToken } from '../../tokens/name-token';
import type { TokenMetadataReader } from '../../tokens/token-metadata';
import { decodeMint, ownMetadata } from './mint';
import type { SolanaAccount, SolanaRpc } from './solana-rpc';

/** Metaplex's token metadata program: its accounts hold the names of most mints. */
const METADATA_PROGRAM = new PublicKey('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
/** Both formats begin with two keys; Metaplex adds one byte for the account type. */
const OWN_TEXTS_AT = 64;
const METAPLEX_TEXTS_AT = 65;
/** More than any legitimate token has, and the limit of price and amount calculations. */
const MAX_DECIMALS = 36;

/** Reads the decimals of mints, and their names from the mint or from Metaplex, in one call each. */
export function createSolanaTokenMetadataReader({
  solana,
}: {
  readonly solana: Pick<SolanaRpc, 'serves' | 'accounts'>;
}): TokenMetadataReader {
  return {
    async read(chainId, address) {
      if (!solana.serves(chainId)) {
        const provider = `RPC of chain ${String(chainId)}`;
        throw serviceError('PROVIDER_UNAVAILABLE', { provider, reason: 'it is not configured' });
      }
      const [account, metaplex] = await solana.accounts(chainId, [address, metaplexAddress(address)]);
      const mint = account === undefined ? undefined : decodeMint(address, account);
      if (mint === undefined || mint.decimals > MAX_DECIMALS) return undefined;
      // An NFT is a mint of one indivisible unit.
      if (mint.decimals === 0 && mint.supply <= 1n) return undefined;
      const fallback = `${address.slice(0, 4)}…${address.slice(-4)}`;
      return nameToken(fallback, { ...textsOf(ownMetadata(mint), metaplex), decimals: mint.decimals });
    },
  };
}

/** Uses one reader for the tokens of EVM chains, another for those of Solana chains. */
export function readerByChain(
  solana: Pick<SolanaRpc, 'serves'>,
  readers: { readonly evm: TokenMetadataReader; readonly solana: TokenMetadataReader },
): TokenMetadataReader {
  return { read: (chainId, address) => readers[solana.serves(chainId) ? 'solana' : 'evm'].read(chainId, address) };
}

function metaplexAddress(mint: string): string {
  const seeds = [Buffer.from('metadata'), METADATA_PROGRAM.toBuffer(), new PublicKey(mint).toBuffer()];
  return PublicKey.findProgramAddressSync(seeds, METADATA_PROGRAM)[0].toBase58();
}

interface Texts {
  readonly name: string;
  readonly symbol: string;
}

function textsOf(own: Buffer | undefined, metaplex: SolanaAccount | undefined): Texts {
  if (own !== undefined) return readTexts(own, OWN_TEXTS_AT);
  if (metaplex?.owner !== METADATA_PROGRAM.toBase58()) return { name: '', symbol: '' };
  return readTexts(metaplex.data, METAPLEX_TEXTS_AT);
}

/** Name, then symbol, each with its length in front. */
function readTexts(data: Buffer, from: number): Texts {
  const name = readText(data, from);
  return { name: name.text, symbol: readText(data, name.end).text };
}

/** Empty when the data ends before the text does. */
function readText(data: Buffer, from: number): { readonly text: string; readonly end: number } {
  if (data.length < from + 4) return { text: '', end: data.length };
  const [start, end] = [from + 4, from + 4 + data.readUInt32LE(from)];
  if (end > data.length) return { text: '', end: data.length };
  return { text: data.subarray(start, end).toString('utf8').replace(/\0+$/, ''), end };
}
