import { encodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, keccak256, zeroHash } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { ACROSS_KEYS } from '../../across/across-contracts';
import { createJsonRpc } from '../../json-rpc';
import { unixNow } from '../../unix-now';
import type { BridgedChain } from './bridged-chain';
import type { Deposit } from './ledger';
import { merkleTree } from './merkle-tree';
import { refundLeaf, slowFillLeaf, spokePoolAbi, toAddress, toBytes32 } from './spoke-pool';

const { relayer, dataworker } = ACROSS_KEYS;
const RELAYER = privateKeyToAddress(relayer);
const UNFILLED = 0n;

/** Pays out a deposit on its destination from the relayer's own tokens. */
export async function fill(destination: BridgedChain, { relay }: Deposit): Promise<void> {
  if (!(await isUnfilled(destination, relay))) return;
  const args = [relay, BigInt(destination.chainId), toBytes32(RELAYER)] as const;
  await destination.call({ key: relayer, functionName: 'fillRelay', args });
}

/**
 * Pays out `amount` instead of what the deposit promises. The protocol allows that for one way only: a slow fill, whose
 * amount is in the leaf of a root that the owner relays. The SpokePool pays it, so it is given the tokens first.
 */
export async function fillSlowly(destination: BridgedChain, { relay }: Deposit, amount: bigint): Promise<void> {
  if (!(await isUnfilled(destination, relay))) return;
  const { chainId, spokePool } = destination;
  const leaf = { relayData: relay, chainId: BigInt(chainId), updatedOutputAmount: amount };
  const hash = keccak256(encodeAbiParameters(slowFillLeaf, [leaf]));
  const supply = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [spokePool, amount] });
  await destination.send({ key: relayer, to: toAddress(relay.outputToken), data: supply });
  const bundle = await relayRoots(destination, { refunds: zeroHash, slowFills: hash });
  await destination.call({ key: relayer, functionName: 'executeSlowRelayLeaf', args: [leaf, bundle, []] });
}

/**
 * Pays expired deposits of one chain back to their depositors: one root for all, one leaf for each. The number of the
 * leaf is that of the deposit, so that a ledger that starts anew identifies the refunded deposits.
 */
export async function refund(origin: BridgedChain, deposits: readonly Deposit[]): Promise<void> {
  const leaves = deposits.map(({ relay }) => ({
    amountToReturn: 0n,
    chainId: BigInt(origin.chainId),
    refundAmounts: [relay.inputAmount],
    leafId: Number.parseInt(String(relay.depositId), 10),
    l2TokenAddress: toAddress(relay.inputToken),
    refundAddresses: [toAddress(relay.depositor)],
  }));
  const [first, ...others] = leaves.map((leaf) => keccak256(encodeAbiParameters(refundLeaf, [leaf])));
  if (first === undefined) return;
  const { root, proofs } = merkleTree([first, ...others]);
  const bundle = await relayRoots(origin, { refunds: root, slowFills: zeroHash });
  for (const [index, leaf] of leaves.entries()) {
    const args = [bundle, leaf, proofs[index] ?? []] as const;
    await origin.call({ key: dataworker, functionName: 'executeRelayerRefundLeaf', args });
  }
}

/** Moves the clock of a chain on which nothing happens. */
export async function tick(chain: BridgedChain): Promise<void> {
  await chain.send({ key: relayer, to: RELAYER });
}

/** Moves the clock of a chain past a time in Unix seconds, or to the present when that is later. */
export async function passTime(chain: BridgedChain, time: bigint): Promise<void> {
  if ((await chain.now()) > time) return;
  const timestamp = Math.max(Number.parseInt(time.toString(), 10) + 1, unixNow());
  const mining = [{ method: 'evm_setNextBlockTimestamp', params: [timestamp] }, { method: 'evm_mine' }];
  await createJsonRpc(chain.rpcUrl).batch(mining);
}

async function isUnfilled(destination: BridgedChain, relay: Deposit['relay']): Promise<boolean> {
  const { client, spokePool } = destination;
  const pool = { address: spokePool, abi: spokePoolAbi };
  const hash = await client.readContract({ ...pool, functionName: 'getV3RelayHash', args: [relay] });
  return (await client.readContract({ ...pool, functionName: 'fillStatuses', args: [hash] })) === UNFILLED;
}

interface Roots {
  readonly refunds: Hex;
  readonly slowFills: Hex;
}

/** Number of the bundle that the roots got. */
async function relayRoots(chain: BridgedChain, { refunds, slowFills }: Roots): Promise<number> {
  const args = [refunds, slowFills] as const;
  const { blockNumber } = await chain.call({ key: dataworker, functionName: 'relayRootBundle', args });
  const [relayed] = await chain.client.getContractEvents({
    address: chain.spokePool,
    abi: spokePoolAbi,
    eventName: 'RelayedRootBundle',
    args: { relayerRefundRoot: refunds, slowRelayRoot: slowFills },
    fromBlock: blockNumber,
    toBlock: blockNumber,
    strict: true,
  });
  return relayed?.args.rootBundleId ?? 0;
}
