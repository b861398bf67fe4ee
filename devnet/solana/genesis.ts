import { createHash } from 'node:crypto';
import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID, ASSOCIATED_TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { AddressLookupTableProgram, ComputeBudgetProgram, PublicKey, SystemProgram } from '@solana/web3.js';
import {
  type EncodedAccount,
  LISTED_TOKENS,
  SOL,
  tokenAccounts,
  UNLISTED_TOKENS,
  wrappedSolMint,
} from './genesis-tokens';
import { fundedKey, knownKey } from './known-keys';
import type { AccountState, Machine } from './machine';

const LAMPORTS_PER_SOL = 1_000_000_000n;
/** SOL that each account starts with. */
const GRANT = 10_000n;
const FAUCET_GRANT = 1_000_000_000n;
const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const TABLE_HEAD_BYTES = 56;
const NEVER = 0xffff_ffff_ffff_ffffn;

/** Who pays what `requestAirdrop` gives. */
export const faucetKey = () => knownKey('faucet');

/** Look-up tables: one of the programs and mints, one of the funded accounts' neighbours. */
export const lookupTables = (): readonly { readonly address: string; readonly addresses: readonly string[] }[] => [
  {
    address: knownKey('table of programs').publicKey.toBase58(),
    addresses: [
      ...[SystemProgram.programId, TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID, ASSOCIATED_TOKEN_PROGRAM_ID],
      ...[ComputeBudgetProgram.programId, new PublicKey(MEMO_PROGRAM)],
      ...[SOL, ...LISTED_TOKENS].map(({ address }) => new PublicKey(address)),
    ].map((key) => key.toBase58()),
  },
  {
    address: knownKey('table of strangers').publicKey.toBase58(),
    addresses: Array.from({ length: 32 }, (_, index) => knownKey(`stranger ${index}`).publicKey.toBase58()),
  },
];

/** Changes with what the chain begins with, so that an older state is not taken for the current one. */
export const genesisFingerprint = (accounts: number): string =>
  createHash('sha256')
    .update(JSON.stringify([accounts, lookupTables(), LISTED_TOKENS, UNLISTED_TOKENS].map(texts)))
    .digest('hex')
    .slice(0, 8);

const texts = (part: unknown): string =>
  JSON.stringify(part, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));

/** Puts accounts, tokens and look-up tables on an empty chain. */
export function writeGenesis(machine: Machine, accounts: number): void {
  const holders = Array.from({ length: accounts }, (_, index) => fundedKey(index).publicKey);
  const authority = holders[0] ?? faucetKey().publicKey;
  for (const holder of holders) machine.write(holder.toBase58(), wallet(GRANT));
  machine.write(faucetKey().publicKey.toBase58(), wallet(FAUCET_GRANT));
  const tokens = [...LISTED_TOKENS, ...UNLISTED_TOKENS].flatMap((token) =>
    tokenAccounts(token, { authority, holders }),
  );
  const tables = lookupTables().map((table) => tableAccount(table, authority));
  for (const account of [wrappedSolMint(), ...tokens, ...tables]) write(machine, account);
}

const wallet = (sol: bigint): AccountState => ({
  lamports: sol * LAMPORTS_PER_SOL,
  owner: SystemProgram.programId.toBase58(),
  data: new Uint8Array(),
  executable: false,
});

function write(machine: Machine, { address, owner, data }: EncodedAccount): void {
  const lamports = machine.rent(data.length);
  machine.write(address, { lamports, owner: owner.toBase58(), data, executable: false });
}

function tableAccount(
  { address, addresses }: { readonly address: string; readonly addresses: readonly string[] },
  authority: PublicKey,
): EncodedAccount {
  const head = Buffer.alloc(TABLE_HEAD_BYTES);
  head.writeUInt32LE(1, 0); // a look-up table
  head.writeBigUInt64LE(NEVER, 4); // slot of its deactivation
  head.writeUInt8(1, 21); // with an authority
  authority.toBuffer().copy(head, 22);
  const data = Buffer.concat([head, ...addresses.map((key) => new PublicKey(key).toBuffer())]);
  return { address, owner: AddressLookupTableProgram.programId, data };
}
