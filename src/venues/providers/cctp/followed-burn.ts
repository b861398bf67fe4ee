import type { HttpClient } from '../../../http/http-client';
import type { Rpc } from '../../../rpc/rpc';
import type { Shipment } from '../../delivery-source';
import type { BurnMessage } from './burn-message';
import type { Lane } from './lane';
import type { Memory } from './memory';

export interface FollowDeps {
  /** The attestation service. */
  readonly http: Pick<HttpClient, 'get' | 'post'>;
  readonly rpc: Pick<Rpc, 'ask' | 'multicall'>;
}

/** A burn that is mined, and what is known of it. */
export interface Burn {
  readonly lane: Lane;
  readonly shipment: Shipment;
  /** What the origin chain sent. */
  readonly sent: BurnMessage;
  readonly transactionHash: string;
  readonly blockNumber: bigint;
  readonly memory: Memory;
}
