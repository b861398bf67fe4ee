import {
  ACCOUNT_SIZE,
  AccountType,
  ExtensionType,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  MintLayout,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import type { ListedToken } from '../../src/chains/chain';
import { knownKey } from './known-keys';

/** Metaplex's token metadata program: the account that it would have written for a mint is enough for readers. */
const METADATA_PROGRAM = new PublicKey('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
const METADATA_SIZE = 679;
const METADATA_V1 = 4;

export interface GenesisToken extends ListedToken {
  /** `token-2022` mints carry their name themselves; a `metaplex` one has it in an account of that program. */
  readonly standard: 'token' | 'metaplex' | 'token-2022';
  /** Whole tokens that each account starts with. */
  readonly grant: bigint;
}

const mint = (symbol: string): string => knownKey(`mint ${symbol}`).publicKey.toBase58();
const token = (symbol: string, name: string, units: { decimals: number; grant: bigint }): GenesisToken => ({
  address: mint(symbol),
  symbol,
  name,
  standard: 'token',
  ...units,
});

/** Wrapped SOL, whose mint every cluster has. Stands for SOL wherever tokens are named. */
export const SOL: ListedToken = { address: NATIVE_MINT.toBase58(), symbol: 'SOL', name: 'Solana', decimals: 9 };

/** Tokens that the deployment lists. BRS has the six decimals that public clients of the contract send. */
export const LISTED_TOKENS: readonly GenesisToken[] = [
  token('USDC', 'USD Coin', { decimals: 6, grant: 1_000_000n }),
  token('BRZ', 'BRZ Token', { decimals: 4, grant: 5_000_000n }),
  token('BRS', 'BRS Token', { decimals: 6, grant: 5_000_000n }),
];

/** Tokens that exist on the chain but are not listed. */
export const UNLISTED_TOKENS: readonly GenesisToken[] = [
  { ...token('CAJU', 'Caju Points', { decimals: 9, grant: 10_000n }), standard: 'metaplex' },
  { ...token('PITU', 'Pitu Points', { decimals: 2, grant: 10_000n }), standard: 'token-2022' },
];

export interface EncodedAccount {
  readonly address: string;
  readonly owner: PublicKey;
  readonly data: Uint8Array;
}

/** The accounts of a token: its mint, where its name stands, and one token account for each holder. */
export function tokenAccounts(
  given: GenesisToken,
  { authority, holders }: { readonly authority: PublicKey; readonly holders: readonly PublicKey[] },
): readonly EncodedAccount[] {
  const { address, standard, decimals, grant } = given;
  const program = standard === 'token-2022' ? TOKEN_2022_PROGRAM_ID : TOKEN_PROGRAM_ID;
  const amount = grant * 10n ** BigInt(decimals);
  const key = new PublicKey(address);
  const data = mintData({ decimals, authority, supply: amount * BigInt(holders.length) });
  const held = holders.map((owner) => ({
    address: getAssociatedTokenAddressSync(key, owner, true, program).toBase58(),
    owner: program,
    data: holdingData({ mint: key, owner, amount }, standard),
  }));
  const mintAccount = { address, owner: program, data: standard === 'token-2022' ? withMetadata(data, given) : data };
  return [mintAccount, ...(standard === 'metaplex' ? [metaplexAccount(given, authority)] : []), ...held];
}

/** The mint that wraps SOL. */
export const wrappedSolMint = (): EncodedAccount => ({
  address: SOL.address,
  owner: TOKEN_PROGRAM_ID,
  data: mintData({ decimals: SOL.decimals, authority: undefined, supply: 0n }),
});

interface MintParts {
  readonly decimals: number;
  readonly authority: PublicKey | undefined;
  readonly supply: bigint;
}

function mintData({ decimals, authority, supply }: MintParts): Buffer {
  const data = Buffer.alloc(MINT_SIZE);
  const option = authority === undefined ? 0 : 1;
  const key = authority ?? PublicKey.default;
  MintLayout.encode(
    {
      mintAuthorityOption: option,
      mintAuthority: key,
      supply,
      decimals,
      isInitialized: true,
      freezeAuthorityOption: option,
      freezeAuthority: key,
    },
    data,
  );
  return data;
}

interface HoldingParts {
  readonly mint: PublicKey;
  readonly owner: PublicKey;
  readonly amount: bigint;
}

const AMOUNT_AT = 64;
const STATE_AT = 108;
const INITIALIZED = 1;

function holdingData({ mint: of, owner, amount }: HoldingParts, standard: GenesisToken['standard']): Buffer {
  const data = Buffer.alloc(ACCOUNT_SIZE);
  of.toBuffer().copy(data, 0);
  owner.toBuffer().copy(data, 32);
  data.writeBigUInt64LE(amount, AMOUNT_AT);
  data.writeUInt8(INITIALIZED, STATE_AT);
  if (standard !== 'token-2022') return data;
  // As the associated account program makes them: their owner cannot be changed.
  return Buffer.concat([data, Buffer.from([AccountType.Account]), extension(ExtensionType.ImmutableOwner, [])]);
}

/** A mint that points at itself for its metadata, and holds it. */
function withMetadata(data: Buffer, { address, name, symbol }: GenesisToken): Buffer {
  const key = new PublicKey(address).toBuffer();
  const noOwner = Buffer.alloc(32);
  return Buffer.concat([
    ...[data, Buffer.alloc(ACCOUNT_SIZE - MINT_SIZE), Buffer.from([AccountType.Mint])],
    extension(ExtensionType.MetadataPointer, [noOwner, key]),
    extension(ExtensionType.TokenMetadata, [noOwner, key, text(name), text(symbol), text(''), Buffer.alloc(4)]),
  ]);
}

function extension(type: ExtensionType, parts: readonly Buffer[]): Buffer {
  const [head, value] = [Buffer.alloc(4), Buffer.concat(parts)];
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
}

function metaplexAccount({ address, name, symbol }: GenesisToken, authority: PublicKey): EncodedAccount {
  const key = new PublicKey(address);
  const [metadata] = PublicKey.findProgramAddressSync(
    [Buffer.from('metadata'), METADATA_PROGRAM.toBuffer(), key.toBuffer()],
    METADATA_PROGRAM,
  );
  const texts = [text(name, 32), text(symbol, 10), text('', 200)];
  const data = Buffer.concat([Buffer.from([METADATA_V1]), authority.toBuffer(), key.toBuffer(), ...texts]);
  const rest = Buffer.alloc(METADATA_SIZE - data.length);
  return { address: metadata.toBase58(), owner: METADATA_PROGRAM, data: Buffer.concat([data, rest]) };
}

/** Text with its length in front, filled up with zeros to the size that the program reserves. */
function text(value: string, size = Buffer.byteLength(value)): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(size);
  return Buffer.concat([length, Buffer.from(value.padEnd(size, '\0'))]);
}
