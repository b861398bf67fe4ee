import { describeFailure } from '../../errors/describe-failure';
import { quarantine, releaseItems } from '../state/quarantine';
import { LeaseLostError } from './chain-lease';
import type { SubmittedStep } from './submitted-steps';
import type { TrackerDeps } from './tracker-deps';

/** Transactions that are settled at the same time. */
const MAX_CONCURRENT = 8;
/** A pass starts to settle no other transactions after this time; the next pass goes on. */
export const MAX_SETTLING_MS = 15_000;

export interface Settlement {
  readonly chainId: number;
  readonly steps: readonly SubmittedStep[];
  /** When to start no other transaction, in milliseconds since 1970; after `MAX_SETTLING_MS` by default. */
  readonly until?: number;
  /** Ends a step, or throws. */
  readonly settle: (step: SubmittedStep) => Promise<void>;
  /** Throws when the chain does not respond at all. */
  probe(): Promise<unknown>;
}

type SettlementDeps = Pick<TrackerDeps, 'database' | 'log'>;

/** Identifies a step in the quarantine. */
export const stepItem = ({ actionId, stepIndex }: Pick<SubmittedStep, 'actionId' | 'stepIndex'>): string =>
  `${actionId}/${String(stepIndex)}`;

/**
 * Settles steps, those of one transaction one after another. A step that fails does not delay the others: it is put into
 * quarantine, and tried again when its next attempt is due.
 *
 * @throws when the chain does not respond at all
 */
export async function settleEach(deps: SettlementDeps, settlement: Settlement): Promise<void> {
  const { chainId, settle, until = Date.now() + MAX_SETTLING_MS } = settlement;
  const queue = byTransaction(settlement.steps);
  const settled: SubmittedStep[] = [];
  const failures: Failure[] = [];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = Date.now() < until ? queue.shift() : undefined) {
      for (const step of next) {
        await settle(step).then(
          () => settled.push(step),
          (error: unknown) => failures.push({ step, error }),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
  await releaseItems(deps.database, { chainId, stage: 'settlement', items: settled.map(stepItem) });
  if (failures.length === 0) return;
  for (const { error } of failures) if (error instanceof LeaseLostError) throw error;
  if (settled.length === 0) await settlement.probe();
  for (const failure of failures) await setAside(deps, chainId, failure);
}

interface Failure {
  readonly step: SubmittedStep;
  readonly error: unknown;
}

function byTransaction(steps: readonly SubmittedStep[]): SubmittedStep[][] {
  const groups = new Map<string, SubmittedStep[]>();
  for (const step of steps) groups.set(step.txHash, [...(groups.get(step.txHash) ?? []), step]);
  return [...groups.values()];
}

async function setAside({ database, log }: SettlementDeps, chainId: number, { step, error }: Failure): Promise<void> {
  const { actionId, customerId, txHash } = step;
  log.warn({ chainId, actionId, txHash, cause: describeFailure(error) }, 'a transaction could not be settled');
  await quarantine(
    database,
    { chainId, stage: 'settlement', item: stepItem(step), actionId, customerId, txHash },
    error,
  );
}
