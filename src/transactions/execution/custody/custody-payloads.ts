import type { Hex } from 'viem';
import type { Chain } from '../../../chains/chain';
import { validationError } from '../../../errors/validation';
import { formatBaseUnits } from '../../../money/base-units';
import type { UnsignedCall } from '../../../venues/quote-provider';

/**
 * A contract call as the custody service takes it (`POST /transactions`): its customer sends it on, signed with a key
 * that is not here.
 *
 * @see https://developers.fireblocks.com/reference/createtransaction
 */
export interface CustodyPayload {
  readonly operation: 'CONTRACT_CALL';
  /** The native coin of the chain, as the custody service names it. */
  readonly assetId: string;
  readonly source: { readonly type: 'VAULT_ACCOUNT'; readonly id: string };
  readonly destination: { readonly type: 'ONE_TIME_ADDRESS'; readonly oneTimeAddress: { readonly address: string } };
  /** Native coin sent along: a decimal in whole coins. */
  readonly amount: string;
  readonly extraParameters: { readonly contractCallData: Hex };
  /** The custody service carries out one transaction of this id, however often it is asked. */
  readonly externalTxId: string;
  readonly note: string;
}

export interface CustodyRequest {
  /** Vault account of the sender. */
  readonly accountId: string;
  readonly chain: Chain;
  readonly actionId: string;
}

/**
 * Names of the native coins at the custody service, by chain id. A chain of the configuration may name its own.
 *
 * @see https://github.com/fireblocks/fireblocks-web3-provider/blob/main/src/constants.ts
 */
const ASSETS: Readonly<Record<number, string>> = {
  1: 'ETH',
  10: 'ETH-OPT',
  56: 'BNB_BSC',
  137: 'MATIC_POLYGON',
  8453: 'BASECHAIN_ETH',
  42161: 'ETH-AETH',
  42220: 'CELO',
  43114: 'AVAX',
};

/**
 * The calls as bodies for the custody service, in sending order.
 *
 * Their ids count down to 0, the executing call: approvals come and go with the allowance when an action is asked for
 * again, and the call that moves the money keeps its id.
 *
 * @throws VALIDATION_ERROR on `output` for a chain that the custody service is not known to serve
 */
export function custodyPayloads(
  calls: readonly UnsignedCall[],
  { accountId, chain, actionId }: CustodyRequest,
): readonly CustodyPayload[] {
  const assetId = chain.custodyAsset ?? ASSETS[chain.chainId];
  if (assetId === undefined) {
    throw validationError([{ path: 'output', message: `custody is not available on ${chain.slug}` }]);
  }
  return calls.map(({ to, data, value }, index) => ({
    operation: 'CONTRACT_CALL',
    assetId,
    source: { type: 'VAULT_ACCOUNT', id: accountId },
    destination: { type: 'ONE_TIME_ADDRESS', oneTimeAddress: { address: to } },
    amount: formatBaseUnits(value, chain.nativeCurrency.decimals),
    extraParameters: { contractCallData: data },
    externalTxId: `${actionId}-${calls.length - 1 - index}`,
    note: `Action ${actionId}, call ${index + 1} of ${calls.length}`,
  }));
}
