import { type Address, createWalletClient, erc20Abi, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createJsonRpc } from '../../devnet/json-rpc';
import { createActionStarter } from '../../src/actions/start-action';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import type { RawFields } from '../../src/errors/field-reader';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import { quoteDeadline } from '../../src/quotes/quote-deadline';
import { createContractKindFinder } from '../../src/rpc/contract-kind';
import type { Token } from '../../src/tokens/token';
import type { CallItem } from '../../src/transactions/execution/transaction-item';
import { createTransfer, type TransferDeps } from '../../src/transactions/transfers/create-transfer';
import { asChain, localToken, rpcOf } from '../contract/local-swaps';
import { minedReceipt } from '../setup/mined-receipt';
import { createTestDatabase } from '../setup/test-database';
import { usdPrice } from '../setup/usd';
import { chainNamed, universeOfTests } from '../setup/universe-of-tests';
import { fakeOutputs } from './fake-outputs';
import { PRICED_AT, rejection, SOLANA_USDC } from './swap-world';
import { OPEN_LIMITS } from '../setup/open-limits';

export const TRANSFER_RECIPIENT: Address = '0x00000000000000000000000000000000000A11cE';

/** A customer who transfers tokens on the local chain, with a real database. */
export async function openTransferDesk() {
  const [universe, world] = [await universeOfTests(), await createTestDatabase()];
  const customerId = uuidV7() as CustomerId;
  await world.database.customer.create({ data: { id: customerId, name: 'one' } });
  const { signal } = new AbortController();
  const rpc = rpcOf(universe.chains);
  const devnet = chainNamed(universe, 'devnet');
  const sender = universe.accounts[4]!.address;
  const chains = createChainTable([...KNOWN_CHAINS, asChain(devnet)]);
  const solana = chains.find('solana')!;

  function findToken(address: string): Token {
    const eth = localToken(devnet, 'ETH');
    if (address === eth.address) return eth;
    const listed = devnet.tokens.find((token) => token.address === address);
    const { chainId } = devnet;
    return { logoURI: undefined, ...(listed ?? { address, symbol: 'LIE', name: 'Lie', decimals: 18 }), chainId };
  }

  const deps: TransferDeps = {
    ...fakeOutputs(),
    chains,
    rpc,
    database: world.database,
    ...createActionStarter({ database: world.database, limits: OPEN_LIMITS }),
    actionExpirySeconds: 86_400,
    webhookUrls: { allowLoopback: false },
    blockedAddresses: new Set<string>(),
    budgetMs: 60_000,
    isServed: ({ chainId }) => rpc.serves(chainId) || chainId === solana.chainId,
    findContractKind: createContractKindFinder({ rpc }),
    tokens: { find: ({ kind }, address) => Promise.resolve(kind === 'evm' ? findToken(address) : SOLANA_USDC) },
    prices: { priceUsd: () => Promise.resolve({ usd: usdPrice('2'), asOf: PRICED_AT, source: 'peg' }) },
    quoteDeadline: quoteDeadline(world.pool),
    quoteLifetimeSeconds: 300,
    transferInstructions: ({ sender: from }) =>
      Promise.resolve({ kind: 'instructions', chainId: solana.chainId, from, instructions: [], lookupTables: {} }),
  };

  const transfer = (fields: RawFields, changes: Partial<TransferDeps> = {}) =>
    createTransfer(
      { ...deps, ...changes },
      {
        customerId,
        signal,
        fields: { chainId: '31337', originAddress: sender, destinationAddress: TRANSFER_RECIPIENT, ...fields },
      },
    );

  /** Signs and sends a call; fails unless it succeeds on chain. */
  async function send({ to, data, value }: CallItem, accountIndex = 4): Promise<Hex> {
    const account = privateKeyToAccount(universe.accounts[accountIndex]!.privateKey);
    const transport = http(devnet.rpcUrl);
    const signer = createWalletClient({ account, transport, pollingInterval: 10 }).extend(publicActions);
    const transaction = { to: to as Hex, data, value: BigInt(value), gas: 500_000n, chain: null };
    const hash = await signer.sendTransaction(transaction);
    expect((await minedReceipt(signer, hash)).status).toBe('success');
    return hash;
  }

  return {
    universe,
    world,
    rpc,
    devnet,
    sender,
    deps,
    transfer,
    send,
    transferToken: (symbol: string, amount: bigint, changes: RawFields = {}) =>
      transfer({ token: localToken(devnet, symbol).address, amount: amount.toString(), ...changes }),
    setCode: (address: Address, code: Hex) => createJsonRpc(devnet.rpcUrl).call('anvil_setCode', [address, code]),
    /** Calls the token RUSD as its issuer. */
    callAsIssuer: (data: Hex) =>
      send({ chainId: '31337', from: '', to: localToken(devnet, 'RUSD').address, value: '0', data }, 0),
    async readRecipientBalance(symbol: string): Promise<bigint> {
      const { address, chainId } = localToken(devnet, symbol);
      const client = rpc.client(chainId);
      if (symbol === 'ETH') return client.getBalance({ address: TRANSFER_RECIPIENT });
      const read = { abi: erc20Abi, functionName: 'balanceOf', args: [TRANSFER_RECIPIENT] } as const;
      return client.readContract({ ...read, address: address as Hex });
    },
  };
}

export type TransferDesk = Awaited<ReturnType<typeof openTransferDesk>>;

/** The details of the TRANSFER_VALIDATION_FAILED that a transfer is refused with. */
export async function transferProblem(transferring: Promise<unknown>): Promise<{ kind: string; reason: string }> {
  const error = await rejection(transferring);
  expect(error).toMatchObject({ code: 'TRANSFER_VALIDATION_FAILED', status: 400 });
  return (error as { details: { kind: string; reason: string } }).details;
}
