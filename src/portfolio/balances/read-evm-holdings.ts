import { type Address, encodeFunctionData, erc20Abi, hexToBigInt, multicall3Abi, size } from 'viem';
import { NATIVE_TOKEN } from '../../chains/addresses';
import { InvariantError } from '../../errors/invariant-error';
import type { ContractRead } from '../../rpc/contract-read';
import { MULTICALL3 } from '../../rpc/multicall';
import { readAtOneBlock } from '../../rpc/block-reads/read-at-one-block';
import type { ReadOutcome } from '../../rpc/block-reads/read-outcome';
import type { Rpc } from '../../rpc/rpc';
import { type ChainRead, type Holding, heldAmount, unreadable, type WalletHoldings } from './holding';

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

/**
 * Reads native coins and tokens of wallets on one chain, at one block: one eth_call up to about 400 balances.
 *
 * @throws PROVIDER_UNAVAILABLE when the chain does not respond
 */
export async function readEvmHoldings(
  { rpc, chainId }: { readonly rpc: Pick<Rpc, 'request'>; readonly chainId: number },
  { wallets, quarantined, signal }: ChainRead,
): Promise<EvmHoldings> {
  const maximum = Math.min(MAX_TOKENS_PER_WALLET, Math.floor(MAX_READS / Math.max(1, wallets.length)) - 1);
  const selected = wallets.map(({ address, tokens }) => {
    const readable = tokens.filter((token) => !quarantined.has(token));
    const isTruncated = readable.length > maximum;
    const skipped = tokens.filter((token) => quarantined.has(token));
    return { address, tokens: readable.slice(0, maximum), skipped, isTruncated };
  });
  const reads = selected.flatMap(({ address, tokens }) => [nativeRead(address), ...tokens.map(tokenRead(address))]);
  const { block, outcomes } = await rpc.request(chainId, (client) =>
    readAtOneBlock(client, { chainId, reads, signal }),
  );
  const held = new Map<string, Holding[]>(selected.map(({ address }) => [address, []]));
  for (const [index, { wallet, token }] of reads.entries()) held.get(wallet)?.push(holdingOf(token, outcomes[index]));
  const byWallet = selected.map(({ address, skipped, isTruncated }) => {
    const holdings = [...(held.get(address) ?? []), ...skipped.map((token) => unreadable(token, 'QUARANTINED'))];
    return [address, { block, holdings, isTruncated }] as const;
  });
  const broken = reads.filter(({ token }, index) => token !== NATIVE_TOKEN && isBroken(outcomes[index]));
  return { byWallet: new Map(byWallet), broken: [...new Set(broken.map(({ token }) => token))] };
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
      return unreadable(token, 'REVERTED', isNative);
    case 'invalid':
      return unreadable(token, 'INVALID_DATA', isNative);
    case 'unread':
    case undefined:
      return unreadable(token, 'NOT_READ', isNative);
  }
}

function isBroken(outcome: ReadOutcome<bigint> | undefined): boolean {
  if (outcome?.status === 'reverted') return outcome.brokeMulticall;
  return outcome?.status === 'invalid' && outcome.bytes > MAX_RETURNED_BYTES;
}
