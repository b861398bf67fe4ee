import type { ChainTable } from '../../chains/chain-table';
import type { RampProvider } from '../../ramps/ramp-provider';
import type { TicketStore } from '../../ramps/ticket-store';
import type { Rpc } from '../../rpc/rpc';
import type { ServiceWallet } from '../../rpc/service-wallet';
import type { LegDeps } from './leg';

/** What routes that combine a ramp with a swap or a transfer need. */
export interface ComposedVenueDeps extends LegDeps {
  readonly ramp: RampProvider;
  readonly tickets: TicketStore;
  readonly chains: ChainTable;
  readonly rpc: Rpc;
  /** Carries on what a ramp has paid out, to the token that was bought; without it nothing but off-ramps is composed. */
  readonly serviceWallet: ServiceWallet | undefined;
  /** For how long a price that has moved is waited for, before the customer gets what the ramp paid; ten minutes. */
  readonly patienceMs?: number | undefined;
}
