import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID, unpackAccount, unpackMint } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import type { AccountState, Machine } from './machine';

export const TOKEN_PROGRAMS: readonly string[] = [TOKEN_PROGRAM_ID.toBase58(), TOKEN_2022_PROGRAM_ID.toBase58()];

/** A token account, decoded. */
export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  readonly program: string;
  readonly amount: bigint;
  readonly decimals: number;
}

/** An amount as nodes write it. */
export interface UiAmount {
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number | null;
  readonly uiAmountString: string;
}

export function uiAmount(amount: bigint, decimals: number): UiAmount {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
  const uiAmountString = `${whole}.${fraction}`.replace(/\.?0*$/, '');
  return { amount: amount.toString(), decimals, uiAmount: +uiAmountString, uiAmountString };
}

const infoOf = ({ lamports, owner, data, executable }: AccountState) => ({
  owner: new PublicKey(owner),
  data: Buffer.from(data),
  executable,
  lamports: Number.parseInt(lamports.toString(), 10),
});

/** The token account in this state; `undefined` when it is none. */
export function tokenAccountOf(machine: Pick<Machine, 'account'>, state: AccountState): TokenAccount | undefined {
  const account = decodedAccount(state);
  if (account === undefined) return undefined;
  const mint = machine.account(account.mint.toBase58());
  const decimals = mint === undefined ? undefined : decodedMint(mint)?.decimals;
  if (decimals === undefined) return undefined;
  const [of, owner] = [account.mint.toBase58(), account.owner.toBase58()];
  return { mint: of, owner, program: state.owner, amount: account.amount, decimals };
}

function decodedAccount(state: AccountState) {
  if (!TOKEN_PROGRAMS.includes(state.owner)) return undefined;
  try {
    return unpackAccount(PublicKey.default, infoOf(state), new PublicKey(state.owner));
  } catch {
    return undefined; // a mint, or a multisignature account
  }
}

export function decodedMint(state: AccountState) {
  if (!TOKEN_PROGRAMS.includes(state.owner)) return undefined;
  try {
    return unpackMint(PublicKey.default, infoOf(state), new PublicKey(state.owner));
  } catch {
    return undefined;
  }
}

/** A token account or mint in words, as `jsonParsed` has it; `undefined` for other accounts. */
export function parsedToken(machine: Pick<Machine, 'account'>, state: AccountState): object | undefined {
  const program = state.owner === TOKEN_PROGRAMS[0] ? 'spl-token' : 'spl-token-2022';
  const info = parsedHolding(machine, state) ?? parsedMint(state);
  return info === undefined ? undefined : { program, parsed: info, space: state.data.length };
}

function parsedHolding(machine: Pick<Machine, 'account'>, state: AccountState): object | undefined {
  const [account, holding] = [decodedAccount(state), tokenAccountOf(machine, state)];
  if (account === undefined || holding === undefined) return undefined;
  const { mint, owner, amount, decimals } = holding;
  const delegated =
    account.delegate === null
      ? {}
      : { delegate: account.delegate.toBase58(), delegatedAmount: uiAmount(account.delegatedAmount, decimals) };
  const tokenAmount = uiAmount(amount, decimals);
  const state_ = account.isFrozen ? 'frozen' : 'initialized';
  return {
    type: 'account',
    info: { isNative: account.isNative, mint, owner, state: state_, tokenAmount, ...delegated },
  };
}

function parsedMint(state: AccountState): object | undefined {
  const mint = decodedMint(state);
  if (mint === undefined) return undefined;
  const { decimals, supply, isInitialized } = mint;
  const [mintAuthority, freezeAuthority] = [mint.mintAuthority, mint.freezeAuthority].map(
    (key) => key?.toBase58() ?? null,
  );
  return { type: 'mint', info: { decimals, supply: supply.toString(), isInitialized, mintAuthority, freezeAuthority } };
}
