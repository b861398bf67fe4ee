import type { Address } from 'viem';
import type { CustomerId } from '../../auth/principal';
import type { Token } from '../../tokens/token';
import type { Strategy } from '../strategy';
import type { StockRequest } from './parse-stock-request';
import type { PricedOrder } from './price-order';

/** An order before it has a transaction. */
export interface PlannedOrder {
  readonly customerId: CustomerId;
  readonly actionId: string;
  readonly strategy: Strategy;
  readonly request: StockRequest;
  readonly orderWallet: Address;
  readonly sold: Token;
  readonly bought: Token;
  readonly priced: PricedOrder;
  /** Dollars for one token, with 18 decimals. */
  readonly spotPrice: bigint;
  readonly validTo: Date;
  /** When the action fails without its transfer, and the last time at which a user operation can execute it. */
  readonly expiresAt: Date;
}
