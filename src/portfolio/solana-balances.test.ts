import { Keypair } from '@solana/web3.js';
import { type LocalSolana, SOL, startLocalSolana } from '../../test/solana/local-solana';
import { serviceError } from '../errors/service-error';
import { createRpc } from '../rpc/rpc';
import { createSolanaRpc, type SolanaRpc } from '../rpc/solana/solana-rpc';
import { nativeBalances } from './native-balances';

const EVM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const log = { warn: () => undefined };
const { signal } = new AbortController();
let local: LocalSolana;
let solana: SolanaRpc;

beforeAll(async () => {
  local = await startLocalSolana();
  solana = createSolanaRpc({ chains: local.chains(), log });
});
afterAll(async () => {
  await solana.close();
  await local.stop();
});

const balances = (
  addresses: readonly string[],
  connection = solana as Pick<SolanaRpc, 'serves' | 'walletLamports'>,
) => {
  const chains = local.chains();
  return nativeBalances(
    { chains: chains.table, rpc: createRpc({ chains, log }), solana: connection },
    addresses,
    signal,
  );
};

describe('SOL in wallets', () => {
  it('is returned for each Solana wallet in the order of the request, and for no other address', async () => {
    const empty = Keypair.generate().publicKey.toBase58();
    const alice = local.alice.publicKey.toBase58();
    const { chainId } = local.chain();
    const sol = (amount: bigint, humanized: string) => [{ chainId, symbol: 'SOL', amount, humanized }];
    expect(await balances([empty, EVM, alice, empty, 'nonsense'])).toEqual([
      ...[sol(0n, '0'), [], sol(10_000n * BigInt(SOL), '10000'), sol(0n, '0'), []],
    ]);
  });

  it('is null while the chain is unavailable', async () => {
    const down = serviceError('PROVIDER_UNAVAILABLE', { provider: 'solana RPC', reason: 'it is down' });
    const broken = { ...solana, walletLamports: () => Promise.reject(down) };
    expect(await balances([local.alice.publicKey.toBase58()], broken)).toMatchObject([
      [{ symbol: 'SOL', amount: null, humanized: null }],
    ]);
  });
});
