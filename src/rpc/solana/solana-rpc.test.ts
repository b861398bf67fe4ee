import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { ComputeBudgetProgram, Keypair } from '@solana/web3.js';
import { type LocalSolana, memo, pay, SOL, startLocalSolana } from '../../../test/solana/local-solana';
import { createTokenRegistry } from '../../tokens/token-registry';
import { createSolanaRpc, type SolanaRpc } from './solana-rpc';
import { createSolanaTokenMetadataReader, readerByChain } from './solana-token-metadata-reader';

const warnings: unknown[] = [];
const log = { warn: (...args: unknown[]) => void warnings.push(args) };
let local: LocalSolana;
let solana: SolanaRpc;
let chainId: number;

beforeAll(async () => {
  local = await startLocalSolana();
  ({ chainId } = local.chain());
  solana = createSolanaRpc({ chains: local.chains(), log });
});
afterAll(async () => {
  await solana.close();
  await local.stop();
});

describe('the connection to a Solana chain', () => {
  it('serves the Solana chains that have an endpoint', () => {
    expect(solana.serves(chainId)).toBe(true);
    expect(solana.serves(1)).toBe(false);
  });

  it('reads accounts, balances, token balances of both programs and lookup tables', async () => {
    const alice = local.alice.publicKey.toBase58();
    const unused = Keypair.generate().publicKey.toBase58();
    const [wallet, none] = await solana.accounts(chainId, [alice, unused]);
    expect(wallet).toMatchObject({ owner: '1'.repeat(32), lamports: 10_000n * BigInt(SOL), executable: false });
    expect(none).toBeUndefined();
    expect(await solana.balance(chainId, alice)).toBe(wallet!.lamports);
    expect(await solana.balance(chainId, unused)).toBe(0n);
    const held = await solana.tokenBalances(chainId, alice);
    expect(held).toContainEqual(
      expect.objectContaining({
        mint: local.mint('USDC').toBase58(),
        amount: 10n ** 12n,
        decimals: 6,
        isFrozen: false,
      }),
    );
    expect(held.map(({ mint }) => mint)).toContain(local.mint('PITU').toBase58());
    const tables = local.validator.lookupTables;
    const read = await solana.lookupTables(chainId, [tables[0]!.address, alice, unused, tables[1]!.address]);
    expect(read).toEqual(Object.fromEntries(tables.map(({ address, addresses }) => [address, addresses])));
    expect(await solana.rent(chainId, 165)).toBe(2_039_280n);
  });

  it('reads more accounts than fit into one call, in order', async () => {
    const strangers = local.validator.lookupTables[1]!.addresses;
    const addresses = Array.from({ length: 250 }, (_, index) => strangers[index % strangers.length]!);
    addresses[203] = local.alice.publicKey.toBase58();
    const accounts = await solana.accounts(chainId, addresses);
    expect(accounts).toHaveLength(250);
    expect(accounts.flatMap((account, index) => (account === undefined ? [] : [index]))).toEqual([203]);
  });

  it('reports a transaction from its confirmation to its finality', async () => {
    const to = Keypair.generate().publicKey;
    const [usdc, from] = [local.mint('USDC'), local.alice];
    const accounts = [from, local.bob].map(({ publicKey }) => getAssociatedTokenAddressSync(usdc, publicKey));
    const signature = await local.send([
      pay(from, to, SOL),
      createTransferCheckedInstruction(accounts[0]!, usdc, accounts[1]!, from.publicKey, 5n, 6),
    ]);
    const [seen, never] = await solana.signaturesOf(chainId, [to, Keypair.generate().publicKey].map(String));
    expect(seen).toMatchObject([{ signature, failed: false }]);
    expect(never).toEqual([]);
    const unknown = '1'.repeat(88);
    const statuses = () => solana.signatureStatuses(chainId, [unknown, signature]);
    expect(await statuses()).toEqual([undefined, { slot: seen![0]!.slot, isFinal: false }]);
    const read = (commitment: 'confirmed' | 'finalized') =>
      solana.transactions(chainId, { signatures: [signature], commitment });
    const [transaction] = await read('confirmed');
    expect(transaction).toMatchObject({ signature, error: null, fee: 5000n, signers: [from.publicKey.toBase58()] });
    expect(transaction!.lamports.get(to.toBase58())).toEqual({ before: 0n, after: BigInt(SOL) });
    const got = transaction!.tokens.find(({ owner }) => owner === local.bob.publicKey.toBase58())!;
    expect(got.after - got.before).toBe(5n);
    expect(await read('finalized')).toEqual([undefined]);
    expect(await solana.finalizedSlot(chainId)).toBeLessThan(seen![0]!.slot);
    await local.advance(5);
    expect((await statuses())[1]).toMatchObject({ isFinal: true });
    expect((await read('finalized'))[0]).toMatchObject({ signature });
    expect(await solana.finalizedSlot(chainId)).toBeGreaterThanOrEqual(seen![0]!.slot);
  });

  it('simulates an unsigned transaction and reports its error', async () => {
    const transaction = await local.built([memo('x')]);
    const unsigned = Buffer.from(transaction.serialize()).toString('base64');
    expect(await solana.simulate(chainId, unsigned)).toMatchObject({ error: null, units: expect.any(BigInt) });
    const failing = await local.built([pay(local.alice, local.bob.publicKey, 10n ** 15n)]);
    const tried = await solana.simulate(chainId, Buffer.from(failing.serialize()).toString('base64'));
    expect(tried.error).toEqual({ InstructionError: [0, { Custom: 1 }] });
    expect(tried.logs.join()).toContain('insufficient lamports');
  });

  it('reports the recent priority fee for the same accounts', async () => {
    const account = Keypair.generate().publicKey;
    expect(await solana.recentPriorityFee(chainId, [account.toBase58()])).toBe(0n);
    await local.advance(150);
    for (let slot = 0; slot < 60; slot++) {
      const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 700 });
      await local.send([price, pay(local.alice, account, SOL + slot)]);
    }
    expect(await solana.recentPriorityFee(chainId, [account.toBase58()])).toBe(700n);
  });

  it('reports the health of the chain', async () => {
    const slot = await local.connection.getSlot('confirmed');
    expect(await solana.health(chainId)).toMatchObject({ status: 'ok', lagSeconds: expect.any(Number) });
    expect((await solana.health(chainId)).blockNumber).toBeGreaterThanOrEqual(slot);
  });
});

describe('tokens of a Solana chain', () => {
  const registry = () =>
    createTokenRegistry({
      metadata: readerByChain(solana, {
        evm: { read: () => Promise.reject(new Error('not an EVM chain')) },
        solana: createSolanaTokenMetadataReader({ solana }),
      }),
      store: { find: () => Promise.resolve(new Map()), save: () => Promise.resolve() },
      log,
    });
  const find = (address: string) => registry().find(local.chain(), address);

  it('are found in the list of the deployment, at Metaplex, and in Token-2022 mints', async () => {
    const facts = async (symbol: string) => find(local.mint(symbol).toBase58());
    expect(await facts('BRZ')).toMatchObject({ chainId, symbol: 'BRZ', decimals: 4 });
    expect(await facts('CAJU')).toMatchObject({ chainId, symbol: 'CAJU', name: 'Caju Points', decimals: 9 });
    expect(await facts('PITU')).toMatchObject({ chainId, symbol: 'PITU', name: 'Pitu Points', decimals: 2 });
  });

  it('are not found at wallets, token accounts, programs or invalid addresses', async () => {
    const account = getAssociatedTokenAddressSync(local.mint('USDC'), local.alice.publicKey).toBase58();
    const program = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
    for (const address of [account, program, local.alice.publicKey.toBase58(), 'USDC', '9'.repeat(2000)]) {
      expect(await find(address)).toBeUndefined();
    }
  });
});

describe('a failing Solana node', () => {
  let server: Server;
  let response: { readonly status: number; readonly body: string } | 'hang';
  let requests = 0;
  let broken: SolanaRpc;
  /** For a node that does not respond. */
  let rpcWithShortTimeout: SolanaRpc;

  beforeAll(async () => {
    server = createServer((_, reply) => {
      requests += 1;
      if (response !== 'hang') reply.writeHead(response.status).end(response.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/secret-path?key=secret-key`;
    const { table } = local.chains();
    const chains = { table, rpcUrls: new Map([[chainId, url]]) };
    broken = createSolanaRpc({ chains, log, timeoutMs: 600_000 });
    rpcWithShortTimeout = createSolanaRpc({ chains, log, timeoutMs: 300 });
  });
  afterAll(async () => {
    await Promise.all([broken.close(), rpcWithShortTimeout.close()]);
    server.closeAllConnections();
    server.close();
  });

  const rpcError = (code: number) => JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code, message: 'no' } });
  const address = '1'.repeat(32);

  it.each([
    ['hangs', 'hang', 'did not respond in time'],
    ['responds with 500', { status: 500, body: 'oops' }, 'it responded with 500'],
    ['is overloaded', { status: 429, body: '' }, 'it responded with 429'],
    ['responds with nonsense', { status: 200, body: '<html>' }, 'is not JSON'],
    [
      'responds in another form',
      { status: 200, body: '{"jsonrpc":"2.0","id":0,"result":{"context":{"slot":1},"value":-1}}' },
      'could not be read',
    ],
    ['leaves the call out', { status: 200, body: '{"jsonrpc":"2.0","id":7,"result":1}' }, 'no response to a call'],
    ['refuses', { status: 200, body: rpcError(-32602) }, 'it rejected the call'],
    ['is behind', { status: 200, body: rpcError(-32005) }, 'temporarily unavailable'],
  ] as const)(
    'is PROVIDER_UNAVAILABLE when it %s, and its address stays out of messages and log',
    async (_, how, reason) => {
      response = how;
      warnings.length = 0;
      const client = how === 'hang' ? rpcWithShortTimeout : broken;
      const failure = await client.balance(chainId, address).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', message: expect.stringContaining(reason) });
      expect(warnings).toHaveLength(1);
      expect(JSON.stringify([failure, warnings, (failure as Error).message])).not.toContain('secret');
    },
  );

  it('is retried once when it was overloaded, but not when it rejected the call', async () => {
    const callsFor = async (how: typeof response): Promise<number> => {
      [response, requests] = [how, 0];
      await broken.balance(chainId, address).catch(() => undefined);
      return requests;
    };
    expect(await callsFor({ status: 503, body: '' })).toBe(2);
    expect(await callsFor({ status: 200, body: rpcError(-32602) })).toBe(1);
  });

  it('is abandoned with the signal, and reported as down', async () => {
    response = 'hang';
    await expect(broken.balance(chainId, address, AbortSignal.timeout(50))).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
    });
    const down = { status: 'down', blockNumber: undefined, lagSeconds: undefined };
    expect(await rpcWithShortTimeout.health(chainId)).toEqual(down);
  });
});
