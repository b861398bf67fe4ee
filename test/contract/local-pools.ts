import { createPoolDirectory } from '../../src/pools/pool-directory';
import { createPoolSnapshots } from '../../src/pools/pool-snapshots';
import { createTransferProbe } from '../../src/pools/transfer-probe';
import type { Rpc } from '../../src/rpc/rpc';

/** Dependencies of the providers that trade on Uniswap pools. Providers with the same dependencies share their reads. */
export const localPools = (rpc: Rpc) => ({
  rpc,
  pools: createPoolDirectory({ rpc }),
  probe: createTransferProbe({ rpc }),
  snapshots: createPoolSnapshots({ rpc }),
});
