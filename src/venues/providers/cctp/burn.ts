import type { HttpClient } from '../../../http/http-client';
import type { Rpc } from '../../../rpc/rpc';
import type { BridgeTransfer } from '../../delivery-source';
import type { BurnMessage } from './burn-message';
import type { CctpRoute } from './cctp-route';
import type { BurnCheckpoint } from './checkpoint';

export interface BurnFollowDeps {
  /** The attestation service. */
  readonly http: Pick<HttpClient, 'get' | 'post'>;
  readonly rpc: Pick<Rpc, 'request' | 'multicall'>;
}

/** A mined burn and the transfer that it belongs to. */
export interface CctpBurn {
  readonly route: CctpRoute;
  readonly transfer: BridgeTransfer;
  /** The message sent on the origin chain. */
  readonly sent: BurnMessage;
  readonly transactionHash: string;
  readonly blockNumber: bigint;
  readonly checkpoint: BurnCheckpoint;
}
