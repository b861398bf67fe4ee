import type { Hex } from 'viem';
import type { HttpClient } from '../../../http/http-client';
import type { Rpc } from '../../../rpc/rpc';
import type { BridgeTransfer } from '../../delivery-source';
import type { AcrossRoute } from './across-route';
import type { DepositCheckpoint } from './checkpoint';

export interface DepositFollowDeps {
  readonly http: HttpClient;
  readonly rpc: Pick<Rpc, 'request' | 'multicall'>;
}

/** A mined deposit and the transfer that it belongs to. */
export interface AcrossDeposit {
  readonly route: AcrossRoute;
  readonly relay: RelayData;
  readonly originBlock: bigint;
  readonly transfer: BridgeTransfer;
  readonly checkpoint: DepositCheckpoint;
}

/** Identity of a deposit on its destination. Unix seconds, base units, addresses as words of 32 bytes. */
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
