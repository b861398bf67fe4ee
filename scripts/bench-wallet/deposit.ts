import { readFileSync, writeFileSync } from 'node:fs';
import { type Address, createPublicClient, encodeFunctionData, http, isAddress, maxUint256, parseAbi } from 'viem';
import { z } from 'zod';
import { initCode, ownArtifact } from '../../devnet/artifacts';
import type { EmbeddedMode } from '../../src/main/embedded-mode';
import { invariant } from '../../src/errors/invariant-error';
import type { EmbeddedServer } from '../bench-quotes/with-embedded-server';
import { createLocalSender, type LocalSender } from './local-sender';

/** Positions of a wallet on each chain. */
const PER_CHAIN = 10;
/** Interest of the vaults that are added: 5 % a year, with 18 decimals. */
const YEARLY_RATE = 50_000_000_000_000_000n;
/** Decimals that shares have more than their asset. */
const OFFSET = 6;

const strategyRows = z.array(
  z.looseObject({
    id: z.string(),
    brand: z.string(),
    protocol: z.string(),
    chainId: z.number(),
    market: z.custom<Address>((value) => typeof value === 'string' && isAddress(value)),
    underlying: z.custom<Address>((value) => typeof value === 'string' && isAddress(value)),
  }),
);
type Row = z.infer<typeof strategyRows>[number];

/** Adds vaults to the catalog of an embedded mode, so that each chain has as many strategies as the wallets have positions. */
export async function addStrategies({ environment, universe }: EmbeddedMode): Promise<void> {
  const file = environment['STRATEGIES_FILE'];
  invariant(file, 'the embedded mode has strategies');
  const rows = strategyRows.parse(JSON.parse(readFileSync(file, 'utf8')));
  const added: Row[] = [];
  for (const { chainId, rpcUrl } of universe.description.chains) {
    const own = depositable(rows, chainId);
    const [steady] = own.filter(({ brand }) => brand === 'Steady');
    if (steady === undefined) continue;
    const sender = await createLocalSender(rpcUrl);
    for (let number = own.length; number < PER_CHAIN; number += 1) {
      const brand = `Bench${String(number)}`;
      const args = [steady.underlying, `${brand} USDC`, `b${String(number)}USDC`, YEARLY_RATE, OFFSET];
      const { contractAddress: market } = await sender.send({ data: initCode(ownArtifact('YieldVault'), args) });
      invariant(market, 'a vault was not deployed');
      added.push({ ...steady, id: steady.id.replace('Steady', brand), brand, market });
    }
  }
  writeFileSync(file, JSON.stringify([...rows, ...added]));
}

/** Protocols without a deposit by a single call: orders, and requests that the vault fulfils later. */
const WITHOUT_DEPOSIT: ReadonlySet<string> = new Set(['tokenized-stock', 'erc7540']);

/** Strategies that wallets deposit into by calls. */
const depositable = (rows: readonly Row[], chainId: number): readonly Row[] =>
  rows.filter((row) => row.chainId === chainId && !WITHOUT_DEPOSIT.has(row.protocol));

const ABI = parseAbi([
  'function mint(address to, uint256 value)',
  'function deposit() payable',
  'function approve(address spender, uint256 value)',
  'function getPool() view returns (address)',
  'function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)',
  'function supplyTo(address dst, address asset, uint256 amount)',
]);
const VAULT_ABI = parseAbi(['function deposit(uint256 assets, address receiver)']);

/** 100 USDC, and less than a coin. */
const ASSETS = 100_000_000n;

/** Deposits into the strategies of the catalog for each wallet: real positions with a history. Returns the number of each wallet. */
export async function deposit(
  { chains, strategiesFile }: Pick<EmbeddedServer, 'chains' | 'strategiesFile'>,
  wallets: readonly Address[],
): Promise<number> {
  const rows = strategyRows.parse(JSON.parse(readFileSync(strategiesFile, 'utf8')));
  let positions = 0;
  for (const { chainId, rpcUrl, tokens } of chains) {
    const own = depositable(rows, chainId);
    if (own.length === 0) continue;
    const sender = await createLocalSender(rpcUrl);
    const wrapped = tokens.find(({ symbol }) => symbol === 'WETH')?.address;
    for (const row of own) await depositInto(sender, { row, rpcUrl, isCoin: row.underlying === wrapped, wallets });
    positions += own.length;
  }
  return positions;
}

async function depositInto(
  sender: LocalSender,
  {
    row,
    rpcUrl,
    isCoin,
    wallets,
  }: {
    readonly row: Row;
    readonly rpcUrl: string;
    readonly isCoin: boolean;
    readonly wallets: readonly Address[];
  },
): Promise<void> {
  const { underlying } = row;
  const target = row.protocol === 'aave-v3' ? await poolOf(rpcUrl, row.market) : row.market;
  const value = ASSETS * BigInt(wallets.length);
  const obtain = isCoin
    ? { data: encodeFunctionData({ abi: ABI, functionName: 'deposit' }), value }
    : { data: encodeFunctionData({ abi: ABI, functionName: 'mint', args: [sender.address, value] }) };
  await sender.send({ to: underlying, ...obtain });
  const approval = encodeFunctionData({ abi: ABI, functionName: 'approve', args: [target, maxUint256] });
  await sender.send({ to: underlying, data: approval });
  for (const wallet of wallets) await sender.send({ to: target, data: depositCall(row, wallet) });
}

function depositCall({ protocol, underlying }: Row, wallet: Address): `0x${string}` {
  if (protocol === 'aave-v3')
    return encodeFunctionData({ abi: ABI, functionName: 'supply', args: [underlying, ASSETS, wallet, 0] });
  if (protocol === 'compound-v3')
    return encodeFunctionData({ abi: ABI, functionName: 'supplyTo', args: [wallet, underlying, ASSETS] });
  return encodeFunctionData({ abi: VAULT_ABI, functionName: 'deposit', args: [ASSETS, wallet] });
}

const poolOf = (rpcUrl: string, provider: Address): Promise<Address> =>
  createPublicClient({ transport: http(rpcUrl) }).readContract({
    address: provider,
    abi: ABI,
    functionName: 'getPool',
  });
