import type { Hex } from 'viem';
import type { HttpClient } from '../../../http/http-client';
import type { Rpc } from '../../../rpc/rpc';
import type { Shipment } from '../../delivery-source';
import type { Lane } from './lane';
import type { Memory } from './memory';

export interface FollowDeps {
  readonly http: HttpClient;
  readonly rpc: Pick<Rpc, 'ask' | 'multicall'>;
}

/** A deposit as its origin chain tells it, and what is wanted of it. */
export interface FollowedDeposit {
  readonly lane: Lane;
  readonly relay: RelayData;
  readonly originBlock: bigint;
  readonly shipment: Shipment;
  readonly memory: Memory;
}

/** What identifies a deposit on its destination. Unix seconds, base units, addresses as words. */
export interface RelayData {
  readonly depositor: Hex;
  readonly recipient: Hex;
  readonly exclusiveRelayer: Hex;
  readonly inputToken: Hex;
  readonly outputToken: Hex;
  readonly inputAmount: bigint;
  readonly outputAmount: bigint;
  readonly originChainId: bigint;
  readonly depositId: bigint;
  readonly fillDeadline: number;
  readonly exclusivityDeadline: number;
  readonly message: Hex;
}
