import { createHash } from 'node:crypto';
import { PublicKey, VersionedMessage } from '@solana/web3.js';
import { z } from 'zod';
import { feeOf } from '../compute-budget';
import type { TransactionRecord } from '../ledger';
import { invalidParams } from '../rpc-error';
import { BLOCKHASH_LIFETIME } from '../slot-clock';
import { addressParameter, commitmentConfig, type Methods, type Node, parameter, slotAt, withContext } from './method';

const SLOTS_AN_EPOCH = 432_000;
const MAX_FEE_ACCOUNTS = 128;

/** What time it is on the chain, and what it charges. */
export function chainMethods(node: Node): Methods {
  const { bank } = node;
  const slotFor = (config: unknown): number => slotAt(node, parameter(commitmentConfig, config).commitment);
  return {
    getSlot: ([config]) => slotFor(config),
    getBlockHeight: ([config]) => bank.clock.blockHeight(slotFor(config)),
    getLatestBlockhash([config]) {
      const slot = slotFor(config);
      const lastValidBlockHeight = bank.clock.blockHeight(slot) + BLOCKHASH_LIFETIME;
      return withContext(node, { blockhash: bank.clock.blockhash(slot), lastValidBlockHeight });
    },
    isBlockhashValid: ([blockhash]) =>
      withContext(node, bank.clock.slotOf(parameter(z.string(), blockhash)) !== undefined),
    getEpochInfo([config]) {
      const absoluteSlot = slotFor(config);
      return {
        absoluteSlot,
        blockHeight: bank.clock.blockHeight(absoluteSlot),
        slotsInEpoch: SLOTS_AN_EPOCH,
        epoch: Math.floor(absoluteSlot / SLOTS_AN_EPOCH),
        slotIndex: absoluteSlot % SLOTS_AN_EPOCH,
        transactionCount: bank.ledger.size,
      };
    },
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': '2.3.0', 'feature-set': 0 }),
    getGenesisHash: () => new PublicKey(createHash('sha256').update('solana-local genesis').digest()).toBase58(),
    getFeeForMessage([message]) {
      const parsed = messageFrom(parameter(z.string(), message));
      const known = bank.clock.slotOf(parsed.recentBlockhash) !== undefined;
      return withContext(node, known ? Number.parseInt(feeOf(parsed).toString(), 10) : null);
    },
    getRecentPrioritizationFees([addresses]) {
      const wanted = parameter(z.array(z.unknown()).default([]), addresses).map(addressParameter);
      if (wanted.length > MAX_FEE_ACCOUNTS) throw invalidParams('Too many inputs provided; max 128');
      return recentFees(node, wanted);
    },
  };
}

function messageFrom(text: string): VersionedMessage {
  try {
    return VersionedMessage.deserialize(Buffer.from(text, 'base64'));
  } catch {
    throw invalidParams('failed to deserialize solana_message::versions::VersionedMessage');
  }
}

/**
 * For each slot whose blockhash is still valid: the minimum price of all transactions, or of those that write one
 * of the accounts, whichever is more.
 */
function recentFees({ bank }: Node, addresses: readonly string[]): readonly object[] {
  const newest = bank.now();
  const oldest = newest - BLOCKHASH_LIFETIME + 1;
  const recent = bank.ledger.since(oldest);
  const slots = Array.from({ length: BLOCKHASH_LIFETIME }, (_, index) => oldest + index);
  return slots.map((slot) => {
    const own = recent.filter((record) => record.slot === slot);
    const writers = addresses.map((address) => own.filter(({ writable }) => writable.includes(address)));
    return { slot, prioritizationFee: Math.max(...[own, ...writers].map(minPrice)) };
  });
}

const minPrice = (records: readonly TransactionRecord[]): number =>
  records.length === 0 ? 0 : Math.min(...records.map(({ unitPrice }) => Number.parseInt(unitPrice, 10)));
