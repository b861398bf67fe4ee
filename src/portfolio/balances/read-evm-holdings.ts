import { type Address, encodeFunctionData, erc20Abi, hexToBigInt, multicall3Abi, size } from 'viem';
import { NATIVE_TOKEN } from '../../chains/addresses';
import type { Chain } from '../../chains/chain';
import { InvariantError } from '../../errors/invariant-error';
import type { ContractRead } from '../../rpc/contract-read';
import { MULTICALL3 } from '../../rpc/multicall';
import type { BlockHead } from '../../rpc/block-reads/block-head';
import { readAtBlock, readLatest } from '../../rpc/block-reads/read-at-one-block';
import type { ReadOutcome } from '../../rpc/block-reads/read-outcome';
import type { Rpc } from '../../rpc/rpc';
import type { ChainCalls } from './chain-calls';
import { type Holding, heldAmount, unreadableHolding, type WalletHoldings, type WalletTokenRequest } from './holding';
import { listedTokens } from './listed-tokens';

/** Balances that one request reads on a chain, for all of its wallets together. */
const MAX_READS = 8000;
/** Tokens of one wallet that one request reads on a chain. */
const MAX_TOKENS_PER_WALLET = 2000;
/** A token that returns more than this in place of a balance uses memory and time of every request. */
const MAX_RETURNED_BYTES = 4096;

export interface EvmHoldings {
  readonly byWallet: ReadonlyMap<string, WalletHoldings>;
  /** Canonical addresses of the tokens that made a call fail, or returned too much data. */
  readonly broken: readonly string[];
}

interface BalanceRead extends ContractRead<bigint> {
  readonly wallet: string;
  readonly token: string;
}

interface EvmSource {
  readonly rpc: Pick<Rpc, 'request'>;
  readonly chain: Chain;
  readonly calls: ChainCalls;
}

interface EvmRead {
  readonly wallets: readonly WalletTokenRequest[];
  /** Canonical addresses of tokens that are not read for now. */
  readonly quarantined?: ReadonlySet<string> | undefined;
}

/**
 * Reads native coins and tokens of wallets on one chain, at one block. The first call, with native coins and listed tokens,
 * decides whether the chain responds. Tokens that callers name are read in further calls, whose failure leaves the others intact.
 *
 * @throws PROVIDER_UNAVAILABLE when the chain does not respond
 */
export async function readEvmHoldings(
  source: EvmSource,
  { wallets, quarantined = new Set() }: EvmRead,
): Promise<EvmHoldings> {
  const maximum = Math.min(MAX_TOKENS_PER_WALLET, Math.floor(MAX_READS / Math.max(1, wallets.length)) - 1);
  const selected = wallets.map(({ address, tokens, isTruncated: hasMore = false }) => {
    const readable = tokens.filter((token) => !quarantined.has(token));
    const isTruncated = hasMore || readable.length > maximum;
    const skipped = tokens.filter((token) => quarantined.has(token));
    return { address, tokens: readable.slice(0, maximum), skipped, isTruncated };
  });
  const natives = selected.map(({ address }) => nativeRead(address));
  const { block, outcomes } = await readAll(source, {
    natives,
    tokens: selected.flatMap(({ address, tokens }) => tokens.map(tokenRead(address))),
  });
  const held = new Map<string, Holding[]>(selected.map(({ address }) => [address, []]));
  for (const [read, outcome] of outcomes) held.get(read.wallet)?.push(holdingOf(read.token, outcome));
  const byWallet = selected.map(({ address, skipped, isTruncated }) => {
    const holdings = [...(held.get(address) ?? []), ...skipped.map((token) => unreadableHolding(token, 'QUARANTINED'))];
    return [address, { block, holdings, isTruncated }] as const;
  });
  const broken = outcomes.filter(([{ token }, outcome]) => token !== NATIVE_TOKEN && isBroken(outcome));
  return { byWallet: new Map(byWallet), broken: [...new Set(broken.map(([{ token }]) => token))] };
}

type ReadResult = readonly [BalanceRead, ReadOutcome<bigint> | undefined];

async function readAll(
  { rpc, chain, calls }: EvmSource,
  { natives, tokens }: { readonly natives: readonly BalanceRead[]; readonly tokens: readonly BalanceRead[] },
): Promise<{ readonly block: BlockHead; readonly outcomes: readonly ReadResult[] }> {
  const { chainId } = chain;
  const listed = listedTokens(chain);
  const safe = [...natives, ...tokens.filter(({ token }) => listed.has(token))];
  const first = await calls.required((signal) =>
    rpc.request(chainId, (client) => readLatest(client, { chain, reads: safe, signal }, natives.length)),
  );
  const { block } = first;
  const readLater = async (reads: readonly BalanceRead[]): Promise<readonly ReadResult[]> => {
    if (reads.length === 0) return [];
    const outcomes = await calls.optional((signal) =>
      rpc.request(chainId, (client) => readAtBlock(client, { chain, reads, block, signal })),
    );
    return reads.map((read, index) => [read, outcomes?.[index]] as const);
  };
  const paired = safe.map((read, index) => [read, first.outcomes[index]] as const);
  const [repeated, named] = await Promise.all([
    readLater(paired.filter(([, outcome]) => outcome === undefined).map(([read]) => read)),
    readLater(tokens.filter(({ token }) => !listed.has(token))),
  ]);
  return { block, outcomes: [...paired.filter(([, outcome]) => outcome !== undefined), ...repeated, ...named] };
}

const nativeRead = (wallet: string): BalanceRead => ({
  wallet,
  token: NATIVE_TOKEN,
  to: MULTICALL3,
  data: encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [wallet as Address] }),
  decode: decodeWord,
});

const tokenRead =
  (wallet: string) =>
  (token: string): BalanceRead => ({
    wallet,
    token,
    to: token as Address,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet as Address] }),
    decode: decodeWord,
  });

/** Exactly one word: a longer result is no number up to 2^256 - 1, and a shorter one no balance. */
function decodeWord(data: `0x${string}`): bigint {
  if (size(data) !== 32) throw new InvariantError('not one word');
  return hexToBigInt(data);
}

function holdingOf(token: string, outcome: ReadOutcome<bigint> | undefined): Holding {
  const isNative = token === NATIVE_TOKEN;
  switch (outcome?.status) {
    case 'read':
      return heldAmount(token, outcome.value, { isNative });
    case 'reverted':
      return unreadableHolding(token, 'REVERTED', isNative);
    case 'invalid':
      return unreadableHolding(token, 'INVALID_DATA', isNative);
    case undefined:
      return unreadableHolding(token, 'NOT_READ', isNative);
  }
}

function isBroken(outcome: ReadOutcome<bigint> | undefined): boolean {
  if (outcome?.status === 'reverted') return outcome.brokeMulticall;
  return outcome?.status === 'invalid' && outcome.bytes > MAX_RETURNED_BYTES;
}
