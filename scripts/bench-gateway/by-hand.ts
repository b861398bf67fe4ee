import { invariant } from '../../src/errors/invariant-error';
import { ASSETS, type Asset, PING, POSITIONS_OF } from './memory';

/** Handwritten handlers that return exactly the data of the measured requests. */
export const pingByHand = (): typeof PING => PING;

interface WalletResponse {
  readonly address: string;
  readonly positions: readonly { readonly id: string; readonly amount: string; readonly asset: Asset }[];
}

/** The positions of a wallet, each joined with its asset. */
export function walletByHand(address: string): WalletResponse {
  const positions = POSITIONS_OF.get(address) ?? [];
  return {
    address,
    positions: positions.map(({ id, amount, assetId }) => ({ id, amount: amount.toString(), asset: assetOf(assetId) })),
  };
}

/** Copied field by field, because a stored asset has more fields than a response shows. */
function assetOf(assetId: string): Asset {
  const asset = ASSETS.get(assetId);
  invariant(asset, 'a position has an unknown asset');
  const { id, symbol, name, decimals, priceUsd } = asset;
  return { id, symbol, name, decimals, priceUsd };
}
