import { type Address, parseUnits } from 'viem';
import { ZERO_ADDRESS } from '../../../src/chains/addresses';
import type { BridgedChain } from './bridged-chain';
import type { Control } from './control';
import type { Ledger, Transfer } from './ledger';
import { sleep } from '../../../src/async/sleep';

export interface RelayerOptions {
  readonly chains: ReadonlyMap<number, BridgedChain>;
  readonly ledger: Ledger;
  readonly control: Control;
  readonly log: (line: string) => void;
}

export interface Relayer {
  /** Whether the relayer has abandoned a transfer, or is about to refund it. */
  failureOf(transfer: Transfer): TransferFailure | undefined;
  stop(): Promise<void>;
}

const POLL_MS = 400;

/** Pays out transfers, one after another. Payments are read from the chains, so nothing is paid twice. */
export function startRelayer(options: RelayerOptions): Relayer {
  const stopping = new AbortController();
  const failures = new Map<string, TransferFailure>();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await round(options, failures, stopping.signal).catch((error: unknown) => {
        options.log(`the relayer of LI.FI: ${error instanceof Error ? error.message : String(error)}`);
      });
      await sleep(POLL_MS, stopping.signal);
    }
  };
  const ended = run();
  return {
    failureOf: ({ id }) => failures.get(id),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

type TransferFailure = 'failed' | 'refunding';

type Failures = Map<string, TransferFailure>;

async function round(options: RelayerOptions, failures: Failures, signal: AbortSignal): Promise<void> {
  const { ledger, control } = options;
  await ledger.update();
  for (const transfer of ledger.transfers()) {
    if (signal.aborted) return;
    const isOpen = ledger.payoutOf(transfer) === undefined && failures.get(transfer.id) !== 'failed';
    const isDue = Date.now() - transfer.seenAt >= control.delayMs;
    if (isOpen && isDue) await settle(options, failures, transfer);
  }
}

async function settle({ chains, control }: RelayerOptions, failures: Failures, transfer: Transfer): Promise<void> {
  const [origin, destination] = [transfer.originChainId, transfer.destinationChainId].map((id) => chains.get(id));
  if (origin === undefined || destination === undefined || control.outcome === 'HANG') return;
  const { id: transferId, sender, receiver, bridgedAmount, relayFee } = transfer;
  if (control.outcome === 'FAILED') {
    failures.set(transferId, 'failed');
  } else if (control.outcome === 'REFUNDED') {
    // Marked in one round, refunded in the next.
    if (failures.get(transferId) !== 'refunding') return void failures.set(transferId, 'refunding');
    await origin.pay({ transferId, receiver: sender, token: transfer.bridgedToken, amount: bridgedAmount });
  } else {
    const bought = { token: transfer.tokenOut, amount: bridgedAmount - relayFee };
    const paid = control.outcome === 'PARTIAL' ? otherThan(destination, bought) : bought;
    await destination.pay({ transferId, receiver, ...paid });
  }
}

/** Where the token that was bought runs out: its wrapper for the coin and the other way round, a dollar for the others. */
function otherThan(chain: BridgedChain, { token, amount }: { token: Address; amount: bigint }) {
  if (token === ZERO_ADDRESS) return { token: chain.wrappedNative ?? token, amount };
  if (token === chain.wrappedNative) return { token: ZERO_ADDRESS, amount };
  const bought = chain.tokenAt(token);
  const other = chain.tokenNamed(bought?.symbol === 'USDC' ? 'USDT' : 'USDC');
  if (bought === undefined || other === undefined) return { token, amount: amount / 2n };
  const scaled = (amount * parseUnits('1', other.decimals)) / parseUnits('1', bought.decimals);
  return { token: other.address, amount: scaled / (bought.symbol === 'BRLA' ? 6n : 1n) };
}
