import { randomUUID } from 'node:crypto';
import { startAction } from '../../src/actions/start-action';
import { createSearchSchedule } from '../../src/actions/tracker/solana/search-schedule';
import { runSolanaTrackerOnce } from '../../src/actions/tracker/solana/run-solana-tracker-once';
import type { SolanaTrackerDeps } from '../../src/actions/tracker/solana/solana-tracker-deps';
import { toBaseUnits } from '../../src/money/base-units';
import type { Database } from '../../src/persistence/database';
import type { SolanaRpc } from '../../src/rpc/solana/solana-rpc';
import type { Token } from '../../src/tokens/token';
import type { ActionPlan } from '../../src/transactions/action-plan';
import { actionIdForQuote } from '../../src/transactions/action-id';
import type { BuiltSolanaTransaction } from '../../src/transactions/execution/output-builders';
import { buildSolanaTransaction } from '../../src/transactions/execution/solana/build-transaction';
import { transferInstructions } from '../../src/transactions/transfers/solana/transfer-instructions';
import { newCustomer, sampleAction, sampleQuote } from '../actions/sample-action';
import type { LocalSolana } from './local-solana';

export interface SolanaWorld {
  readonly local: LocalSolana;
  readonly solana: SolanaRpc;
  readonly database: Database;
}

export interface TransferActionOptions {
  readonly symbol: string;
  readonly amount: bigint;
  readonly sender: string;
  readonly recipient: string;
  readonly plan?: Partial<Omit<ActionPlan, 'quoteId'>>;
}

export function localSolanaToken({ validator }: LocalSolana, symbol: string): Token {
  const { address, name, decimals } = [...validator.tokens, ...validator.unlistedTokens].find(
    (token) => token.symbol === symbol,
  )!;
  return { chainId: validator.chain.chainId, address, symbol, name, decimals, logoURI: undefined };
}

/** Creates the action of a transfer on Solana. Returns its transaction. */
export async function transferAction(
  { local, solana, database }: SolanaWorld,
  order: TransferActionOptions,
): Promise<BuiltSolanaTransaction & { readonly id: string }> {
  const customerId = newCustomer();
  const quoteId = await sampleQuote(database, customerId);
  const [token, id] = [localSolanaToken(local, order.symbol), actionIdForQuote(quoteId)];
  const { sender, recipient } = order;
  const amount = toBaseUnits(order.amount);
  const { signal } = new AbortController();
  const request = { token, amount, sender, recipient, memo: undefined, signal };
  const program = await transferInstructions({ solana }, request);
  const built = await buildSolanaTransaction({ solana }, { program, actionId: id, signal });
  const { chainId } = token;
  const plan = sampleAction({
    customerId,
    quoteId,
    type: 'TRANSFER_OUT',
    provider: 'transfer',
    originAddress: sender,
    receiverAddress: recipient,
    chainIdIn: chainId,
    chainIdOut: chainId,
    tokenIn: token,
    tokenOut: token,
    amountIn: amount,
    amountOut: amount,
    minAmountOut: amount,
    steps: [{ kind: 'TRANSFER', operator: 'USER', protocol: 'transfer', chainId }],
    calls: [{ stepIndex: 0, chainId, form: 'REFERENCE', sender, target: built.reference, data: '0x', value: 0n }],
    ...order.plan,
  });
  await database.$transaction((tx) => startAction(tx, plan));
  return { ...built, id };
}

/** The tracker of a separate replica. */
export const solanaTracker = ({ local, solana, database }: SolanaWorld) => {
  const log = { info: () => undefined, warn: () => undefined };
  const chains = local.chains().table;
  const deps: SolanaTrackerDeps = {
    database,
    solana,
    chains,
    log,
    replicaId: randomUUID(),
    schedule: createSearchSchedule(),
  };
  return { deps, run: () => runSolanaTrackerOnce(deps, local.chain().chainId) };
};
