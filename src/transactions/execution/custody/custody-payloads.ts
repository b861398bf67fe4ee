import type { Hex } from 'viem';
import { validationError } from '../../../errors/validation';
import { formatBaseUnits } from '../../../money/base-units';
import type { UnsignedCall } from '../../../venues/quote-provider';
import type { CustodyRequest } from '../output-builders';

/**
 * A contract call as request body of the custody service (`POST /transactions`). The customer signs and sends it with
 * their own API key.
 *
 * @see https://developers.fireblocks.com/reference/createtransaction
 */
export interface CustodyPayload {
  readonly operation: 'CONTRACT_CALL';
  /** The custody service's name of the chain's native coin. */
  readonly assetId: string;
  readonly source: { readonly type: 'VAULT_ACCOUNT'; readonly id: string };
  readonly destination: { readonly type: 'ONE_TIME_ADDRESS'; readonly oneTimeAddress: { readonly address: string } };
  /** Native coin sent with the call: a decimal in whole coins. */
  readonly amount: string;
  readonly extraParameters: { readonly contractCallData: Hex };
  /** Makes the request idempotent: the custody service executes one transaction per id. */
  readonly externalTxId: string;
  readonly note: string;
}

/**
 * The custody service's names of native coins, by chain id. The chain table can override them with `custodyAsset`.
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
 * The calls as request bodies for the custody service, in sending order.
 *
 * The numbers in `externalTxId` count down to 0 for the last call, which moves the money: a repeated request may have other
 * approvals, but the last call keeps its id.
 *
 * @throws VALIDATION_ERROR on `output` for a chain whose native coin has no known custody name
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
