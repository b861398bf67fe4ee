import { randomBytes } from 'node:crypto';
import type { Address } from 'viem';
import type { Control } from './control';
import type { TransactionDesk } from './transactions';
import type { UsdcChain } from './usdc-chain';
import type { Transaction, World } from './world';
import { sleep } from '../../../src/async/sleep';

export interface SettlementOptions {
  readonly world: World;
  readonly control: Control;
  readonly desk: TransactionDesk;
  readonly chains: ReadonlyMap<string, UsdcChain>;
  readonly log: (line: string) => void;
}

const POLL_MS = 100;

/** Advances transactions as deposits arrive and time passes, one after another. */
export function startSettlement(options: SettlementOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await round(options, stopping.signal);
      await sleep(POLL_MS, stopping.signal);
    }
  };
  const ended = run();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function round(options: SettlementOptions, signal: AbortSignal): Promise<void> {
  for (const transaction of options.world.transactions) {
    if (signal.aborted) return;
    await step(options, transaction).catch((error: unknown) => options.log(`the secondary ramp: ${String(error)}`));
  }
}

type Deposits = Pick<SettlementOptions, 'control' | 'desk'>;

function refuseDeposit({ control, desk }: Deposits, transaction: Transaction): void {
  desk.move(transaction, { status: 'failed', dueAt: Date.now() + control.settleMs });
}

/** Accepts the deposit of a transaction. The deposit of a cancelled one is refunded. */
export function acceptDeposit({ control, desk }: Deposits, transaction: Transaction): void {
  if (transaction.status === 'cancelled') {
    refuseDeposit({ control, desk }, transaction);
    return;
  }
  const isPix = transaction.sender.payment_rail === 'pix';
  const endToEndId = isPix ? newEndToEndId() : null;
  desk.move(transaction, { status: 'processing', endToEndId, dueAt: Date.now() + control.settleMs });
}

async function step(options: SettlementOptions, transaction: Transaction): Promise<void> {
  const isDue = transaction.dueAt !== null && transaction.dueAt <= Date.now();
  switch (transaction.status) {
    case 'awaiting_deposit': {
      const isPaid = transaction.type === 'on_ramp' ? isDue : await isFunded(options, transaction);
      if (isPaid) acceptDeposit(options, transaction);
      return;
    }
    case 'processing':
      return isDue ? settle(options, transaction) : undefined;
    case 'cancelled':
      return refuseLate(options, transaction);
    case 'failed':
      return isDue ? refundDeposit(options, transaction) : undefined;
    default: // it has ended
  }
}

/** Refunds a deposit that arrives after the cancellation. */
async function refuseLate(options: SettlementOptions, transaction: Transaction): Promise<void> {
  if (transaction.type === 'off_ramp' && (await isFunded(options, transaction))) refuseDeposit(options, transaction);
}

async function isFunded({ chains }: SettlementOptions, { sender, deposit_address }: Transaction): Promise<boolean> {
  const balance = await chains.get(sender.payment_rail)?.balanceOf(deposit_address as Address);
  return balance !== undefined && balance >= BigInt(sender.amount);
}

async function settle({ control, desk, chains }: SettlementOptions, transaction: Transaction): Promise<void> {
  const { type, receiver, wallet } = transaction;
  if (type === 'on_ramp') {
    transaction.dueAt = null; // paid once, even when the payment fails
    const txHash = (await chains.get(receiver.payment_rail)?.pay(wallet as Address, BigInt(receiver.amount))) ?? null;
    desk.move(transaction, { status: 'completed', txHash });
  } else if (control.failPayouts || isRefused(control, transaction)) {
    desk.move(transaction, { status: 'failed', dueAt: Date.now() + control.settleMs });
  } else {
    const endToEndId = receiver.payment_rail === 'pix' ? newEndToEndId() : null;
    desk.move(transaction, { status: 'completed', endToEndId });
  }
}

const isRefused = ({ refusedPixKeys }: Control, { receiverDetails }: Transaction): boolean =>
  refusedPixKeys.some((key) => key === receiverDetails['pix_key']);

async function refundDeposit({ desk, chains }: SettlementOptions, transaction: Transaction): Promise<void> {
  const { type, sender, wallet } = transaction;
  transaction.dueAt = null;
  const chain = type === 'off_ramp' ? chains.get(sender.payment_rail) : undefined;
  const refundHash = (await chain?.pay(wallet as Address, BigInt(sender.amount))) ?? null;
  desk.move(transaction, { status: 'refunded', refundHash });
}

/** In the format of Pix payments: `E`, the bank, the minute, and eleven random characters. */
function newEndToEndId(): string {
  const minute = new Date().toISOString().replace(/\D/g, '').slice(0, 12);
  return `E12345678${minute}${randomBytes(8).toString('hex').slice(0, 11)}`;
}
