import type { RecipientCheckDeps } from '../../quotes/request/recipient-check';
import type { QuoteDeps } from '../../quotes/quote-swap';
import type { Database } from '../../persistence/database';
import type { ExecutableDeps } from '../../transactions/execution/executable';
import type { ActionStarter, OpenLimits } from '../../transactions/action-plan';
import type { Protocol } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { FindStrategyRouter } from '../router/find-router';
import type { FeeReader } from '../fees/customer-fees';
import type { FeePositionDeps } from '../fees/fee-positions';
import type { PositionDeps } from '../positions/position-deps';
import type { DirectProtocolName } from '../strategy-row';
import type { StockServices } from '../stocks/stock-services';
import type { OperationParseDeps } from './parse-operation-request';

/** Finds strategies of the catalog. */
export interface StrategyFinder {
  /** Resolves when the chains have responded for the first time, or after a short wait. */
  ready(): Promise<void>;
  /**
   * The strategy with an id, slug or alias, in any case.
   *
   * @throws STRATEGY_NOT_FOUND; LENDING_SERVICE_UNAVAILABLE while its chain has not responded since the start of the process
   */
  get(name: string): Strategy;
}

export interface OperationDeps
  extends OperationParseDeps, QuoteDeps, ExecutableDeps, ActionStarter, OpenLimits, RecipientCheckDeps {
  readonly rpc: QuoteDeps['rpc'] & ExecutableDeps['rpc'];
  readonly database: Pick<Database, '$transaction' | '$queryRaw'>;
  readonly strategies: StrategyFinder;
  readonly protocols: Readonly<Record<DirectProtocolName, Protocol>>;
  /** `undefined` where the deployment has no settings for tokenized stocks. */
  readonly stocks: StockServices | undefined;
  readonly readFees: FeeReader;
  readonly findRouter: FindStrategyRouter;
  /** What the gain of a withdrawal is read with. */
  readonly positions: PositionDeps & FeePositionDeps;
  /** Seconds after its deadline until an operation without a seen transaction fails. */
  readonly actionExpirySeconds: number;
}
