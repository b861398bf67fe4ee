import path from 'node:path';
import type { ListedToken } from '../../src/chains/chain';
import { startHttpEmulator } from '../emulators/http-emulator';
import { executeCalls } from './execute-calls';
import { createBank } from './bank';
import { base58 } from './base58';
import { genesisFingerprint, lookupTables } from './genesis';
import { LISTED_TOKENS, SOL, UNLISTED_TOKENS } from './genesis-tokens';
import { openJournal } from './journal';
import { fundedKey } from './known-keys';
import { accountMethods } from './methods/account-methods';
import { chainMethods } from './methods/chain-methods';
import { controlMethods } from './methods/control-methods';
import { historyMethods } from './methods/history-methods';
import type { Node } from './methods/method';
import { transactionMethods } from './methods/transaction-methods';

const SLUG = 'solana-local';
const CHAIN_ID = 1_151_111_081_099_711;
const SLOT_MS = 400;
/** Slots on top of a transaction: a cluster needs 1 and 32 of them, which is too slow for local work. */
const FINALITY = { confirmed: 1, finalized: 5 };

export interface SolanaAccount {
  readonly address: string;
  /** The 64 bytes of the key pair in base 58, as wallets import them. */
  readonly secretKey: string;
}

/** The chain as `CHAINS_FILE` describes chains. */
export interface SolanaChainDescription {
  readonly slug: string;
  readonly chainId: number;
  readonly kind: 'solana';
  readonly name: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly confirmations: number;
  readonly tokens: readonly ListedToken[];
  readonly rpcUrl: string;
}

export interface SolanaValidatorOptions {
  /** Where the chain keeps its state: a second start with the same directory continues where the first ended. */
  readonly dataDirectory: string;
  /** How many funded accounts there are. */
  readonly accounts: number;
  /** A free one when not given. */
  readonly port?: number | undefined;
  readonly log: (line: string) => void;
  /** 400 when not given. */
  readonly slotMs?: number | undefined;
}

export interface SolanaValidator {
  readonly rpcUrl: string;
  readonly chain: SolanaChainDescription;
  readonly tokens: readonly ListedToken[];
  /** Tokens that the description of the chain does not list, and every account holds: found on chain only. */
  readonly unlistedTokens: readonly ListedToken[];
  readonly accounts: readonly SolanaAccount[];
  readonly lookupTables: readonly { readonly address: string; readonly addresses: readonly string[] }[];
  stop(): Promise<void>;
}

/**
 * Solana's JSON-RPC over its real runtime, in this process: programs, fees, blockhashes that expire, commitment levels
 * and the index of signatures are those of a cluster. There are no blocks, no stake and no websocket; accounts are
 * always read at their newest state.
 *
 * Time follows the wall clock, so an idle chain costs nothing. Every transaction is on disk before the response is sent.
 *
 * @throws DevnetError when the directory holds something else.
 */
export async function startSolanaValidator(options: SolanaValidatorOptions): Promise<SolanaValidator> {
  const { dataDirectory, accounts, port = 0, slotMs = SLOT_MS, log } = options;
  const journal = openJournal(path.join(dataDirectory, `${SLUG}-${genesisFingerprint(accounts)}`));
  const bank = createBank({ journal, accounts, slotMs });
  bank.now();
  const node: Node = { bank, finality: FINALITY };
  const methods = {
    ...accountMethods(node),
    ...chainMethods(node),
    ...historyMethods(node),
    ...transactionMethods(node),
    ...controlMethods(node, journal),
  };
  const server = await startHttpEmulator({
    port,
    routes: { 'POST /': ({ body }) => ({ body: executeCalls(methods, body) }) },
  });
  log(`chain ${SLUG} listens on ${server.url} with ${bank.ledger.size} transactions`);
  const tokens = [SOL, ...LISTED_TOKENS].map(listed);
  return {
    rpcUrl: server.url,
    tokens,
    chain: describe(server.url, tokens),
    lookupTables: lookupTables(),
    unlistedTokens: UNLISTED_TOKENS.map(listed),
    accounts: Array.from({ length: accounts }, (_, index) => accountOf(index)),
    stop: () => server.stop(),
  };
}

const describe = (rpcUrl: string, tokens: readonly ListedToken[]): SolanaChainDescription => ({
  slug: SLUG,
  chainId: CHAIN_ID,
  kind: 'solana',
  name: 'Solana Local',
  confirmations: 1,
  tokens,
  rpcUrl,
  nativeCurrency: { name: 'Solana', symbol: 'SOL', decimals: 9 },
});

const listed = ({ address, symbol, name, decimals }: ListedToken): ListedToken => ({ address, symbol, name, decimals });

function accountOf(index: number): SolanaAccount {
  const { publicKey, secretKey } = fundedKey(index);
  return { address: publicKey.toBase58(), secretKey: base58(secretKey) };
}
